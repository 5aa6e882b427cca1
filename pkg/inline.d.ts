/**
 * All of `raven-edge` with its module inside the script, for hosting that serves no `.wasm` file: a third heavier, and nothing
 * else is fetched.
 *
 * ```ts
 * import { DocumentStore } from "raven-edge/inline";
 *
 * const store = new DocumentStore("/raven", "Shop").initialize();
 * ```
 */

export * from "./index.js";
export { default } from "./index.js";
