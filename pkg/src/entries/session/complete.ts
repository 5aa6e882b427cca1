// `raven-edge/session/complete`: all of sessions in one piece, for service workers, where nothing can be loaded later.

import { provide } from "../../runtime/load-part.js";
import { StoreBase } from "../../store/store.js";
import { SESSION } from "../parts/included.js";
import { runtime } from "../runtimes/web.js";

provide(SESSION);

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "../session-exports.js";
