/**
 * All of `raven-edge`, for apps that bring its module: from a cache, from a checked source, in a bundle of their own.
 *
 * ```ts
 * import { DocumentStore, useModule } from "raven-edge/slim";
 *
 * useModule(WebAssembly.compileStreaming(fetch("/static/raven_edge.wasm")));
 * const store = new DocumentStore("/raven", "Shop").initialize();
 * ```
 */

export { useModule } from "./dts/runtime/given-module.js";
export * from "./index.js";
export { default } from "./index.js";
