// `raven-edge/complete`: everything in one piece, for service workers, where nothing can be loaded later.

import { provide } from "../runtime/load-part.js";
import { QueryStore } from "../store/query-store.js";
import { SESSION } from "./parts/included.js";
import { EXTRAS, QUERIES } from "./parts/queries-included.js";
import { runtime } from "./runtimes/web.js";

provide(SESSION, QUERIES, EXTRAS);

export class DocumentStore extends runtime.of(QueryStore) {}

export default DocumentStore;

export * from "./query-exports.js";
