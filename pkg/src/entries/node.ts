// `raven-edge` in Node, Deno and Bun.

import * as plural from "../../gen/plural.js";
import * as live from "../live/live.js";
import { refuseAbsent } from "../query/absent-methods.js";
import { GroupByDocumentQuery } from "../query/group-by-query.js";
import { RawDocumentQuery } from "../query/raw-query.js";
import { bring } from "../runtime/load-part.js";
import { addStubs } from "../store/absent-members.js";
import { StoreBase } from "../store/query-store.js";
import * as node from "../stream/node-streams.js";
import { PARTS } from "./parts/included.js";
import { runtimeWith } from "./runtimes/node.js";

addStubs();
for (const Query of [RawDocumentQuery, GroupByDocumentQuery]) refuseAbsent(Query);

bring({ ...PARTS, live, plural });

export class DocumentStore extends runtimeWith(node).of(StoreBase) {}

export default DocumentStore;

export * from "./query-exports.js";
