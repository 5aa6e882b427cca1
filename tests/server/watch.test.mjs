// Results that follow changes: what is shown in the end is what the server has.
import assert from "node:assert/strict";
import { test } from "node:test";
import WebSocket from "ws";
import { isChanges, proxy } from "../support/proxy.mjs";
import { database, onRavenDb, putDocument, send } from "../support/server.mjs";
import { DocumentStore, open, until } from "../support/store.mjs";

const order = (fields) => ({ ...fields, "@metadata": { "@collection": "Orders" } });
const isQuery = ({ path }) => path.endsWith("/queries");

async function live(t, server, options) {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  return { name, wire, store: open(t, wire.url, name, { webSocket: WebSocket, ...options }) };
}

/** Records the calls of a callback: `[results, state]`. */
function recorder() {
  const calls = [];
  const callback = (...call) => calls.push(call);
  return {
    calls,
    callback,
    /** Waits until the last call satisfies a condition. */
    until: (holds, what) => until(() => calls.length > 0 && holds(...calls.at(-1)), what),
  };
}

onRavenDb("a document is shown at once, and again when it was changed or deleted", async (t, server) => {
  const { name, store } = await live(t, server);
  await putDocument(server, name, "orders/1-A", order({ total: 1 }));
  const seen = recorder();
  const stop = store.watch("orders/1-A", seen.callback);
  await seen.until((shown, { connected }) => shown?.total === 1 && connected, "the document");
  await putDocument(server, name, "orders/1-A", order({ total: 2 }));
  await seen.until((shown) => shown?.total === 2, "the change");
  await send(server.url, "DELETE", `/databases/${name}/docs?id=orders/1-A`);
  await seen.until((shown) => shown === null, "the deletion");
  stop();
});

onRavenDb("several documents are shown by their ids", async (t, server) => {
  const { name, store } = await live(t, server);
  await putDocument(server, name, "orders/1-A", order({ total: 1 }));
  const seen = recorder();
  store.watch(["orders/1-A", "orders/2-A"], seen.callback);
  await seen.until((shown, { connected }) => shown && connected, "the documents");
  assert.deepEqual([seen.calls[0][0]["orders/1-A"].total, seen.calls[0][0]["orders/2-A"]], [1, null]);
  await putDocument(server, name, "orders/2-A", order({ total: 2 }));
  await seen.until((shown) => shown["orders/2-A"]?.total === 2, "the new one");
});

for (const [what, query, options] of [
  ["a collection", { collection: "Orders" }],
  ["a dynamic query", (session) => session.query({ collection: "Orders" }).whereGreaterThan("total", 0)],
  ["an index", (session) => session.query({ indexName: "Orders/ByTotal" }).whereGreaterThan("total", 0)],
  [
    "RQL that names its collections",
    (session) => session.advanced.rawQuery("from Orders where total > 0"),
    { collections: ["Orders"] },
  ],
])
  onRavenDb(`the results of ${what} follow saves, until they are not stale`, async (t, server) => {
    const { name, store } = await live(t, server);
    const Maps = ["from o in docs.Orders select new { o.total }"];
    const Indexes = [{ Name: "Orders/ByTotal", Maps, Type: "Map" }];
    await send(server.url, "PUT", `/databases/${name}/admin/indexes`, { Indexes });
    const seen = recorder();
    store.watch(query, seen.callback, { every: 50, ...options });
    for (let count = 1; count <= 3; count++) {
      await putDocument(server, name, `orders/${count}-A`, order({ total: count }));
      await seen.until((shown, { stale }) => shown?.length === count && !stale, `${count} orders`);
    }
  });

const NAMES = {
  queries: {
    open: { query: "from 'Orders' where open = true", wait: 30_000 },
    byIndex: { query: "from index 'Orders/ByTotal' where total > 0", wait: 30_000 },
    declared: { query: "from index 'Orders/ByTotal' where total > 0", wait: 30_000, collections: ["Orders"] },
  },
};

