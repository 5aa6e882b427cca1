// Queries on the real server, in addition to the compatibility program: injection, odd names, lazy queries, and what
// the authority lacks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DocumentStore } from "../../pkg/lib/entries/node.js";
import { authority, database, missing, order, ravendb, send } from "../support/server.mjs";
import { within } from "../support/store.mjs";

async function open(t, server, options) {
  const name = await database(t, server);
  const store = new DocumentStore(server.url, name, options);
  store.conventions.disableTopologyUpdates = true;
  store.conventions.maxNumberOfRequestsPerSession = 10_000;
  t.after(() => store.dispose());
  return { store: store.initialize(), name };
}

/** Saves this many orders. */
async function stored(store, count) {
  const session = store.openSession();
  for (let n = 0; n < count; n++) await session.store(order({ n }));
  await session.saveChanges();
}

/** Random numbers that are the same in every run. */
function chance(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const PIECES = [
  ..."'\"\\()[]{},;.$@-_=*|&/ \n\t\u0000é💥aZ9",
  "''",
  "\\'",
  "--",
  "//",
  "/*",
  "*/",
  "or true",
  " and ",
  "where",
  "select",
  "limit",
  "from",
  "update",
  "include",
  "$p0",
  "id()",
  "@metadata",
  "a' or 'a' = 'a",
  "x') or true; --",
];

/** Names and values that try to escape into the text of a query. */
function hostile(count) {
  const next = chance(17);
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + next(7) }, () => PIECES[next(PIECES.length)]).join(""),
  );
}

test("no name or value can change the structure of a query", {
  skip: missing(ravendb),
  timeout: 300_000,
}, async (t) => {
  const { store, name } = await open(t, ravendb);
  await send(
    ravendb.url,
    "PUT",
    `/databases/${name}/docs?id=orders/1-A`,
    order({ name: "unlike anything", "my field": { "it's": 5 }, order: 1 }),
  );
  const session = store.openSession();
  const all = () => session.query({ collection: "Orders" });
  // RavenDB fails on some names, such as an unmatched bracket; then the error shows that it was read as a name.
  const asked = async (text, query, expected) => {
    try {
      assert.deepEqual(await query.all(), expected, JSON.stringify(text));
    } catch (error) {
      if (error.code !== "Server") throw error;
      assert.doesNotMatch(error.type, /Parse|InvalidQuery/, JSON.stringify(text));
    }
  };
  for (const text of hostile(2_000)) {
    const shown =
      text === "id()" || text === "id" ? "orders/1-A" : text === "name" ? "unlike anything" : null;
    if (text !== "@metadata") await asked(text, all().selectFields([text]), [shown]);
    await asked(text, all().noTracking().include(text).selectFields("name"), ["unlike anything"]);
    await asked(text, all().waitForNonStaleResults().whereEquals("name", text), []);
  }
  const rest = await send(ravendb.url, "GET", `/databases/${name}/docs?id=orders/1-A`);
  assert.equal(rest.json.Results[0].name, "unlike anything");
});

test("names that are RQL keywords can be used as fields", { skip: missing(ravendb) }, async (t) => {
  const { store, name } = await open(t, ravendb);
  const document = order({ name: "a", "my field": 3, "it's": 4, Order: 1, größe: 5, address: { city: "x" } });
  await send(ravendb.url, "PUT", `/databases/${name}/docs?id=orders/1-A`, document);
  const session = store.openSession();
  const all = () => session.query({ collection: "Orders" }).waitForNonStaleResults();
  for (const field of ["my field", "it's", "Order", "größe"]) {
    const [value] = await all().whereEquals(field, document[field]).orderBy(field).selectFields(field).all();
    assert.equal(value, document[field], field);
  }
  const fields = ["id", "name", "my field", "address.city"];
  const query = all().whereEquals("address.city", "x").include("customer").orderBy("name");
  assert.deepEqual(await query.selectFields(fields).all(), [
    { id: "orders/1-A", name: "a", "my field": 3, "address.city": "x" },
  ]);
});

test("a value that looks like RQL is compared as a value", { skip: missing(ravendb) }, async (t) => {
  const { store } = await open(t, ravendb);
  const session = store.openSession();
  const strings = hostile(60);
  for (const text of strings) await session.store(order({ text }));
  await session.saveChanges();
  const reader = store.openSession();
  for (const text of new Set(strings)) {
    const query = reader.query({ collection: "Orders" }).waitForNonStaleResults();
    const found = await query.whereEquals("text", text, true).all();
    assert.ok(found.length > 0 && found.every((each) => each.text === text), JSON.stringify(text));
  }
});

test("the authority responds that queries need a real RavenDB", { skip: missing(authority) }, async (t) => {
  const { store } = await open(t, authority);
  const session = store.openSession();
  await assert.rejects(session.query({ collection: "Orders" }).all(), (error) => {
    assert.equal(error.status, 501);
    assert.match(error.message, /RavenDB/);
    return true;
  });
});

