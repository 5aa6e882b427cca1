// Ids and sessions without queries, in Cloudflare Workers: the module is part of the upload, compiled already. Nothing here is asynchronous, because no
// request may wait for a promise of another one.

import { glue } from "../gen/raven_edge_session_worker.js";
import module from "../gen/raven_edge_session_worker_bg.wasm";
import { addStubs } from "../lib/absent.js";
import { bring, loadLater } from "../lib/later.js";
import { PARTS } from "../lib/parts/session.js";
import { Runtime } from "../lib/runtime.js";
import { StoreBase } from "../lib/store.js";

addStubs();

bring(PARTS);
// Its rules take a while to be read.
loadLater({ plural: () => import("../gen/plural.js") });

const runtime = new Runtime(glue, () => module, { isolated: true });

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "../lib/api.js";
