// `raven-edge/session` in Cloudflare Workers.

import * as live from "../../live/not-in-workers.js";
import { provide, provideLoaders } from "../../runtime/load-part.js";
import { addStubs } from "../../store/absent-members.js";
import { StoreBase } from "../../store/store.js";
import { SESSION, SOCKETS } from "../parts/later.js";
import { runtime } from "../runtimes/workerd.js";

addStubs();

provide({ liveCalls: live });
provideLoaders(SESSION, SOCKETS);

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "../session-exports.js";
