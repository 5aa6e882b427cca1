// Ids alone, in Node, Deno and Bun: the module lies beside this file and is read at once.

import { glue } from "../gen/raven_edge_hilo.js";
import { connect } from "../lib/certificate.js";
import { read } from "../lib/disk.js";
import { IdStore } from "../lib/ids.js";
import { Runtime } from "../lib/runtime.js";

const load = () =>
  read(new URL("../gen/raven_edge_hilo_bg.wasm", import.meta.url), () => import("../gen/inline_hilo.js"));

const runtime = new Runtime(glue, load, { connect });

export class HiLoStore extends runtime.of(IdStore) {}

export { version } from "../gen/version.js";
export { RavenEdgeError } from "../lib/error.js";
export { HiLo } from "../lib/hilo.js";
