// An unreachable server: calls fail after one attempt per node (reads after two, if a connection broke); callers that wait for an id
// use their whole timeout.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  GetDocumentsCommand,
  GetStatisticsOperation,
  PutDocumentCommand,
} from "../../pkg/lib/entries/node.js";
import { proxy } from "../support/proxy.mjs";
import { scriptedServer } from "../support/scripted-server.mjs";
import { database, missing, onServers, order, ravendb, send } from "../support/server.mjs";
import { events, failure, open } from "../support/store.mjs";

/** In milliseconds. With retries a call would take the store's 15 s. */
const SOON = 2_000;

const CALLS = {
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

for (const [what, call] of Object.entries(CALLS)) {
  onServers(
    `${what} against an unreachable server fails at once, with the error name of npm ravendb`,
    async (t, server) => {
      const wire = await proxy(t, server.url);
      const store = open(t, wire.url, await database(t, server));
      await store.openSession().load("none");
      await wire.off();
      const failed = events(store, "failedRequest");
      const started = performance.now();
      const error = await failure(call(store.openSession(), store));
      const took = performance.now() - started;
      assert.deepEqual([error.code, error.name], ["Unreachable", "AllTopologyNodesDownException"]);
      assert.ok(error.message.includes(wire.url), error.message);
      assert.ok(took < SOON, `${took} ms`);
      assert.ok(failed.seen.length <= 2, `${failed.seen.length} attempts`);
    },
  );
}

onServers("a read is sent once to each node that refuses connections", async (t, server) => {
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
  assert.deepEqual(nodes, [0, 1, 2, 0, 1], "the node that responded is used first");
});

onServers("an outage that a proxy reports ends a load at once, with its status", async (t, server) => {
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, await database(t, server));
  for (const status of [429, 502, 503, 504]) {
    wire.rule = () => ({ status, body: "<html>later</html>" });
    const before = wire.requests.length;
    const error = await failure(store.openSession().load("orders/1-A"));
    assert.deepEqual([error.code, error.status, wire.requests.length - before], ["Server", status, 1]);
  }
});

onServers("store waits for an id while the server is unreachable", async (t, server) => {
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

test("errors have the names of npm `ravendb`'s exceptions where it has them", async (t) => {
  const NAMES = {
    "System.TimeoutException": "TimeoutException",
    "System.ArgumentException": "RavenException",
    "Raven.Client.Exceptions.Documents.Indexes.IndexDoesNotExistException": "IndexDoesNotExistException",
  };
  for (const [Type, name] of Object.entries(NAMES)) {
    const server = await scriptedServer(t, () => ({
      status: 408,
      body: JSON.stringify({ Type, Message: "no" }),
    }));
    const error = await failure(open(t, server.url, "db").openSession().load("orders/1"));
    assert.deepEqual([error.code, error.name, error.type], ["Server", name, Type]);
  }
});

test("a missing database causes the same error name for every request", {
  skip: missing(ravendb),
}, async (t) => {
  const store = open(t, ravendb.url, "does-not-exist");
  for (const [what, call] of Object.entries(CALLS)) {
    const error = await failure(call(store.openSession(), store));
    assert.equal(error.name, "DatabaseDoesNotExistException", what);
  }
});
