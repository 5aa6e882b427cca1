/**
 * All of `raven-edge`, for whoever brings its module: from a cache, from a checked source, in a bundle of their own.
 *
 * ```ts
 * import { DocumentStore, useModule } from "raven-edge/slim";
 *
 * useModule(WebAssembly.compileStreaming(fetch("/static/raven_edge.wasm")));
 * const store = new DocumentStore("/raven", "Shop").initialize();
 * ```
 */

export * from "./index.js";
export { default } from "./index.js";

/**
 * Says which module to use; call it before the first `initialize()`, which otherwise throws `InvalidOperation`. The file is
 * `raven-edge/raven_edge.wasm`, of this very version of the package.
 * @param module The compiled module, its bytes, or a promise of one of them. Where nothing may wait, as in Cloudflare
 * Workers, the compiled module itself. What is no module lets `initialize()` throw `LoadFailed`, or `ready()` where it is a promise.
 */
export function useModule(
  module: WebAssembly.Module | BufferSource | PromiseLike<WebAssembly.Module | BufferSource>,
): void;
