// Ids alone, in Node, Deno and Bun.

import { IdStore } from "../../numbers/id-store.js";
import { runtimeWith } from "../runtimes/node.js";

export class HiLoStore extends runtimeWith({}, "hilo").of(IdStore) {}

export { RavenEdgeError } from "../../common/error.js";
export { version } from "../../common/version.js";
export { HiLo } from "../../numbers/hilo.js";
