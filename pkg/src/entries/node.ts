// `raven-edge` in Node, Deno and Bun.

import * as plural from "../../gen/plural.js";
import * as live from "../live/live.js";
import { GroupByDocumentQuery } from "../query/group-by.js";
import { RawDocumentQuery } from "../query/raw-query.js";
import * as extras from "../query-extras/extras.js";
import { bring } from "../runtime/load-part.js";
import { assertReachable } from "../saving/assert-reachable.js";
import { addStubs, refuseAbsent } from "../store/absent-members.js";
import { StoreBase } from "../store/query-store.js";
import * as node from "../stream/node-streams.js";
import * as sockets from "../subscriptions/node-sockets.js";
import { CAPABILITIES } from "./parts/capabilities-included.js";
import { PARTS } from "./parts/included.js";
import { runtimeWith } from "./runtimes/node.js";

addStubs();
for (const Query of [RawDocumentQuery, GroupByDocumentQuery]) refuseAbsent(Query);

bring({ ...PARTS, ...CAPABILITIES, extras, live, plural, sockets });

export class DocumentStore extends runtimeWith({ assertReachable, node }).of(StoreBase) {}

export default DocumentStore;

export * from "./query-exports.js";
