// Vercel's edge runtime and its like: the module is compiled when the app is built, for nothing may be compiled later.

import { glue } from "./gen/raven_edge_worker.js";
import module from "./gen/raven_edge_worker_bg.wasm?module";
import { addStubs } from "./lib/absent.js";
import { bring, loadLater } from "./lib/later.js";
import { PARTS } from "./lib/parts/all.js";
import { StoreBase } from "./lib/query/store.js";
import { Runtime } from "./lib/runtime.js";

addStubs();

bring(PARTS);
// Its rules take a while to be read.
loadLater({ plural: () => import("./gen/plural.js") });

const runtime = new Runtime(glue, () => module, { isolated: true });

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "./lib/query/api.js";
