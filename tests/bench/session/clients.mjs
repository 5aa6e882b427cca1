// The clients that are compared, each as its users open it.
import { DocumentStore as Edge } from "../../../pkg/node.js";
import { DocumentStore as Plain } from "./plain.mjs";

const URL = "http://127.0.0.1:1";

export const clients = {
  "by hand": (fetch) => new Plain(URL, "bench", { fetch }).initialize(),
  "raven-edge": (fetch) => {
    const store = new Edge(URL, "bench", { fetch });
    store.conventions.disableTopologyUpdates = true;
    store.conventions.maxNumberOfRequestsPerSession = 1_000;
    return store.initialize();
  },
  ravendb: async (fetch) => {
    const { DocumentStore } = await import("ravendb");
    const store = new DocumentStore(URL, "bench");
    store.conventions.customFetch = fetch;
    store.conventions.disableTopologyUpdates = true;
    store.conventions.maxNumberOfRequestsPerSession = 1_000;
    store.conventions.findCollectionNameForObjectLiteral = () => "Orders";
    return store.initialize();
  },
};
