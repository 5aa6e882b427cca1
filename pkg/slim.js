// The app brings the module: for whoever has an own way to load, cache or check it.

import { Device } from "./device/device.js";
import * as glue from "./gen/raven_edge.js";
import { fail } from "./lib/error.js";
import { Runtime } from "./lib/runtime.js";
import { StoreBase } from "./lib/store.js";

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
const device = globalThis.indexedDB && ((life) => new Device(life));

const runtime = new Runtime(glue, load, { isolated, device });

export class DocumentStore extends StoreBase {
  constructor(urls, database, options) {
    super(runtime, urls, database, options);
  }
}

export * from "./lib/api.js";
