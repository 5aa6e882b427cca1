// `raven-edge` in browsers and their workers.

import * as live from "../live/loaded-later.js";
import { bring, loadLater } from "../runtime/load-part.js";
import { StoreBase } from "../store/query-store.js";
import { PARTS } from "./parts/later.js";
import { runtime } from "./runtimes/web.js";

bring({ live });
loadLater(PARTS);

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "./query-exports.js";
