// What a review of reading found: answers that were none and passed for "nothing there", values and numbers that meant
// something else, objects that could not be made.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchCommandData, PatchRequest, PutCommandDataBase } from "../../pkg/node.js";
import { database, document, LIMIT, missing, onServers, order, ravendb, send } from "../support/server.mjs";
import { failure, open, prepared, within } from "../support/store.mjs";

/** Queries and patches: the authority has none. */
const SERVER = { skip: missing(ravendb), timeout: LIMIT };

const put = (server, name, id, document) =>
  send(server.url, "PUT", `/databases/${name}/docs?id=${id}`, document);

onServers("an empty 404 means missing only where a single id was asked for", async (t, server) => {
  const { name, wire, store } = await prepared(t, server);
  for (const id of ["orders/1", "orders/2"]) await put(server, name, id, order({ n: 1 }));
  const reader = store.openSession();
  const both = await reader.load(["orders/1", "orders/2"]);
  // A proxy that knows no such path.
  wire.rule = ({ path }) => (/\/(docs|multi_get)$/.test(path) ? { status: 404 } : undefined);
  const session = store.openSession();
  const ways = [
    () => session.load(["orders/1", "orders/2"]),
    () => session.advanced.loadStartingWith("orders/"),
    () => session.advanced.lazily.load("orders/1").getValue(),
    () => reader.advanced.refresh(Object.values(both)),
  ];
  for (const way of ways) assert.equal((await failure(way())).code, "BadAnswer", way);
  wire.rule = undefined;
  assert.equal((await session.load("orders/1")).n, 1, "it is not taken for missing");
  assert.equal(await session.load("orders/3"), null);
});

onServers("an answer to fewer requests than were sent is none", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  await put(server, name, "orders/1", order({ n: 1 }));
  wire.rule = ({ path }) =>
    path.endsWith("/multi_get") ? { status: 200, body: '{"Results":[]}' } : undefined;
  const lazy = session.advanced.lazily.load("orders/1");
  assert.equal((await failure(lazy.getValue())).code, "BadAnswer");
  assert.equal((await session.load("orders/1")).n, 1);
});

onServers("a listing in place of documents by their ids is no answer", async (t, server) => {
  const { name, wire, store } = await prepared(t, server);
  const ids = Array.from({ length: 60 }, (_, at) => `orders/${String(at).padStart(80, "0")}`);
  const session = store.openSession();
  for (const id of ids) await session.store(order({ id }), id);
  await session.saveChanges();
  const wanted = ids.slice(1);
  const listed = await send(server.url, "GET", `/databases/${name}/docs`);
  // What a redirect (301, 302) from http to https makes of a POST, in every platform's `fetch`.
  wire.rule = ({ method, path }) =>
    method === "POST" && path.endsWith("/docs")
      ? { status: 200, body: JSON.stringify(listed.json) }
      : undefined;
  const error = await failure(store.openSession().load(wanted));
  assert.deepEqual([error.code, error.request], ["BadAnswer", `POST /databases/${name}/docs`]);
  const entities = Object.values(await session.load(wanted));
  assert.equal((await failure(session.advanced.refresh(entities))).code, "BadAnswer");
});

test("a lazy query of an index that does not exist fails", SERVER, async (t) => {
  const { session } = await prepared(t, ravendb);
  const query = () => session.query({ indexName: "No/Such" });
  const raw = session.advanced.rawQuery("from index 'No/Such'");
  for (const lazy of [query().lazily(), query().countLazily()])
    assert.equal((await failure(lazy.getValue())).name, "IndexDoesNotExistException");
  assert.equal((await failure(raw.lazily().getValue())).status, 404);
});

onServers("a lazy listing has what the session stored itself, by id", async (t, server) => {
  const { session } = await prepared(t, server);
  class Plain {}
  const entity = new Plain();
  await session.store(entity, "plain/1");
  await session.saveChanges();
  const found = await session.advanced.lazily.loadStartingWith("plain/").getValue();
  assert.deepEqual(Object.keys(found), ["plain/1"]);
  assert.equal(found["plain/1"], entity);
});

onServers("lazily.load refuses what is no id, as load does", async (t, server) => {
  const { session } = await prepared(t, server);
  for (const ids of [5, ["orders/1", 5]]) {
    assert.throws(() => session.advanced.lazily.load(ids), { code: "InvalidArgument" });
    await assert.rejects(session.load(ids), { code: "InvalidArgument" });
  }
  for (const blank of [null, undefined, "", " "]) {
    assert.equal(await session.advanced.lazily.load(blank).getValue(), null);
    assert.deepEqual(await session.advanced.lazily.load([blank]).getValue(), {});
  }
  assert.equal(session.advanced.numberOfRequests, 0);
});

