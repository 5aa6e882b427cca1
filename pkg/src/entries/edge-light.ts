// `raven-edge` in Vercel's edge runtime and its like.

import * as live from "../live/not-in-workers.js";
import { provide, provideLoaders } from "../runtime/load-part.js";
import { addStubs } from "../store/absent-members.js";
import { QueryStore } from "../store/query-store.js";
import { SESSION } from "./parts/later.js";
import { QUERIES } from "./parts/queries-included.js";
import { EXTRAS } from "./parts/queries-later.js";
import { runtime } from "./runtimes/edge-light.js";

addStubs();

provide(QUERIES, { liveCalls: live });
provideLoaders(SESSION, EXTRAS);

export class DocumentStore extends runtime.of(QueryStore) {}

export default DocumentStore;

export * from "./query-exports.js";
