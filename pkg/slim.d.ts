/**
 * All of `raven-edge`, for apps that load the WebAssembly module themselves: from a cache, a checked source, or their own bundle.
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
