// Ids alone, in browsers and their workers: the module is fetched and compiled as it arrives.

import { Parking } from "../device/parking.js";
import { glue } from "../gen/raven_edge_hilo.js";
import { fetched } from "../lib/fetched.js";
import { IdStore } from "../lib/ids.js";
import { Runtime } from "../lib/runtime.js";

// In this form bundlers find the file and move it along.
const load = () =>
  fetched(new URL("../gen/raven_edge_hilo_bg.wasm", import.meta.url), () => import("../gen/inline_hilo.js"));

const runtime = new Runtime(glue, load, { Parking });

export class HiLoStore extends runtime.of(IdStore) {}

export { version } from "../gen/version.js";
export { RavenEdgeError } from "../lib/error.js";
export { HiLo } from "../lib/hilo.js";
