// A server that is down: who reads is told once each node was tried, who waits for an id keeps the time limit.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GetDocumentsCommand, GetStatisticsOperation, PutDocumentCommand } from "../../pkg/node.js";
import { liar } from "../support/liar.mjs";
import { proxy } from "../support/proxy.mjs";
import { database, missing, onServers, order, ravendb, send } from "../support/server.mjs";
import { events, failure, open } from "../support/store.mjs";

/** Milliseconds on loopback within which an error has come; with repetitions it would take the store's 15 s. */
const SOON = 200;

const READS = {
  "a load": (session) => session.load("orders/1-A"),
  "a load of several documents": (session) => session.load(["orders/1-A", "orders/2-A"]),
  "a query": (session) => session.query({ collection: "Orders" }).all(),
  "a lazy batch": async (session) => {
    const one = session.advanced.lazily.load("orders/1-A");
    await session.advanced.eagerly.executeAllPendingLazyOperations();
    return one.getValue();
  },
  "a stream": async (session) => {
    for await (const found of await session.advanced.stream("orders/")) return found;
  },
  "a stream that is gone through at once": async (session) => {
    for await (const found of session.advanced.stream("orders/")) return found;
  },
  exists: (session) => session.advanced.exists("orders/1-A"),
  "a command that reads": (_session, store) =>
    store.getRequestExecutor().execute(new GetDocumentsCommand({ id: "orders/1-A" })),
  "a command that writes": (_session, store) =>
    store.getRequestExecutor().execute(new PutDocumentCommand("orders/1-A", null, {})),
  "an operation": (_session, store) => store.maintenance.send(new GetStatisticsOperation()),
};

for (const [what, read] of Object.entries(READS)) {
  onServers(`${what} against a dead server ends at once, with npm's name`, async (t, server) => {
    const wire = await proxy(t, server.url);
    const store = open(t, wire.url, await database(t, server));
    await store.openSession().load("none");
    await wire.off();
    const started = performance.now();
    const error = await failure(read(store.openSession(), store));
    const took = performance.now() - started;
    assert.deepEqual([error.code, error.name], ["Unreachable", "AllTopologyNodesDownException"]);
    assert.ok(error.message.includes(wire.url), error.message);
    assert.ok(took < SOON, `${took} ms`);
  });
}

onServers("a read is tried on each node, each once", async (t, server) => {
  const wires = [await proxy(t, server.url), await proxy(t, server.url), await proxy(t, server.url)];
  const name = await database(t, server);
  await send(server.url, "PUT", `/databases/${name}/docs?id=orders/1`, order({ n: 1 }));
  const urls = wires.map(({ url }) => url);
  for (const wire of wires.slice(0, 2)) await wire.off();
  const store = open(t, urls, name);
  const failed = events(store, "failedRequest");
  assert.equal((await store.openSession().load("orders/1")).n, 1);
  await wires[2].off();
  await failure(store.openSession().load("orders/1"));
  const nodes = failed.seen.map(({ url }) => urls.indexOf(new URL(url).origin));
  assert.deepEqual(nodes, [0, 1, 2, 0, 1], "the node that answered is asked first");
});

onServers("an outage that a proxy tells of ends a load at once, with its status", async (t, server) => {
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, await database(t, server));
  for (const status of [429, 502, 503, 504]) {
    wire.rule = () => ({ status, body: "<html>later</html>" });
    const before = wire.requests.length;
    const error = await failure(store.openSession().load("orders/1-A"));
    assert.deepEqual([error.code, error.status, wire.requests.length - before], ["Server", status, 1]);
  }
});

onServers("who stores waits for an id while the server is down", async (t, server) => {
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, await database(t, server), { timeout: 10_000 });
  await store.openSession().load("none");
  await wire.off();
  const tried = events(store, "failedRequest");
  const entity = order();
  const stored = store.openSession().store(entity);
  for (let round = 0; round < 3; round++) await tried.next();
  await wire.on();
  await stored;
  assert.match(entity.id, /^orders\/1-/);
});

test("the exceptions that npm `ravendb` knows keep their names, others do not", async (t) => {
  const NAMES = {
    "System.TimeoutException": "TimeoutException",
    "System.ArgumentException": "RavenException",
    "Raven.Client.Exceptions.Documents.Indexes.IndexDoesNotExistException": "IndexDoesNotExistException",
  };
  for (const [Type, name] of Object.entries(NAMES)) {
    const server = await liar(t, () => ({ status: 408, body: JSON.stringify({ Type, Message: "no" }) }));
    const error = await failure(open(t, server.url, "db").openSession().load("orders/1"));
    assert.deepEqual([error.code, error.name, error.type], ["Server", name, Type]);
  }
});

test("a database that does not exist has one name for every request", {
  skip: missing(ravendb),
}, async (t) => {
  const store = open(t, ravendb.url, "does-not-exist");
  for (const [what, read] of Object.entries(READS)) {
    const error = await failure(read(store.openSession(), store));
    assert.equal(error.name, "DatabaseDoesNotExistException", what);
  }
});
