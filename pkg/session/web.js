// Ids and sessions without queries, in browsers and their workers: the module is fetched and compiled as it arrives.

import { Parking } from "../device/parking.js";
import { glue } from "../gen/raven_edge_session.js";
import { fetched } from "../lib/fetched.js";
import { loadLater } from "../lib/later.js";
import { PARTS } from "../lib/parts/session-later.js";
import { Runtime } from "../lib/runtime.js";
import { StoreBase } from "../lib/store.js";

// In this form bundlers find the file and move it along.
const load = () =>
  fetched(
    new URL("../gen/raven_edge_session_bg.wasm", import.meta.url),
    () => import("../gen/inline_session.js"),
  );

loadLater(PARTS);

const runtime = new Runtime(glue, load, { Parking });

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "../lib/api.js";
