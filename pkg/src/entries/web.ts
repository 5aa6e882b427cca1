// `raven-edge` in browsers and their workers.

import * as live from "../live/loaded-later.js";
import { provide, provideLoaders } from "../runtime/load-part.js";
import { QueryStore } from "../store/query-store.js";
import { LIVE, SESSION } from "./parts/later.js";
import { EXTRAS, QUERIES } from "./parts/queries-later.js";
import { runtime } from "./runtimes/web.js";

provide({ liveCalls: live });
provideLoaders(SESSION, LIVE, QUERIES, EXTRAS);

export class DocumentStore extends runtime.of(QueryStore) {}

export default DocumentStore;

export * from "./query-exports.js";
