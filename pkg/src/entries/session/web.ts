// `raven-edge/session` in browsers and their workers.

import * as live from "../../live/loaded-later.js";
import { provide, provideLoaders } from "../../runtime/load-part.js";
import { StoreBase } from "../../store/store.js";
import { LIVE, SESSION } from "../parts/later.js";
import { runtime } from "../runtimes/web.js";

provide({ liveCalls: live });
provideLoaders(SESSION, LIVE);

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "../session-exports.js";
