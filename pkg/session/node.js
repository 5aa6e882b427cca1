// Ids and sessions without queries, in Node, Deno and Bun: the module lies beside this file and is read at once.

import * as plural from "../gen/plural.js";
import { glue } from "../gen/raven_edge_session.js";
import { addStubs } from "../lib/absent.js";
import { connect } from "../lib/certificate.js";
import { read } from "../lib/disk.js";
import { bring } from "../lib/later.js";
import { PARTS } from "../lib/parts/session.js";
import { Runtime } from "../lib/runtime.js";
import { StoreBase } from "../lib/store.js";

const load = () =>
  read(
    new URL("../gen/raven_edge_session_bg.wasm", import.meta.url),
    () => import("../gen/inline_session.js"),
  );

addStubs();

bring({ ...PARTS, plural });

const runtime = new Runtime(glue, load, { connect });

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "../lib/api.js";
