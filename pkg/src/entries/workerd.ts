// `raven-edge` in Cloudflare Workers.

import * as live from "../live/not-in-workers.js";
import { bring, loadLater } from "../runtime/load-part.js";
import { addStubs } from "../store/absent-members.js";
import { StoreBase } from "../store/query-store.js";
import { CAPABILITIES } from "./parts/capabilities-later.js";
import { PARTS } from "./parts/included.js";
import { EXTRAS } from "./parts/query-extras-later.js";
import { runtime } from "./runtimes/workerd.js";

addStubs();

bring({ ...PARTS, live });
loadLater({
  ...CAPABILITIES,
  ...EXTRAS,
  // The rules of plurals take a while to be read.
  plural: () => import("../../gen/plural.js"),
  sockets: () => import("../subscriptions/worker-sockets.js"),
});

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "./query-exports.js";
