// Objects behind proxies: frameworks wrap what apps keep in their state, and call methods with the proxy as `this`.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as all from "../../pkg/lib/entries/node.js";
import * as withoutQueries from "../../pkg/lib/entries/session/node.js";
import { reactive } from "../support/frameworks.mjs";

const { DocumentStore } = all;

const WRAPPERS = {
  "an empty proxy": (object) => new Proxy(object, {}),
  "a proxy of all that it contains": (object) => reactive(object),
  "an object that inherits from it": (object) => Object.create(object),
};

/** A store whose server has no document. */
function storeOf(t) {
  const fetch = async () => new Response('{"Results":[],"Includes":{}}', { status: 200 });
  class Closed {
    close() {}
  }
  const store = new DocumentStore("http://127.0.0.1:1", "Shop", { fetch, webSocket: Closed });
  store.conventions.disableTopologyUpdates = true;
  store.conventions.findCollectionNameForObjectLiteral = () => "Orders";
  t.after(async () => {
    await store.dispose();
  });
  return store;
}

/** What apps get, by name: each function makes a new one. `prepared`: a store before `initialize()`. */
const OBJECTS = {
  "a store": (store) => store,
  "conventions before initialize": (_, prepared) => prepared.conventions,
  conventions: (store) => store.conventions,
  "a hilo": (store) => store.hilo("orders"),
  hiLoIdGenerator: (store) => store.hiLoIdGenerator,
  "a request executor": (store) => store.getRequestExecutor(),
  operations: (store) => store.operations,
  maintenance: (store) => store.maintenance,
  subscriptions: (store) => store.subscriptions,
  "a subscription worker": (store) => store.subscriptions.getSubscriptionWorker("none"),
  "time series of a store": (store) => store.timeSeries,
  "a bulk insert": (store) => store.bulkInsert(),
  changes: (store) => store.changes(),
  "an observable": (store) => store.changes().forDocument("orders/1"),
  "a session": (store) => store.openSession(),
  "a session without queries": (store) =>
    new withoutQueries.DocumentStore(store.urls, "Shop", store.options).initialize().openSession(),
  "session.advanced": (store) => store.openSession().advanced,
  attachments: (store) => store.openSession().advanced.attachments,
  revisions: (store) => store.openSession().advanced.revisions,
  clusterTransaction: (store) =>
    store.openSession({ transactionMode: "ClusterWide" }).advanced.clusterTransaction,
  "counters of a document": (store) => store.openSession().countersFor("orders/1"),
  "a time series": (store) => store.openSession().timeSeriesFor("orders/1", "pulse"),
  lazily: (store) => store.openSession().advanced.lazily,
  "a lazy value": (store) => store.openSession().advanced.lazily.load("orders/1"),
  "a query": (store) => store.openSession().query({ collection: "Orders" }),
  "a raw query": (store) => store.openSession().advanced.rawQuery("from Orders"),
  "a grouped query": (store) => store.openSession().query({ collection: "Orders" }).groupBy("customer"),
  "an argument of beforeStore": (store) =>
    new all.SessionBeforeStoreEventArgs(store.openSession(), "orders/1", { id: "orders/1" }),
  "a command": () => new all.GetDocumentsCommand({ id: "orders/1" }),
  "an operation": () => new all.GetTermsOperation("Orders/ByTotal", "total"),
  "a definition of an index": () => new all.IndexDefinitionBuilder("Orders/ByTotal"),
};

const ARGUMENTS = {
  on: ["beforeRequest", () => {}],
  once: ["beforeRequest", () => {}],
  off: ["beforeRequest", () => {}],
  emit: ["beforeStore", {}],
  named: [{ queries: {} }],
  executeIndexes: [[]],
};
const OF_SESSIONS = {
  on: "beforeStore",
  once: "beforeStore",
  off: "beforeStore",
  removeListener: "beforeStore",
};
const GIVEN = ["orders/1", "a", new Uint8Array(1), "b"];

