// `raven-edge/session` in Vercel's edge runtime and its like.

import * as live from "../../live/not-in-workers.js";
import { provide, provideLoaders } from "../../runtime/load-part.js";
import { addStubs } from "../../store/absent-members.js";
import { StoreBase } from "../../store/store.js";
import { SESSION } from "../parts/later.js";
import { runtime } from "../runtimes/edge-light.js";

addStubs();

provide({ liveCalls: live });
provideLoaders(SESSION);

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "../session-exports.js";
