/**
 * The WebAssembly module of `raven-edge` and `raven-edge/session`, for `useModule` of `raven-edge/slim`, on platforms where the
 * import of a `.wasm` file is the compiled module (Cloudflare Workers, wrangler, Vercel's edge runtime):
 *
 * ```ts
 * import module from "raven-edge/raven_edge.wasm";
 * import { useModule } from "raven-edge/slim";
 *
 * useModule(module);
 * ```
 */
declare const module: WebAssembly.Module;
export default module;
