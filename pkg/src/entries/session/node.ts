// `raven-edge/session` in Node, Deno and Bun.

import * as plural from "../../../gen/plural.js";
import * as live from "../../live/live.js";
import { bring } from "../../runtime/load-part.js";
import { addStubs } from "../../store/absent-members.js";
import { StoreBase } from "../../store/store.js";
import { PARTS } from "../parts/session-included.js";
import { runtimeWith } from "../runtimes/node.js";

addStubs();

bring({ ...PARTS, live, plural });

export class DocumentStore extends runtimeWith().of(StoreBase) {}

export default DocumentStore;

export * from "../session-exports.js";
