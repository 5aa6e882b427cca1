// Makes the core of a store, and the host that the core calls for requests.

import type { CoreStore } from "../runtime/core.js";
import { Host, type HostStore } from "../wire/http-request.js";
import type { SendRequest } from "../wire/transport.js";
import type { ConfiguredStore } from "./configured-store.js";
import type { NumberSource } from "./number-source.js";

/** What a store adds to its configuration. */
type Callbacks = Pick<
  HostStore,
  "cache" | "settings" | "page" | "refresh" | "incarnationChanged" | "move" | "nodes"
>;

export function hostOf(
  store: ConfiguredStore,
  source: NumberSource,
  fetch: SendRequest | undefined,
  callbacks: Callbacks,
): Host {
  const { headers, fetch: ownFetch } = store.options;
  return new Host({
    ...callbacks,
    own: source.call,
    database: store.database,
    headers,
    fetch,
    ownFetch,
    isolated: store.runtime.isolated,
    emit: (event, detail) => store.emitLater(event, detail),
    topology: !store.conventions.disableTopologyUpdates,
  });
}

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
