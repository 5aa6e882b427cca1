// The module inside of a script.

import type { ImportInline } from "./fetch-module.js";

/** What Vite and webpack say about a build; other tools have no `env`. */
type Build = ImportMeta & { readonly env?: { readonly PROD?: boolean } };

/**
 * Imports a script that contains the module, for build tools that do not copy the `.wasm` file. Vite and webpack copy it in production
 * builds, and remove this import there.
 */
export const inlined = (): ReturnType<ImportInline> =>
  (import.meta as Build).env?.PROD ? Promise.reject() : import("../../gen/inline.js");
