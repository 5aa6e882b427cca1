// The module is part of the script: for hosting that serves no `.wasm`, and for single files. A third heavier than the file.

import { Parking } from "./device/parking.js";
import text from "./gen/inline.js";
import * as plural from "./gen/plural.js";
import { glue } from "./gen/raven_edge.js";
import { decoded } from "./lib/fetched.js";
import { bring } from "./lib/later.js";
import { PARTS } from "./lib/parts/all.js";
import { StoreBase } from "./lib/query/store.js";
import { Runtime } from "./lib/runtime.js";

// Not at once: pages must not be held up by it, and some engines refuse to.
const load = () => WebAssembly.compile(decoded(text));

bring({ ...PARTS, plural });

const runtime = new Runtime(glue, load, { Parking: globalThis.indexedDB && Parking });

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "./lib/query/api.js";