/** The names of all members of an object and of its classes. */
function namesOf(object) {
  const found = new Set();
  for (let at = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Reflect.ownKeys(at)) found.add(name);
  found.delete("constructor");
  return [...found].filter((name) => typeof name === "string" || name.description?.startsWith("Symbol."));
}

/** Turns of the event loop in which calls without a server end. */
const turns = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** What a member of an object gives, and what a call of it comes to: kinds of values, and names of errors with their messages. */
async function outcomeOf(object, name) {
  const show = (value) => {
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    return typeof value === "object" && value ? "an object" : typeof value;
  };
  try {
    const member = object[name];
    if (typeof member !== "function") return `is ${show(member)}`;
    let given = ARGUMENTS[name] ?? GIVEN;
    if (OF_SESSIONS[name] && "saveChanges" in object) given = [OF_SESSIONS[name], () => {}];
    const result = object[name](...given);
    const settled = Promise.resolve(result).catch((error) => error);
    return show(await Promise.race([settled, turns()]));
  } catch (error) {
    return show(error);
  }
}

for (const [wrapper, wrap] of Object.entries(WRAPPERS)) {
  test(`methods and members work behind ${wrapper} as without it`, async (t) => {
    t.mock.method(console, "warn", () => {});
    const make = async (what) => {
      const store = storeOf(t).initialize();
      await store.ready();
      return OBJECTS[what](store, storeOf(t));
    };
    let count = 0;
    for (const what of Object.keys(OBJECTS)) {
      for (const name of namesOf(await make(what))) {
        const expected = await outcomeOf(await make(what), name);
        const found = await outcomeOf(wrap(await make(what)), name);
        assert.equal(found, expected, `${what}: ${String(name)}`);
        count++;
      }
    }
    assert.ok(count > 500, `${count} members`);
  });
}

test("a method that returns its object returns the proxy", async (t) => {
  const store = storeOf(t).initialize();
  const seen = [];
  const query = new Proxy(store.openSession().query({ collection: "Orders" }), {
    get(target, name, receiver) {
      seen.push(name);
      return Reflect.get(target, name, receiver);
    },
  });
  assert.equal(query.whereEquals("total", 1).orderBy("total"), query);
  assert.ok(seen.includes("orderBy"));
});

test("a store and a session behind proxies store, save and load", async (t) => {
  const requests = [];
  const saved =
    '{"Results":[{"Type":"PUT","@id":"orders/1","@collection":"Orders","@change-vector":"A:1-x","@last-modified":"t"}]}';
  const fetch = async (url, { body }) => {
    requests.push([url.replace(/.*Shop./, ""), String(body ?? "")]);
    return new Response(url.endsWith("/bulk_docs") ? saved : '{"Results":[null],"Includes":{}}', {
      status: url.endsWith("/bulk_docs") ? 201 : 200,
    });
  };
  const store = reactive(new DocumentStore("http://127.0.0.1:1", "Shop", { fetch }));
  t.after(() => store.dispose());
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  const session = reactive(store.openSession());
  const order = { total: 1, "@metadata": { "@collection": "Orders" } };
  await session.store(order, "orders/1");
  await session.saveChanges();
  assert.equal(await session.load("orders/1"), order);
  assert.equal(await session.load("orders/2"), null);
  assert.equal(session.advanced.numberOfRequests, 2);
  assert.deepEqual(
    requests.map(([path]) => path),
    ["bulk_docs", "docs?id=orders%2F2"],
  );
});

test("every class that apps can import finds its private members behind a proxy", () => {
  const textOf = (type) => Function.prototype.toString.call(type);
  const wrong = new Set();
  for (const [name, type] of Object.entries({ ...all, ...withoutQueries })) {
    if (typeof type !== "function" || !textOf(type).startsWith("class")) continue;
    const chain = [];
    for (let at = type; at?.prototype; at = Object.getPrototypeOf(at)) chain.push(at);
    const hasPrivate = chain.some((at) => /[^"'`\w]#[a-z]/i.test(textOf(at)));
    if (hasPrivate && !chain.some((at) => /AnyThis$/.test(at.name))) wrong.add(name);
  }
  assert.deepEqual([...wrong], []);
});
