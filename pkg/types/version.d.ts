// What this build is.

/**
 * What this build is: the version of the package and the revision of its sources, such as `0.1.0+b97f5e9c1a2d`. After a
 * revision `.modified` says that the sources were no commit's, in place of one `unknown` that they were in no repository. Each
 * WebAssembly module has the same text in its custom section `version`.
 *
 * ```ts
 * const [section] = WebAssembly.Module.customSections(module, "version");
 * new TextDecoder().decode(section) === version;
 * ```
 */
export const version: string;
