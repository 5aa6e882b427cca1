// `raven-edge/session` in Node, Deno and Bun.

import * as plural from "../../../gen/plural.js";
import * as live from "../../live/live.js";
import { bring } from "../../runtime/load-part.js";
import { assertReachable } from "../../saving/assert-reachable.js";
import { addStubs } from "../../store/absent-members.js";
import { StoreBase } from "../../store/store.js";
import * as node from "../../stream/node-streams.js";
import * as sockets from "../../subscriptions/node-sockets.js";
import { CAPABILITIES } from "../parts/capabilities-included.js";
import { PARTS } from "../parts/session-included.js";
import { runtimeWith } from "../runtimes/node.js";

addStubs();

bring({ ...PARTS, ...CAPABILITIES, live, plural, sockets });

export class DocumentStore extends runtimeWith({ assertReachable, node }).of(StoreBase) {}

export default DocumentStore;

export * from "../session-exports.js";
