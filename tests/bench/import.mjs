// CPU milliseconds of a fresh process: to import a client, and from there to its first id from a local server.
// usage: AUTHORITY_URL=… node tests/bench/import.mjs raven-edge|raven-edge/hilo|ravendb; prints one JSON line.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";

const CLIENTS = {
  "raven-edge": async () => {
    const { DocumentStore } = await import("../../pkg/lib/entries/node.js");
    return (url) => new DocumentStore(url, "bench").initialize();
  },
  "raven-edge/hilo": async () => {
    const { HiLoStore } = await import("../../pkg/lib/entries/hilo/node.js");
    return (url) => new HiLoStore(url, "bench").initialize();
  },
  ravendb: async () => {
    const { DocumentStore } = await import("ravendb");
    return (url) => {
      const store = new DocumentStore(url, "bench");
      store.conventions.findCollectionNameForObjectLiteral = () => "Orders";
      return store.initialize();
    };
  },
};

/** CPU milliseconds that this process has used, in all threads. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Creates the database by `node:http`: the first use of `fetch` costs time, which must count for the client that uses it. */
async function create() {
  const asked = request(`${process.env.AUTHORITY_URL}/admin/databases?name=bench&replicationFactor=1`, {
    method: "PUT",
  });
  asked.end(JSON.stringify({ DatabaseName: "bench" }));
  const [response] = await once(asked, "response");
  await once(response.resume(), "end");
}

await create();
const begun = cpu();
const open = await CLIENTS[process.argv[2]]();
const imported = cpu();
const store = open(process.env.AUTHORITY_URL);
const id = await (store.hilo ? store.hilo("orders").next() : idOfPeer(store));
const there = cpu();
assert.match(id, /^orders\/\d+-A$/);
console.log(JSON.stringify({ import: imported - begun, id: there - imported }));
process.exit(0);

/** The id that a session's `store` gives a new document. */
async function idOfPeer(store) {
  const order = {};
  await store.openSession().store(order);
  return order.id;
}
