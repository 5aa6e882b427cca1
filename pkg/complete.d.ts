/**
 * All of `raven-edge` in one piece, for service workers: `raven-edge` loads what is seldom used by `import()`, which throws there.
 * Everywhere else but in browsers it is `raven-edge` itself, which is in one piece there.
 *
 * ```ts
 * import { DocumentStore } from "raven-edge/complete";
 *
 * const store = new DocumentStore("/raven", "Shop").initialize();
 * ```
 */

export * from "./index.js";
export { default } from "./index.js";
