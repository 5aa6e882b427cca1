// Ids alone, in Vercel's edge runtime and its like: the module is compiled when the app is built, for nothing may be compiled later.

import { glue } from "../gen/raven_edge_hilo_worker.js";
import module from "../gen/raven_edge_hilo_worker_bg.wasm?module";
import { IdStore } from "../lib/ids.js";
import { Runtime } from "../lib/runtime.js";

const runtime = new Runtime(glue, () => module, { isolated: true });

export class HiLoStore extends runtime.of(IdStore) {}

export { version } from "../gen/version.js";
export { RavenEdgeError } from "../lib/error.js";
export { HiLo } from "../lib/hilo.js";
