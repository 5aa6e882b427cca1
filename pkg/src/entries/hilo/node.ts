// Ids alone, in Node, Deno and Bun.

import { IdStore } from "../../numbers/id-store.js";
import { read } from "../../runtime/read-module.js";
import { runtimeWith } from "../runtimes/node.js";

const load = () =>
  read(
    new URL("../../../gen/raven_edge_whole_bg.wasm", import.meta.url),
    () => import("../../../gen/inline.js"),
  );

export class HiLoStore extends runtimeWith(load, undefined, "hilo").of(IdStore) {}

export { RavenEdgeError } from "../../common/error.js";
export { version } from "../../common/version.js";
export { HiLo } from "../../numbers/hilo.js";
