// Ids alone, in Cloudflare Workers: the module is part of the upload, compiled already. Nothing here is asynchronous, because no
// request may wait for a promise of another one.

import { glue } from "../gen/raven_edge_hilo_worker.js";
import module from "../gen/raven_edge_hilo_worker_bg.wasm";
import { IdStore } from "../lib/ids.js";
import { Runtime } from "../lib/runtime.js";

const runtime = new Runtime(glue, () => module, { isolated: true });

export class HiLoStore extends runtime.of(IdStore) {}

export { version } from "../gen/version.js";
export { RavenEdgeError } from "../lib/error.js";
export { HiLo } from "../lib/hilo.js";
