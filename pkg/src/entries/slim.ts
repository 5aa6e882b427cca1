// `raven-edge/slim`: the app supplies the WebAssembly module, which it loads, caches or checks itself.

import { glueOf } from "../../gen/raven_edge.js";
import { ifAllowed } from "../device/if-allowed.js";
import { Parking } from "../device/page-events-and-tabs.js";
import * as live from "../live/loaded-later.js";
import { compiledModule, givenModule } from "../runtime/given-module.js";
import { provide, provideLoaders } from "../runtime/load-part.js";
import { Runtime } from "../runtime/runtime.js";
import { SharedRuntime } from "../runtime/shared-runtime.js";
import { assertReachable } from "../saving/assert-reachable.js";
import { QueryStore } from "../store/query-store.js";
import { assertSendable } from "../wire/forbidden-ports.js";
import { LIVE, SESSION } from "./parts/later.js";
import { EXTRAS, QUERIES } from "./parts/queries-later.js";

// In Workers, a request must not wait for another request's promise.
const isolated = globalThis.navigator?.userAgent === "Cloudflare-Workers";

provide({ liveCalls: live });
provideLoaders(SESSION, LIVE, QUERIES, EXTRAS);

const runtime = isolated
  ? new Runtime(glueOf("given"), compiledModule)
  : new SharedRuntime(glueOf("given"), givenModule, {
      assertReachable,
      assertSendable,
      ...(ifAllowed(() => indexedDB) && { Parking }),
    });

export class DocumentStore extends runtime.of(QueryStore) {}

export default DocumentStore;

export { useModule } from "../runtime/given-module.js";
export * from "./query-exports.js";