test("a query that failed can be sent again", { skip: missing(ravendb) }, async (t) => {
  let broken = true;
  const { store } = await open(t, ravendb, {
    fetch: async (url, init) => {
      if (broken && url.includes("/queries")) throw new TypeError("broken");
      return fetch(url, init);
    },
  });
  const query = store.openSession().query({ collection: "Orders" });
  await assert.rejects(query.all(), { code: "Unreachable" });
  broken = false;
  assert.deepEqual(await query.all(), []);
  await stored(store, 3);
  for (const ending of ["count", "first", "firstOrNull", "singleOrNull"]) {
    const again = store.openSession().query({ collection: "Orders" }).waitForNonStaleResults();
    broken = true;
    await assert.rejects(again[ending](), { code: "Unreachable" });
    broken = false;
    assert.equal((await again.all()).length, 3, `after ${ending}`);
  }
});

test("a lazy query can also be executed by other methods", {
  skip: missing(ravendb),
}, async (t) => {
  const { store } = await open(t, ravendb);
  await stored(store, 3);
  const session = store.openSession();
  const query = () => session.query({ collection: "Orders" }).waitForNonStaleResults();
  const first = query();
  const lazy = first.lazily();
  const [found, count] = await within(10_000, Promise.all([lazy.getValue(), first.count()]));
  assert.deepEqual([found.length, count], [3, 3]);
  assert.equal(session.advanced.numberOfRequests, 1);
  // The request is counted when it is sent, not before.
  const second = query();
  const [counted, all] = [second.countLazily(), await second.all()];
  assert.deepEqual([await counted.getValue(), all.length], [3, 3]);
  // Twice in one request, and after a method that was called before.
  const third = query();
  const twice = [third.lazily(), third.countLazily()];
  const [list, ...both] = await within(
    10_000,
    Promise.all([third.all(), ...twice.map((one) => one.getValue())]),
  );
  assert.deepEqual([list.length, both[0].length, both[1]], [3, 3, 3]);
  const fourth = query();
  const several = [fourth.lazily(), fourth.lazily()];
  await within(10_000, session.advanced.eagerly.executeAllPendingLazyOperations());
  for (const one of several) assert.equal((await one.getValue()).length, 3);
  await within(10_000, session.load("orders/404"));
});

test("a failing lazy query does not affect others", { skip: missing(ravendb) }, async (t) => {
  const { store } = await open(t, ravendb);
  await stored(store, 1);
  const session = store.openSession();
  const refused = session.advanced.rawQuery("from Orders where where");
  const unmeant = session.query({ collection: "Orders" }).openSubclause();
  const lazies = [refused.lazily(), unmeant.lazily()];
  const good = session.advanced.lazily.load("orders/1-A");
  assert.equal((await good.getValue()).n, 0);
  await assert.rejects(lazies[0].getValue(), { code: "Server" });
  await assert.rejects(lazies[1].getValue());
  assert.equal(await session.advanced.lazily.load("orders/404").getValue(), null);
  assert.equal(session.advanced.numberOfRequests, 2, "it is not sent again");
  session.advanced.rawQuery("from Orders where where").lazily();
  const later = session.advanced.lazily.load("orders/405");
  const { executeAllPendingLazyOperations } = session.advanced.eagerly;
  await assert.rejects(executeAllPendingLazyOperations(), { code: "Server" });
  assert.equal(later.isValueCreated(), true);
  await executeAllPendingLazyOperations();
});

test("a query of a class needs its collection's name only when it is sent", {
  skip: missing(ravendb),
}, async (t) => {
  const { store } = await open(t, ravendb);
  class Category {}
  const session = store.openSession();
  assert.deepEqual(await session.query(Category).all(), []);
  assert.equal(String(session.query(Category)), "from 'Categories'");
});

test("a query's error and results are its own, whatever was read before", {
  skip: missing(ravendb),
}, async (t) => {
  const { store } = await open(t, ravendb);
  const session = store.openSession();
  const entity = order({ total: 5 });
  await session.store(entity);
  await session.saveChanges();
  await session.advanced.refresh(entity);
  const query = () => session.query({ collection: "Orders" }).waitForNonStaleResults();
  assert.equal(await query().count(), 1);
  // The first response arrives before the second query fails: nothing of it may remain for the next response.
  const found = query().whereEquals("total", 5).lazily();
  const broken = session.advanced.rawQuery("no RQL").lazily();
  assert.equal((await found.getValue()).length, 1);
  assert.deepEqual(await query().whereEquals("total", 6).all(), []);
  assert.equal(await query().whereEquals("total", 6).count(), 0);
  await assert.rejects(broken.getValue(), { code: "Server" });
});