for (const named of ["open", "declared"])
  onRavenDb(
    `the results of the query by name "${named}" follow saves without an option`,
    async (t, server) => {
      const { name, store } = await live(t, server);
      const Maps = ["from o in docs.Orders select new { o.total }"];
      const Indexes = [{ Name: "Orders/ByTotal", Maps, Type: "Map" }];
      await send(server.url, "PUT", `/databases/${name}/admin/indexes`, { Indexes });
      store.named(NAMES);
      const seen = recorder();
      store.watch({ named }, seen.callback, { every: 50 });
      await seen.until((shown, { connected }) => shown?.length === 0 && connected, "an empty list");
      await putDocument(server, name, "orders/1-A", order({ total: 1, open: true }));
      await seen.until((shown) => shown.length === 1, "the order");
    },
  );

onRavenDb(
  "a query by name that does not say what it reads is reported, and not as connected",
  async (t, server) => {
    const { name, store } = await live(t, server);
    const Maps = ["from o in docs.Orders select new { o.total }"];
    const Indexes = [{ Name: "Orders/ByTotal", Maps, Type: "Map" }];
    await send(server.url, "PUT", `/databases/${name}/admin/indexes`, { Indexes });
    await putDocument(server, name, "orders/1-A", order({ total: 1 }));
    store.named(NAMES);
    const error = t.mock.method(console, "error", () => {});
    await store.changes().ensureConnectedNow();
    const seen = recorder();
    store.watch({ named: "byIndex" }, seen.callback, { every: 50 });
    await seen.until((shown) => shown?.length === 1, "the order");
    assert.equal(seen.calls.at(-1)[1].connected, false);
    assert.deepEqual(
      error.mock.calls.map(({ arguments: [text, what] }) => [/`collections`/.test(text), what]),
      [[true, { named: "byIndex" }]],
    );
  },
);

onRavenDb("many changes are read together, at most once per `every`", async (t, server) => {
  const { name, store, wire } = await live(t, server);
  const seen = recorder();
  store.watch({ collection: "Orders" }, seen.callback, { every: 1_000 });
  await seen.until((_, { connected }) => connected, "a connection");
  const began = performance.now();
  for (let count = 0; count < 50; count++)
    await putDocument(server, name, `orders/${count}`, order({ count }));
  await seen.until((shown) => shown.length === 50, "all orders");
  const seconds = (performance.now() - began) / 1_000;
  // The first one, one after the watch was confirmed, and then one in each second that has begun.
  const reads = wire.of(isQuery).length;
  assert.ok(reads <= seconds + 3, `${reads} reads in ${seconds} s`);
});

onRavenDb("after each of ten disconnects the newest list is shown", async (t, server) => {
  const { name, store, wire } = await live(t, server);
  const seen = recorder();
  store.watch({ collection: "Orders" }, seen.callback, { every: 50 });
  await seen.until((_, { connected }) => connected, "a connection");
  for (let count = 1; count <= 10; count++) {
    wire.cut();
    await putDocument(server, name, `orders/${count}`, order());
    await seen.until((shown, { connected }) => connected && shown.length === count, `list ${count}`);
  }
});

onRavenDb("results that are the same after a read are not shown again", async (t, server) => {
  const { name, store, wire } = await live(t, server);
  await putDocument(server, name, "orders/1-A", order({ total: 1 }));
  const seen = recorder();
  store.watch("orders/1-A", seen.callback, { every: 0, collections: ["Orders"] });
  await seen.until((_, { connected }) => connected, "a connection");
  await store.changes().forDocumentsInCollection("Orders").ensureSubscribedNow();
  const calls = seen.calls.length;
  const read = wire.next(({ path }) => path.endsWith("/docs"), { responded: true });
  await putDocument(server, name, "orders/2-A", order());
  await read;
  await putDocument(server, name, "orders/1-A", order({ total: 2 }));
  await seen.until((shown) => shown.total === 2, "the change");
  assert.equal(seen.calls.length, calls + 1);
});

