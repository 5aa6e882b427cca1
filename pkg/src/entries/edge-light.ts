// `raven-edge` in Vercel's edge runtime and its like.

import * as live from "../live/not-in-workers.js";
import { bring, loadLater } from "../runtime/load-part.js";
import { addStubs } from "../store/absent-members.js";
import { StoreBase } from "../store/query-store.js";
import { PARTS } from "./parts/queries-included.js";
import { PARTS as LATER } from "./parts/workers-later.js";
import { runtime } from "./runtimes/edge-light.js";

addStubs();

bring({ ...PARTS, live });
loadLater({
  ...LATER,
  capabilities: () => import("./parts/queries-later.js"),
  named: () => import("../named/named-calls.js"),
});

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "./query-exports.js";
