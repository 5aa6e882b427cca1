// Browsers and their workers: the module is fetched and compiled as it arrives.

import { Device } from "./device/device.js";
import * as glue from "./gen/raven_edge.js";
import { fetched } from "./lib/fetched.js";
import { Runtime } from "./lib/runtime.js";
import { StoreBase } from "./lib/store.js";

// In this form bundlers find the file and move it along.
const load = () =>
  fetched(new URL("./gen/raven_edge_bg.wasm", import.meta.url), () => import("./gen/inline.js"));

const runtime = new Runtime(glue, load, { device: (life) => new Device(life) });

export class DocumentStore extends StoreBase {
  constructor(urls, database, options) {
    super(runtime, urls, database, options);
  }
}

export * from "./lib/api.js";
