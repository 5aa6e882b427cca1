// Ids alone, in Node, Deno and Bun: the module lies beside this file and is read at once.

import { glue } from "../../../gen/raven_edge_hilo.js";
import { IdStore } from "../../numbers/id-store.js";
import type { Glue } from "../../runtime/core.js";
import { read } from "../../runtime/read-module.js";
import { Runtime } from "../../runtime/runtime.js";
import { connect } from "../../wire/client-certificate.js";

const load = () =>
  read(
    new URL("../../../gen/raven_edge_hilo_whole_bg.wasm", import.meta.url),
    () => import("../../../gen/inline_hilo.js"),
  );

// Border to generated code: the classes are those of a module without sessions, of which ids call nothing.
const runtime = new Runtime(glue as unknown as Glue, load, { connect });

export class HiLoStore extends runtime.of(IdStore) {}

export { RavenEdgeError } from "../../common/error.js";
export { version } from "../../common/version.js";
export { HiLo } from "../../numbers/hilo.js";
