// `store.changes()`: which changes are notified, in which order, confirmations, disposal.
import type { DocumentStore } from "client";
import { area, outcome, type Server, settled, until, type Watched, within } from "./harness.js";

class Product {
  id?: string;
  constructor(public name = "") {}
}

/** npm `ravendb` looks for the node "undefined" when it does not know the topology. */
const nodes = (conventions: DocumentStore["conventions"]) => {
  conventions.disableTopologyUpdates = false;
};

type Changes = ReturnType<DocumentStore["changes"]>;

/**
 * Listens to all; the function waits until so many changes were notified, and gives them without what differs from run to run. `type`:
 * of these alone.
 */
async function listen(observables: Record<string, unknown>, type?: string) {
  const seen: unknown[] = [];
  let check = () => {};
  for (const [name, observable] of Object.entries(observables)) {
    const listened = observable as Watched;
    listened.on("data", (value) => {
      const { changeVector, ...others } = value as { changeVector?: string; type?: string };
      if (type && others.type !== type) return;
      seen.push([name, others, typeof changeVector]);
      check();
    });
    await listened.ensureSubscribedNow();
  }
  return async (count: number) => {
    const all = new Promise<void>((resolve) => {
      check = () => seen.length >= count && resolve();
      check();
    });
    await within(60_000, all);
    return seen.splice(0);
  };
}

const patch = (server: Server, text: string) => server.send("PATCH", "/queries", { Query: { Query: text } });

