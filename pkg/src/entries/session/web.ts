// `raven-edge/session` in browsers and their workers.

import * as live from "../../live/loaded-later.js";
import { bring, loadLater } from "../../runtime/load-part.js";
import { StoreBase } from "../../store/store.js";
import { PARTS } from "../parts/session-later.js";
import { runtime } from "../runtimes/web.js";

bring({ live });
loadLater(PARTS);

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "../session-exports.js";
