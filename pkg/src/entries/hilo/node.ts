// Ids alone, in Node, Deno and Bun.

import * as sources from "../../core/other-sources.js";
import { IdStore } from "../../numbers/id-store.js";
import { provide } from "../../runtime/load-part.js";
import { runtimeWith } from "../runtimes/node.js";

provide({ sources });

export class HiLoStore extends runtimeWith({}, "hilo").of(IdStore) {}

export { RavenEdgeError } from "../../common/error.js";
export { version } from "../../common/version.js";
export { HiLo } from "../../numbers/hilo.js";
