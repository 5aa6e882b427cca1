// The module with all sources, for pages where a store gets its ids from another source than the server's HiLo route.

import { glueOf } from "../../../gen/raven_edge.js";
import { fetched, type ImportInline } from "../../runtime/fetch-module.js";
import type { Platform } from "../../runtime/runtime.js";
import { SharedRuntime } from "../../runtime/shared-runtime.js";

/** What Vite and webpack say about a build; other tools have no `env`. */
type Build = ImportMeta & { readonly env?: { readonly PROD?: boolean } };

/**
 * Imports a script that contains this module, for build tools that do not copy the `.wasm` file. Vite and webpack copy it in production
 * builds, and remove this import there.
 */
export const inlined = (): ReturnType<ImportInline> =>
  (import.meta as Build).env?.PROD ? Promise.reject() : import("../../../gen/inline.js");

const load = () => fetched(() => new URL("../../../gen/raven_edge_whole_bg.wasm", import.meta.url), inlined);

export const wholeWith = (platform: Platform) => () => new SharedRuntime(glueOf("whole"), load, platform);