onServers("what an asynchronous onEval rejects with is the error of the value", async (t, server) => {
  const { session } = await prepared(t, server);
  const { lazily, eagerly } = session.advanced;
  const mine = async () => {
    // The session's turn is over: it can be used.
    await session.load("orders/2");
    throw new Error("mine");
  };
  const first = lazily.load("orders/1", undefined, mine);
  await assert.rejects(within(10_000, first.getValue()), /mine/);
  await assert.rejects(first.getValue(), /mine/);
  lazily.load("orders/3", undefined, mine);
  await assert.rejects(within(10_000, eagerly.executeAllPendingLazyOperations()), /mine/);
  // It may ask for its own value, which is there.
  const own = lazily.load("orders/4", undefined, async () => assert.equal(await own.getValue(), null));
  assert.equal(await within(10_000, own.getValue()), null);
});

test("a listener of beforeQuery may add to the query", SERVER, async (t) => {
  const { name, session } = await prepared(t, ravendb);
  for (const n of [1, 2, 3]) await put(ravendb, name, `orders/${n}`, order({ n }));
  session.advanced.on("beforeQuery", ({ queryCustomization }) =>
    queryCustomization.take(2).noTracking().waitForNonStaleResults(),
  );
  const query = () => session.query({ collection: "Orders" }).whereGreaterThan("n", 0);
  assert.equal((await query().all()).length, 2);
  const lazy = query();
  assert.equal((await lazy.lazily().getValue()).length, 2);
  assert.equal(session.advanced.isLoaded("orders/1"), false);
  assert.throws(() => lazy.take(1), { code: "InvalidOperation" });
});

test("parts of a class's documents are of its documents alone", SERVER, async (t) => {
  const { name, store } = await prepared(t, ravendb);
  class Customer {}
  class Shown {}
  store.conventions.registerEntityType(Customer, "Customer");
  await put(ravendb, name, "customers/1", { n: 1, "@metadata": { "@collection": "Customers" } });
  await put(ravendb, name, "orders/1", order({ n: 2 }));
  const session = store.openSession();
  const query = (given = Customer) => session.query(given).waitForNonStaleResults();
  assert.deepEqual(await query().selectFields("n").all(), [1]);
  assert.deepEqual(await query().whereEquals("n", 2).selectFields(["n"], Shown).all(), []);
  const [shown, ...others] = await query("Customer").ofType(Shown).all();
  assert.deepEqual([shown instanceof Shown, others], [true, []]);
  assert.equal(String(query().selectFields("n").ofType(Shown)).indexOf("from 'Customers' "), 0);
});

test("a query about nothing that is known is not about everything", SERVER, async (t) => {
  const { session } = await prepared(t, ravendb);
  for (const given of ["Nobody", { documentType: "Nobody" }, { index: class {} }])
    assert.throws(() => session.query(given), { code: "InvalidArgument" });
  assert.equal(String(session.query()), "from '@all_docs'");
});

test("a number that JSON does not have is no value of a query", SERVER, async (t) => {
  const { name, session } = await prepared(t, ravendb);
  await put(ravendb, name, "orders/1", order({ n: 1 }));
  const query = () => session.query({ collection: "Orders" });
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5n]) {
    const ways = [
      () => query().whereGreaterThan("n", value),
      () => query().whereLessThan("n", value),
      () => query().whereEquals("n", value),
      () => query().whereBetween("n", 0, value),
      () => query().whereIn("n", [1, [value]]),
      () => session.advanced.rawQuery("from Orders where n > $n").addParameter("n", value),
    ];
    for (const way of ways) assert.throws(way, { code: "InvalidArgument", message: new RegExp(value) });
  }
});

onServers("a listing without a prefix is refused, also a lazy one", async (t, server) => {
  const { session } = await prepared(t, server);
  const { advanced } = session;
  await assert.rejects(advanced.loadStartingWith(undefined), { code: "InvalidArgument" });
  await assert.rejects(advanced.lazily.loadStartingWith(undefined).getValue(), { code: "InvalidArgument" });
  assert.equal(advanced.numberOfRequests, 0);
});

class Keyed {
  a = 0;
}

