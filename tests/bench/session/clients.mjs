// The clients that are compared, opened as their users do: `open(fetch, kind)` returns `openSession()`, whose
// sessions store, save, load, query and detect changes.
import { HandStore } from "./by-hand.mjs";

const URL = "http://127.0.0.1:1";

/** A session of a client, with npm `ravendb`'s names. */
function session(store, kind) {
  const opened = store.openSession();
  return {
    store: (entity) => opened.store(entity),
    saveChanges: () => opened.saveChanges(),
    hasChanges: () => opened.advanced.hasChanges(),
    load: (ids) => opened.load(ids, kind.type),
    query: () => opened.query({ collection: "Orders", documentType: kind.type }).whereExists("freight").all(),
    close: () => opened.dispose(),
  };
}

function configure(conventions, kind) {
  conventions.disableTopologyUpdates = true;
  conventions.maxNumberOfRequestsPerSession = 1_000;
  if (kind.type) conventions.registerEntityType(kind.type, kind.type.name);
  conventions.findCollectionName = () => "Orders";
  conventions.findCollectionNameForObjectLiteral = () => "Orders";
}

export const clients = {
  "by hand": async (fetch, kind) => {
    const store = new HandStore(URL, { fetch, kind });
    return { openSession: () => store.openSession(), close() {} };
  },
  "raven-edge": async (fetch, kind) => {
    const { DocumentStore } = await import("../../../pkg/lib/entries/node.js");
    const store = new DocumentStore(URL, "bench", { fetch });
    configure(store.conventions, kind);
    store.initialize();
    await store.ready();
    return { openSession: () => session(store, kind), close: () => store.dispose() };
  },
  ravendb: async (fetch, kind) => {
    const { DocumentStore } = await import("ravendb");
    const store = new DocumentStore(URL, "bench");
    store.conventions.customFetch = fetch;
    configure(store.conventions, kind);
    store.initialize();
    return { openSession: () => session(store, kind), close: () => store.dispose() };
  },
};
