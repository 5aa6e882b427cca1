// The module is part of the script: for hosting that serves no `.wasm`, and for single files. A third heavier than the file.

import unpacked from "../../gen/inline.js";
import { glueOf } from "../../gen/raven_edge.js";
import { ifAllowed } from "../device/if-allowed.js";
import { Parking } from "../device/page-events-and-tabs.js";
import { provide } from "../runtime/load-part.js";
import { SharedRuntime } from "../runtime/shared-runtime.js";
import { assertReachable } from "../saving/assert-reachable.js";
import { QueryStore } from "../store/query-store.js";
import { assertSendable } from "../wire/forbidden-ports.js";
import { SESSION } from "./parts/included.js";
import { EXTRAS, QUERIES } from "./parts/queries-included.js";

// Not at once: pages must not be held up by it, and some engines refuse to.
const load = async () => WebAssembly.compile(await unpacked());

provide(SESSION, QUERIES, EXTRAS);

const runtime = new SharedRuntime(glueOf("whole"), load, {
  assertReachable,
  assertSendable,
  ...(ifAllowed(() => indexedDB) && { Parking }),
});

export class DocumentStore extends runtime.of(QueryStore) {}

export default DocumentStore;

export * from "./query-exports.js";
