// Changes over a real connection: confirmations, one connection for all, refusals, disposal.
import assert from "node:assert/strict";
import { test } from "node:test";
import WebSocket from "ws";
import { isChanges, proxy } from "../support/proxy.mjs";
import { database, onRavenDb, putDocument, send } from "../support/server.mjs";
import { DocumentStore, failure, open, until, within } from "../support/store.mjs";

const ORDER = { "@metadata": { "@collection": "Orders" } };

/** A store with a database of its own, behind a proxy. */
async function live(t, server, options) {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  return { name, wire, store: open(t, wire.url, name, { webSocket: WebSocket, ...options }) };
}

/** The first value of an observable; of this type, if one is given. */
const first = (observable, type) =>
  within(
    30_000,
    new Promise((resolve) =>
      observable.on("data", (value) => (type ?? value.type) === value.type && resolve(value)),
    ),
    "a change",
  );

onRavenDb("what is saved after a confirmed watch is notified", async (t, server) => {
  const { name, store } = await live(t, server);
  const orders = store.changes().forDocumentsInCollection("orders");
  const change = first(orders);
  await orders.ensureSubscribedNow();
  await putDocument(server, name, "orders/1-A", ORDER);
  const { changeVector, ...others } = await change;
  assert.deepEqual(others, { type: "Put", id: "orders/1-A", collectionName: "Orders" });
  assert.match(changeVector, /^A:1-/);
});

onRavenDb("all listeners share one connection, which carries each watch once", async (t, server) => {
  const { wire, store } = await live(t, server);
  const changes = store.changes();
  assert.equal(store.changes(), changes);
  const observables = [
    changes.forDocument("orders/1-A"),
    changes.forDocument("ORDERS/1-a"),
    changes.forAllDocuments(),
    changes.forIndex("Orders/Open"),
    store.changes().forAllOperations(),
  ];
  for (const observable of observables) observable.on("data", () => {});
  await Promise.all(observables.map((observable) => observable.ensureSubscribedNow()));
  assert.equal(wire.of(isChanges).length, 1);
  assert.equal(wire.requests.length, 1, "no further request");
});

onRavenDb("a listener that was removed hears nothing, others go on", async (t, server) => {
  const { name, store } = await live(t, server);
  const orders = store.changes().forDocumentsStartingWith("orders/");
  const seen = [];
  const removed = () => seen.push("removed");
  orders.on("data", removed).on("data", ({ id }) => seen.push(id));
  await orders.ensureSubscribedNow();
  orders.off("data", removed);
  await putDocument(server, name, "Orders/7", ORDER);
  await until(() => seen.length > 0, "a change");
  assert.deepEqual(seen, ["Orders/7"]);
});

onRavenDb(
  "the connection is closed five seconds after nobody listens, and opened again",
  async (t, server) => {
    const { wire, store } = await live(t, server);
    const changes = store.changes();
    const listener = () => {};
    const documents = changes.forAllDocuments().on("data", listener);
    await documents.ensureSubscribedNow();
    documents.off("data", listener);
    await within(10_000, new Promise((resolve) => changes.on("connectionStatus", resolve)), "the end");
    assert.equal(changes.connected, false);
    await documents.on("data", listener).ensureSubscribedNow();
    assert.equal(wire.of(isChanges).length, 2);
  },
);

onRavenDb("an exception of a listener does not reach the others", async (t, server) => {
  const { name, store } = await live(t, server);
  const documents = store.changes().forAllDocuments();
  const uncaught = new Promise((resolve) => {
    const listeners = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.once("uncaughtException", (error) => {
      for (const each of listeners) process.on("uncaughtException", each);
      resolve(error);
    });
  });
  documents.on("data", () => {
    throw new Error("the app's");
  });
  const change = first(documents);
  await documents.ensureSubscribedNow();
  await putDocument(server, name, "orders/1-A", ORDER);
  assert.equal((await change).id, "orders/1-A");
  assert.equal((await uncaught).message, "the app's");
});

onRavenDb("a refusal gives RavenDB's reason, which a WebSocket does not tell", async (t, server) => {
  const store = open(t, server.url, "no-such-database", { webSocket: WebSocket });
  const changes = store.changes();
  const told = within(10_000, new Promise((resolve) => changes.on("error", resolve)), "an error");
  const error = await failure(changes.forAllDocuments().ensureSubscribedNow());
  assert.equal(error.name, "DatabaseDoesNotExistException");
  assert.equal((await told).code, "Unreachable");
});

