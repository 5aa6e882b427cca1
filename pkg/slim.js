// The app brings the module: for whoever has an own way to load, cache or check it.

import { Parking } from "./device/parking.js";
import { glue } from "./gen/raven_edge.js";
import { fail } from "./lib/error.js";
import { loadLater } from "./lib/later.js";
import { PARTS } from "./lib/parts/later.js";
import { StoreBase } from "./lib/query/store.js";
import { Runtime } from "./lib/runtime.js";

let given;

/** Says which module to use, before the first store is initialised: compiled, its bytes, or a promise of one of them. */
export function useModule(module) {
  given = module;
}

function load() {
  if (given === undefined) fail("InvalidOperation", "call useModule() before initialize()");
  return typeof given.then === "function" ? Promise.resolve(given) : given;
}

// The only platform where nothing may wait for another request.
const isolated = globalThis.navigator?.userAgent === "Cloudflare-Workers";

loadLater(PARTS);

const runtime = new Runtime(glue, load, { isolated, Parking: globalThis.indexedDB && Parking });

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "./lib/query/api.js";
