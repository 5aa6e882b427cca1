// The app brings the module: for whoever has an own way to load, cache or check it.

import { glue } from "../../gen/raven_edge.js";
import { fail } from "../common/error.js";
import { Parking } from "../device/parked-numbers.js";
import { loadLater } from "../runtime/load-part.js";
import { Runtime } from "../runtime/runtime.js";
import { StoreBase } from "../store/query-store.js";
import { PARTS } from "./parts/later.js";

/** A module, compiled or not, or a promise of one. */
type Given = Module | PromiseLike<Module>;
type Module = WebAssembly.Module | BufferSource;

let given: Given | undefined;

/** Says which module to use, before the first store is initialised: compiled, its bytes, or a promise of one of them. */
export function useModule(module: Given): void {
  given = module;
}

function load(): Module | Promise<Module> {
  if (given === undefined) fail("InvalidOperation", "call useModule() before initialize()");
  return "then" in given ? Promise.resolve(given) : given;
}

// The only platform where nothing may wait for another request.
const isolated = globalThis.navigator?.userAgent === "Cloudflare-Workers";

loadLater(PARTS);

const runtime = new Runtime(glue, load, { isolated, ...(globalThis.indexedDB && { Parking }) });

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "./query-exports.js";
