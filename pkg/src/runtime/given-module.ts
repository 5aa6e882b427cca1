// The module that the app brings to `raven-edge/slim`.

import { fail } from "../common/error.js";
import type { Module } from "./runtime.js";

let given: Module | PromiseLike<Module> | undefined;

/**
 * Says which module to use. Call it before the first `initialize()`, which otherwise throws `InvalidOperation`. The file is
 * `raven-edge/raven_edge.wasm`, of the same version of the package.
 * @param module The compiled module, its bytes, or a promise of one of them. In Cloudflare Workers, where no request may wait for another
 * one, a promise is refused (`InvalidOperation`). If it is not a module, `initialize()` throws `LoadFailed`, or `ready()` rejects if it
 * is a promise.
 */
export function useModule(
  module: WebAssembly.Module | BufferSource | PromiseLike<WebAssembly.Module | BufferSource>,
): void {
  given = module;
}

/** @internal */
export function givenModule(): Module | Promise<Module> {
  if (given === undefined) fail("InvalidOperation", "call useModule() before initialize()");
  return "then" in given ? Promise.resolve(given) : given;
}

/** @internal The same where nothing may wait. */
export function compiledModule(): Module {
  const module = givenModule();
  if ("then" in module) fail("InvalidOperation", "in a Worker useModule() takes the module, not a promise");
  return module;
}