onRavenDb(
  "dispose ends the connection and rejects who waits; the next changes() is another one",
  async (t, server) => {
    const { wire, store } = await live(t, server);
    wire.rule = (request) => (isChanges(request) ? "hole" : undefined);
    const changes = store.changes();
    const waiting = failure(changes.forAllDocuments().ensureSubscribedNow());
    await wire.next(isChanges);
    changes.dispose();
    assert.equal((await waiting).code, "Disposed");
    assert.equal((await failure(changes.ensureConnectedNow())).code, "Disposed");
    wire.rule = undefined;
    const next = store.changes();
    assert.notEqual(next, changes);
    await next.ensureConnectedNow();
    const status = new Promise((resolve) => next.on("connectionStatus", () => resolve(next.connected)));
    await store.dispose();
    assert.equal(await status, false);
    assert.throws(() => store.changes(), { code: "Disposed" });
  },
);

onRavenDb("headers of the app are sent with the connection", async (t, server) => {
  const { wire, store } = await live(t, server, { headers: () => ({ Authorization: "Bearer x" }) });
  await store.changes().ensureConnectedNow();
  assert.equal(wire.of(isChanges)[0].headers.authorization, "Bearer x");
});

onRavenDb("a node can be chosen by its tag; one that the database lacks is refused", async (t, server) => {
  const name = await database(t, server);
  const store = open(t, server.url, name, { webSocket: WebSocket });
  await store.changes(name, "A").ensureConnectedNow();
  const error = await failure(store.changes(name, "Z").ensureConnectedNow());
  assert.equal(error.code, "InvalidArgument");
  assert.match(error.message, /"Z"/);
});

onRavenDb("operations, indexes, counters and time series are notified", async (t, server) => {
  const { name, store } = await live(t, server);
  const base = `/databases/${name}`;
  await putDocument(server, name, "orders/1-A", ORDER);
  const changes = store.changes();
  const observables = [
    [changes.forAllOperations()],
    // The index may have indexed before RavenDB notifies that it was added.
    [changes.forIndex("orders/all"), "IndexAdded"],
    [changes.forCounterOfDocument("Orders/1-A", "Likes")],
    [changes.forTimeSeriesOfDocument("orders/1-A", "Heart")],
  ];
  const seen = Promise.all(observables.map(([observable, type]) => first(observable, type)));
  await Promise.all(observables.map(([observable]) => observable.ensureSubscribedNow()));
  await send(server.url, "PATCH", `${base}/queries`, {
    Query: { Query: "from Orders update { this.x = 1 }" },
  });
  const Maps = ["from o in docs.Orders select new { o.x }"];
  await send(server.url, "PUT", `${base}/admin/indexes`, {
    Indexes: [{ Name: "Orders/All", Maps, Type: "Map" }],
  });
  const Operations = [{ Type: "Increment", CounterName: "likes", Delta: 2 }];
  await send(server.url, "POST", `${base}/counters`, {
    Documents: [{ DocumentId: "orders/1-A", Operations }],
  });
  const Appends = [{ Timestamp: "2024-01-01T00:00:00.0000000Z", Values: [70] }];
  await send(server.url, "POST", `${base}/timeseries?docId=orders/1-A`, {
    Name: "heart",
    Appends,
    Deletes: [],
  });
  const [operation, index, counter, series] = await seen;
  assert.equal(operation.state.status, "InProgress");
  assert.deepEqual(index, { name: "Orders/All", type: "IndexAdded" });
  assert.equal(counter.value, 2);
  assert.deepEqual(series.from, new Date("2024-01-01T00:00:00Z"));
});

test("without a WebSocket the error names the option", (t) => {
  const { WebSocket: own } = globalThis;
  globalThis.WebSocket = undefined;
  t.after(() => {
    globalThis.WebSocket = own;
  });
  const store = new DocumentStore("http://127.0.0.1:1", "Shop").initialize();
  assert.throws(() => store.changes(), { code: "Unsupported", message: /webSocket/ });
});

test("empty names are refused, and events that do not exist", () => {
  const store = new DocumentStore("http://127.0.0.1:1", "Shop", { webSocket: WebSocket }).initialize();
  const changes = store.changes();
  for (const call of [
    () => changes.forDocument(""),
    () => changes.forDocument(),
    () => changes.forDocumentsInCollection(" "),
    () => changes.forCounterOfDocument("orders/1-A", ""),
    () => changes.forAllDocuments().on("dta", () => {}),
    () => changes.on("connected", () => {}),
  ])
    assert.throws(call, { code: "InvalidArgument" });
});
