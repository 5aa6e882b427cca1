// The module with all sources, for pages where a store names another source than the server. It serves sessions and ids alone.

import { glueOf } from "../../../gen/raven_edge.js";
import { Parking } from "../../device/page-events-and-tabs.js";
import { fetched, type ImportInline } from "../../runtime/fetch-module.js";
import { Runtime } from "../../runtime/runtime.js";

/** What Vite and webpack say about a build; other tools have no `env`. */
type Build = ImportMeta & { readonly env?: { readonly PROD?: boolean } };

/**
 * The copy of this module inside a script, for tools that leave the `.wasm` file behind. What Vite and webpack build for production has
 * the file: there they remove this import and the copy.
 */
export const inlined = (): ReturnType<ImportInline> =>
  (import.meta as Build).env?.PROD ? Promise.reject() : import("../../../gen/inline.js");

const load = () => fetched(new URL("../../../gen/raven_edge_whole_bg.wasm", import.meta.url), inlined);

export const whole = () => new Runtime(glueOf("whole"), load, { Parking });
