/**
 * All of `raven-edge` in one module, for service workers: `raven-edge` loads rarely used parts by `import()`, which throws there.
 * On platforms other than browsers it is the same as `raven-edge`.
 *
 * ```ts
 * import { DocumentStore } from "raven-edge/complete";
 *
 * const store = new DocumentStore("/raven", "Shop").initialize();
 * ```
 */

export * from "./index.js";
export { default } from "./index.js";
