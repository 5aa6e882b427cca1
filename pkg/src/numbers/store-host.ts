// Makes the core of a store.

import { CoreStore } from "../core/core-store.js";
import type { Host } from "../wire/http-request.js";
import type { ConfiguredStore } from "./configured-store.js";
import type { NumberSource } from "./number-source.js";

export function coreOf(store: ConfiguredStore, source: NumberSource, host: Host): CoreStore {
  const { runtime, database, timeout } = store;
  const { identityPartsSeparator: separator, disableTopologyUpdates } = store.conventions;
  const { isolated } = runtime;
  const learnsNodes = !disableTopologyUpdates;
  const options = { database, separator, timeout, learnsNodes, isolated, source };
  const make = runtime.bound(() => new CoreStore(runtime.glue, host, options));
  return make();
}
