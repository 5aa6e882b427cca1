// Browsers and their workers: the module is fetched and compiled as it arrives.

import { Parking } from "./device/parking.js";
import { glue } from "./gen/raven_edge.js";
import { fetched } from "./lib/fetched.js";
import { loadLater } from "./lib/later.js";
import { PARTS } from "./lib/parts/later.js";
import { StoreBase } from "./lib/query/store.js";
import { Runtime } from "./lib/runtime.js";

// In this form bundlers find the file and move it along.
const load = () =>
  fetched(new URL("./gen/raven_edge_bg.wasm", import.meta.url), () => import("./gen/inline.js"));

loadLater(PARTS);

const runtime = new Runtime(glue, load, { Parking });

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "./lib/query/api.js";
