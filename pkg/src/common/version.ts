// The version of this build, which the build writes.

import { version as built } from "../../gen/version.js";

/**
 * The version of the package and the revision of its sources, such as `0.1.0+b97f5e9c1a2d`. The revision ends in `.modified` if
 * the sources differed from that commit, and is `unknown` if they were in no repository. The custom section `version` of each
 * WebAssembly module contains the same text.
 *
 * ```ts
 * const [section] = WebAssembly.Module.customSections(module, "version");
 * new TextDecoder().decode(section) === version;
 * ```
 */
export const version: string = built;
