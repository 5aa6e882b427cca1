// `raven-edge/session` in Node, Deno and Bun.

import { provide } from "../../runtime/load-part.js";
import { assertReachable } from "../../saving/assert-reachable.js";
import { addStubs } from "../../store/absent-members.js";
import { StoreBase } from "../../store/store.js";
import * as node from "../../stream/node-streams.js";
import * as sockets from "../../subscriptions/node-sockets.js";
import { SESSION } from "../parts/included.js";
import { runtimeWith } from "../runtimes/node.js";

addStubs();

provide(SESSION, { sockets });

export class DocumentStore extends runtimeWith({ assertReachable, node }).of(StoreBase) {}

export default DocumentStore;

export * from "../session-exports.js";
