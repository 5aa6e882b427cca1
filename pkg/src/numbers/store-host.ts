// Makes the core of a store.

import type { CoreStore } from "../runtime/core.js";
import type { Host } from "../wire/http-request.js";
import type { ConfiguredStore } from "./configured-store.js";
import type { NumberSource } from "./number-source.js";

export function coreOf(store: ConfiguredStore, source: NumberSource, host: Host): CoreStore {
  const { runtime, database, timeout } = store;
  const { identityPartsSeparator, disableTopologyUpdates } = store.conventions;
  const { kind, detail, scoped } = source;
  const make = runtime.bound(
    () =>
      new runtime.glue.Store(
        host,
        database,
        identityPartsSeparator,
        timeout,
        !disableTopologyUpdates,
        runtime.isolated,
        kind,
        detail,
        scoped,
      ),
  );
  return make();
}
