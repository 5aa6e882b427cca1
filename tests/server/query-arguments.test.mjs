// The arguments of queries: listeners, classes, unknown names, values that JSON lacks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMIT, missing, order, putDocument, ravendb } from "../support/server.mjs";
import { prepared } from "../support/store.mjs";

/** Queries and patches: the authority has none. */
const SERVER = { skip: missing(ravendb), timeout: LIMIT };

test("a beforeQuery listener can change the query", SERVER, async (t) => {
  const { name, session } = await prepared(t, ravendb);
  for (const n of [1, 2, 3]) await putDocument(ravendb, name, `orders/${n}`, order({ n }));
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

test("a listener of a query that is called once can be removed before", SERVER, async (t) => {
  const { session } = await prepared(t, ravendb);
  const query = session.query({ collection: "Orders" });
  const called = [];
  const removed = () => called.push("removed");
  query.once("beforeQueryExecuted", removed).removeListener("beforeQueryExecuted", removed);
  query.once("beforeQueryExecuted", () => called.push("once"));
  await query.indexQuery();
  await query.indexQuery();
  assert.deepEqual(called, ["once"]);
});

test("a query of a class returns only its documents, also with selectFields", SERVER, async (t) => {
  const { name, store } = await prepared(t, ravendb);
  class Customer {}
  class Shown {}
  store.conventions.registerEntityType(Customer, "Customer");
  await putDocument(ravendb, name, "customers/1", { n: 1, "@metadata": { "@collection": "Customers" } });
  await putDocument(ravendb, name, "orders/1", order({ n: 2 }));
  const session = store.openSession();
  const query = (given = Customer) => session.query(given).waitForNonStaleResults();
  assert.deepEqual(await query().selectFields("n").all(), [1]);
  assert.deepEqual(await query().whereEquals("n", 2).selectFields(["n"], Shown).all(), []);
  const [shown, ...others] = await query("Customer").ofType(Shown).all();
  assert.deepEqual([shown instanceof Shown, others], [true, []]);
  assert.equal(String(query().selectFields("n").ofType(Shown)).indexOf("from 'Customers' "), 0);
});

test("a query of an unknown name is refused instead of querying all documents", SERVER, async (t) => {
  const { session } = await prepared(t, ravendb);
  for (const given of ["Nobody", { documentType: "Nobody" }, { index: class {} }])
    assert.throws(() => session.query(given), { code: "InvalidArgument" });
  assert.equal(String(session.query()), "from '@all_docs'");
});

test("a number that JSON cannot express is refused as a value of a query", SERVER, async (t) => {
  const { name, session } = await prepared(t, ravendb);
  await putDocument(ravendb, name, "orders/1", order({ n: 1 }));
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
