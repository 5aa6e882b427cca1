// `raven-edge` in Node, Deno and Bun.

import { GroupByDocumentQuery } from "../query/document-query.js";
import { RawDocumentQuery } from "../query/raw-query.js";
import { provide } from "../runtime/load-part.js";
import { assertReachable } from "../saving/assert-reachable.js";
import { addStubs, refuseAbsent } from "../store/absent-members.js";
import { QueryStore } from "../store/query-store.js";
import * as node from "../stream/node-streams.js";
import * as sockets from "../subscriptions/node-sockets.js";
import { SESSION } from "./parts/included.js";
import { EXTRAS, QUERIES } from "./parts/queries-included.js";
import { runtimeWith } from "./runtimes/node.js";

addStubs();
for (const Query of [RawDocumentQuery, GroupByDocumentQuery]) refuseAbsent(Query);

provide(SESSION, QUERIES, EXTRAS, { sockets });

export class DocumentStore extends runtimeWith({ assertReachable, node }).of(QueryStore) {}

export default DocumentStore;

export * from "./query-exports.js";
