// Ids and sessions without queries, in Node, Deno and Bun: the module lies beside this file and is read at once.

import { glue } from "../gen/raven_edge_session.js";
import { connect } from "../lib/certificate.js";
import { read } from "../lib/disk.js";
import { Runtime } from "../lib/runtime.js";
import { StoreBase } from "../lib/store.js";

const load = () =>
  read(
    new URL("../gen/raven_edge_session_bg.wasm", import.meta.url),
    () => import("../gen/inline_session.js"),
  );

const runtime = new Runtime(glue, load, { connect });

export class DocumentStore extends runtime.of(StoreBase) {}

export * from "../lib/api.js";