onServers("an included document shows its id where its class has it", async (t, server) => {
  const name = await database(t, server);
  const prepare = ({ conventions }) => {
    conventions.registerEntityType(Keyed, "Keyed");
    conventions.registerEntityIdPropertyName(Keyed, "key");
  };
  const session = open(t, server.url, name, { prepare }).openSession();
  await put(server, name, "orders/1", order({ other: "keyed/1" }));
  await put(server, name, "keyed/1", { a: 1, "@metadata": { "@collection": "Keyeds" } });
  await session.include("other").load("orders/1");
  const keyed = await session.load("keyed/1", Keyed);
  assert.deepEqual([session.advanced.numberOfRequests, session.advanced.hasChanges()], [1, false]);
  assert.deepEqual([keyed.key, keyed.id, keyed instanceof Keyed], ["keyed/1", undefined, true]);
  keyed.a = 2;
  await session.saveChanges();
  const { "@metadata": _, ...stored } = await document(server, name, "keyed/1");
  assert.deepEqual(stored, { a: 2 });
});

const LONG = '{"a":1,"n":9007199254740993,"@metadata":{"@collection":"Orders"}}';

test("a number that a patch brings back is not saved with fewer digits", SERVER, async (t) => {
  const { name, session } = await prepared(t, ravendb);
  for (const id of ["orders/1", "orders/2"]) await put(ravendb, name, id, order({ a: 1, n: 1 }));
  const [first, second] = Object.values(await session.load(["orders/1", "orders/2"]));
  await put(ravendb, name, "orders/1", LONG);
  session.advanced.patch(first, "a", 2);
  session.advanced.patch(second, "a", 2);
  await session.saveChanges();
  first.a = 3;
  await assert.rejects(session.saveChanges(), {
    code: "InexactNumber",
    message: /9007199254740993.*\(at n\)/,
  });
  session.advanced.ignoreChangesFor(first);
  second.a = 3;
  await session.saveChanges();
  const { text } = await send(ravendb.url, "GET", `/databases/${name}/docs?id=orders/1`);
  assert.match(text, /9007199254740993/);
});

test("what a deferred command has made is there", SERVER, async (t) => {
  const { session } = await prepared(t, ravendb);
  const { advanced } = session;
  const ids = ["made/1", "made/2", "made/3", "made/4"];
  for (const id of ids) assert.equal(await session.load(id), null);
  await session.delete("made/4");
  advanced.addOrPatch("made/1", order({ a: 1 }), "a", 2);
  const patch = [PatchRequest.forScript("this.a = 5"), PatchRequest.forScript("this.a = 1")];
  advanced.defer(new PatchCommandData("Made/2", null, ...patch));
  advanced.defer(new PutCommandDataBase("made/3", null, null, order({ a: 1 })));
  await session.saveChanges();
  const asked = advanced.numberOfRequests;
  const found = await session.load(ids);
  assert.deepEqual(
    ids.map((id) => found[id]?.a),
    [1, 1, 1, undefined],
  );
  assert.equal(advanced.numberOfRequests, asked + 1);
});

/** Cannot be made without what it is made of. */
class Made {
  constructor({ name }) {
    this.name = name;
  }

  get upper() {
    return this.name.toUpperCase();
  }
}

test("a class whose constructor wants arguments is a class like others", SERVER, async (t) => {
  const name = await database(t, ravendb);
  const prepare = ({ conventions }) => conventions.registerEntityType(Made, "Made");
  const store = open(t, ravendb.url, name, { prepare });
  const session = store.openSession();
  const entity = new Made({ name: "a" });
  entity.part = new Made({ name: "b" });
  await session.store(entity, "mades/1");
  await session.saveChanges();
  session.advanced.patch(entity, "name", "c");
  await session.saveChanges();
  assert.deepEqual([entity.upper, entity.part.upper], ["C", "B"], "patched, and followed");
  await session.advanced.refresh(entity);
  assert.equal(entity.upper, "C");
  const reader = store.openSession();
  const loaded = await reader.load("mades/1");
  assert.deepEqual([loaded.upper, loaded.part.upper, loaded.id], ["C", "B", "mades/1"]);
  assert.equal(reader.advanced.hasChanges(), false);
  const query = reader.query({ collection: "Mades" }).waitForNonStaleResults();
  const [part] = await query.selectFields(["name"], Made).all();
  assert.equal(part.upper, "C");
});

onServers("a generator of ids that waits for its own session fails in time", async (t, server) => {
  const name = await database(t, server);
  let session;
  const prepare = ({ conventions }) => {
    conventions.documentIdGenerator = async (_, { own }) => {
      if (own) await session.load("orders/1");
      return "orders/mine";
    };
  };
  session = open(t, server.url, name, { prepare, timeout: 500 }).openSession();
  const error = await failure(within(10_000, session.store(order({ own: true }))));
  assert.deepEqual([error.code, /generator/.test(error.message)], ["Timeout", true]);
  await session.store(order({ own: false }));
  await within(10_000, session.saveChanges());
});
