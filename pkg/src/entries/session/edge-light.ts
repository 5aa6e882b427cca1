// `raven-edge/session` in Vercel's edge runtime and its like.

import * as live from "../../live/not-in-workers.js";
import { bring, loadLater } from "../../runtime/load-part.js";
import { addStubs } from "../../store/absent-members.js";
import { StoreBase } from "../../store/store.js";
import { PARTS } from "../parts/workers-later.js";
import { runtime } from "../runtimes/edge-light.js";

addStubs();

bring({ live });
loadLater({ ...PARTS, capabilities: () => import("../parts/capabilities-later.js") });

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "../session-exports.js";