onRavenDb("the state tells whether results may be old, and why", async (t, server) => {
  const { name, store, wire } = await live(t, server);
  await putDocument(server, name, "orders/1-A", order({ total: 1 }));
  const seen = recorder();
  store.watch("orders/1-A", seen.callback);
  await seen.until((shown, { connected, error }) => shown && connected && !error, "the document");
  await wire.off();
  await seen.until((_, { connected, error }) => !connected && error?.code === "Unreachable", "the outage");
  assert.equal(seen.calls.at(-1)[0].total, 1, "the last results stay");
  await putDocument(server, name, "orders/1-A", order({ total: 2 }));
  await wire.on();
  await seen.until(
    (shown, { connected, error }) => shown.total === 2 && connected && !error,
    "the end of it",
  );
});

onRavenDb("what changed before the first connection is shown, however late that is", async (t, server) => {
  const { name, store, wire } = await live(t, server, { timeout: 1_000 });
  wire.rule = (request) => (isChanges(request) ? "drop" : undefined);
  const seen = recorder();
  store.watch({ collection: "Orders" }, seen.callback, { every: 0 });
  await seen.until((shown) => shown?.length === 0, "an empty list");
  await putDocument(server, name, "orders/1-A", order());
  // The first waiting for a confirmation is over by then.
  await until(() => wire.of(isChanges).length >= 4, "four attempts to connect");
  wire.rule = undefined;
  await seen.until((shown, { connected }) => connected && shown.length === 1, "the order");
});

onRavenDb("a watch goes on after the app has disposed of changes()", async (t, server) => {
  const { name, store } = await live(t, server);
  const seen = recorder();
  store.watch({ collection: "Orders" }, seen.callback, { every: 0 });
  await seen.until((_, { connected }) => connected, "a connection");
  store.changes().dispose();
  await seen.until((_, { connected }) => !connected, "the disposal");
  await putDocument(server, name, "orders/1-A", order());
  await seen.until((shown, { connected }) => connected && shown.length === 1, "the order");
  const calls = seen.calls.length;
  await store.dispose();
  await putDocument(server, name, "orders/2-A", order());
  assert.ok(seen.calls.length <= calls + 1, "it ends with the store");
});

onRavenDb("a watch that has ended reads nothing and leaves no connection", async (t, server) => {
  const { name, store, wire } = await live(t, server);
  const end = new AbortController();
  const [first, second] = [recorder(), recorder()];
  const stop = store.watch({ collection: "Orders" }, first.callback);
  store.watch({ collection: "Orders" }, second.callback, { signal: end.signal });
  store.watch("orders/1-A", () => assert.fail("it has ended before"), { signal: AbortSignal.abort() });
  for (const seen of [first, second]) await seen.until((_, { connected }) => connected, "a connection");
  stop();
  end.abort();
  const closed = new Promise((resolve) => store.changes().on("connectionStatus", resolve));
  await putDocument(server, name, "orders/1-A", order());
  // A read that had begun before the end may arrive until then.
  const reads = wire.of(isQuery).length;
  await closed;
  await until(() => wire.webSockets.size === 0, "the end of the connection");
  assert.equal(wire.of(isQuery).length, reads);
  assert.equal(wire.of(isChanges).length, 1);
});

test("what cannot be watched is refused", (t) => {
  const store = new DocumentStore("http://127.0.0.1:1", "Shop", { webSocket: WebSocket }).initialize();
  t.after(() => store.dispose());
  const none = () => {};
  for (const call of [
    () => store.watch([], none),
    () => store.watch(5, none),
    () => store.watch({ colection: "Orders" }, none),
    () => store.watch("orders/1-A"),
    () => store.watch("orders/1-A", none, { evry: 5 }),
    () => store.watch("orders/1-A", none, { every: -1 }),
    () => store.watch((session) => session.advanced.rawQuery("from Orders"), none),
  ])
    assert.throws(call, { code: "InvalidArgument" });
});
