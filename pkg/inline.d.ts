/**
 * All of `raven-edge` with the WebAssembly module inside the script, for hosts that serve no `.wasm` files. A third larger; nothing
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