export default area({
  documents: async ({ open, observe, server }) => {
    const changes = open(nodes).changes();
    const next = await listen({
      one: changes.forDocument("products/1"),
      prefix: changes.forDocumentsStartingWith("products/"),
      collection: changes.forDocumentsInCollection("Products"),
      byClass: changes.forDocumentsInCollection(Product),
      all: changes.forAllDocuments(),
    });
    await server.put("products/1", { name: "a" }, "Products");
    observe("saved", await next(5));
    await server.put("products/1", { name: "b" }, "Products");
    observe("saved again", await next(5));
    await server.put("PRODUCTS/2", { name: "a" }, "Products");
    observe("another one, in other letter case", await next(4));
    await server.put("others/1", { name: "a" }, "Others");
    observe("of another collection", await next(1));
    await server.delete("products/1");
    observe("deleted", await next(5));
  },

  listeners: async ({ open, observe, better, server }) => {
    const changes = open(nodes).changes();
    const seen: string[] = [];
    const first = () => void seen.push("first");
    const second = () => void seen.push("second");
    const documents = changes.forAllDocuments();
    observe("on gives the observable", documents.on("data", first) === documents);
    documents.on("data", second);
    const done = await listen({ done: changes.forDocument("l/done") });
    await documents.ensureSubscribedNow();
    await server.put("l/1", {}, "L");
    await until(() => seen.length === 2);
    documents.off("data", first);
    await server.put("l/done", {}, "L");
    await done(1);
    seen.push("off");
    documents.removeListener("data", second);
    await server.put("l/done", {}, "L");
    await done(1);
    observe("in the order of registration, until they are removed", seen.slice(0, 2).concat(seen.slice(-1)));
    const again: string[] = [];
    documents.on("data", ({ id }) => void again.push(id));
    // npm `ravendb` rejects.
    await outcome(() => documents.ensureSubscribedNow());
    const later = await listen({ done: changes.forDocument("l/2") });
    await server.put("l/2", {}, "L");
    await later(1);
    // npm `ravendb` ends the watch for good with the last listener.
    better("the same observable listens again", again.includes("l/2"), { ravendb: false, edge: true });
  },

  connection: async ({ open, observe, server }) => {
    const store = open(nodes);
    const changes = store.changes();
    observe("the same object", store.changes() === changes);
    observe("of the same database", store.changes(server.database) === changes);
    observe("ensureConnectedNow gives it", (await changes.ensureConnectedNow()) === changes);
    observe("connected", changes.connected);
    observe("no error", Reflect.get(changes, "lastConnectionStateException") ?? null);
    const ofNode = await store.changes(server.database, "A").ensureConnectedNow();
    observe("of one node", ofNode !== changes);
    for (const each of [changes, ofNode]) await settled(each as Changes);
  },

  disposal: async ({ open, observe }) => {
    const store = open(nodes);
    const changes: Changes = store.changes();
    await settled(changes);
    const documents = changes.forAllDocuments();
    documents.on("data", () => {});
    await documents.ensureSubscribedNow();
    let statuses = 0;
    changes.on("connectionStatus", () => {
      statuses++;
    });
    changes.dispose();
    observe("a status is emitted", statuses > 0);
    observe("ensureSubscribedNow rejects", await outcome(() => documents.ensureSubscribedNow()));
    const next = store.changes();
    observe("the next one is another object", next !== changes);
    await settled(next);
  },

  names: async ({ open, observe }) => {
    const changes = open(nodes).changes();
    await settled(changes);
    for (const [name, call] of Object.entries({
      document: () => changes.forDocument(""),
      blank: () => changes.forDocument(" "),
      prefix: () => changes.forDocumentsStartingWith(""),
      collection: () => changes.forDocumentsInCollection(""),
      index: () => changes.forIndex(""),
      counter: () => changes.forCounter(""),
      counterOf: () => changes.forCounterOfDocument("a/1", ""),
      countersOf: () => changes.forCountersOfDocument(""),
      series: () => changes.forTimeSeries(""),
      seriesOf: () => changes.forTimeSeriesOfDocument(""),
    }))
      observe(name, await outcome(call));
  },

  others: async ({ open, observe, fresh }) => {
    const server = await fresh();
    await server.put("orders/1", { total: 1 }, "Orders");
    const changes = open(nodes, { database: server.database }).changes();
    const operations = await listen({ all: changes.forAllOperations(), one: changes.forOperationId(1) });
    await patch(server, "from Orders update { this.total = 2 }");
    const states = (await operations(2)) as [string, { operationId: number; state: { status: string } }][];
    const [name, { operationId, state }] = states[0] as (typeof states)[0];
    observe("an operation", [name, operationId, Object.keys(state).sort()]);
    // The index may have indexed before the server notifies that it was added.
    const indexes = await listen(
      { one: changes.forIndex("orders/byTotal"), all: changes.forAllIndexes() },
      "IndexAdded",
    );
    const Maps = ["from o in docs.Orders select new { o.total }"];
    await server.send("PUT", "/admin/indexes", { Indexes: [{ Name: "Orders/ByTotal", Maps, Type: "Map" }] });
    observe("an index", await indexes(2));
    const counters = await listen({
      all: changes.forAllCounters(),
      name: changes.forCounter("Likes"),
      document: changes.forCountersOfDocument("orders/1"),
      both: changes.forCounterOfDocument("orders/1", "likes"),
    });
    const Operations = [{ Type: "Increment", CounterName: "likes", Delta: 2 }];
    await server.send("POST", "/counters", { Documents: [{ DocumentId: "orders/1", Operations }] });
    observe("a counter", await counters(4));
    const series = await listen({
      all: changes.forAllTimeSeries(),
      name: changes.forTimeSeries("Heart"),
      document: changes.forTimeSeriesOfDocument("orders/1"),
      both: changes.forTimeSeriesOfDocument("orders/1", "heart"),
    });
    const Appends = [{ Timestamp: "2024-01-01T00:00:00.0000000Z", Values: [70] }];
    await server.send("POST", "/timeseries?docId=orders/1", { Name: "heart", Appends, Deletes: [] });
    observe("a time series", await series(4));
    const whole = await listen({ all: changes.forAllTimeSeries() });
    const Deletes = [{ From: null, To: null }];
    await server.send("POST", "/timeseries?docId=orders/1", { Name: "heart", Appends: [], Deletes });
    observe("a whole time series is deleted", await whole(1));
  },
});
