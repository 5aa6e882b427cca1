// Counters travel in the batch of a save. An increment whose outcome is unknown is never sent again, and is in no save that is reported as
// saved without it.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CounterBatch,
  CounterBatchOperation,
  CounterOperation,
  CountersBatchCommandData,
  DocumentCountersOperation,
  GetCountersOperation,
} from "../../pkg/lib/entries/node.js";
import { document, missing, order, putDocument, ravendb } from "../support/server.mjs";
import { failure, prepared } from "../support/store.mjs";

const SERVER = { skip: missing(ravendb), timeout: 60_000 };

const isBatch = ({ path }) => path.endsWith("/bulk_docs");
const isCounters = ({ path }) => path.endsWith("/counters");
const rule = (what) => (request) => (isBatch(request) ? what : undefined);

/** The counters of a document as the server has them. */
async function counted(name, id = "orders/1") {
  const { Counters } = await (await fetch(`${ravendb.url}/databases/${name}/counters?docId=${id}`)).json();
  return Object.fromEntries(Counters.map(({ CounterName, TotalValue }) => [CounterName, TotalValue]));
}

async function withOrder(t, options) {
  const all = await prepared(t, ravendb, options);
  await putDocument(ravendb, all.name, "orders/1", '{"n":0}');
  return all;
}

for (const [what, arrives, after] of [
  ["a response that is lost", "lose", 1],
  ["a request that is lost", "drop", 0],
]) {
  test(`after ${what} an increment is not sent again before the app decides`, SERVER, async (t) => {
    const { name, wire, session } = await withOrder(t);
    const counters = session.countersFor("orders/1");
    counters.increment("likes");
    wire.rule = rule(arrives);
    const error = await failure(session.saveChanges());
    wire.rule = undefined;
    assert.deepEqual([error.code, error.outcome], ["OutcomeUnknown", "unknown"]);
    assert.match(
      error.message,
      /read the counters of orders\/1, call countersFor\("orders\/1"\)\.discard\(\)/,
    );
    assert.doesNotMatch(error.message, /patches/);
    assert.equal(wire.of(isBatch).length, 1, "sent once");
    await session.store(order({ n: 1 }), "orders/2");
    for (let tries = 0; tries < 2; tries++) {
      const refused = await failure(session.saveChanges());
      assert.deepEqual([refused.code, refused.outcome], ["InvalidOperation", undefined]);
      assert.match(refused.message, /likes of orders\/1 is unknown.*discard/);
    }
    assert.equal(wire.of(isBatch).length, 1, "nothing was sent");
    assert.equal(session.advanced.hasChanges(), true);
    // As the page says: look, discard, increment what is missing.
    const value = await counters.get("likes");
    assert.equal(value, after === 1 ? 1 : null, "read from the server");
    counters.discard();
    if (value === null) counters.increment("likes");
    await session.saveChanges();
    assert.deepEqual(await counted(name), { likes: 1 });
    assert.equal((await document(ravendb, name, "orders/2")).n, 1);
    assert.equal(await counters.get("likes"), 1);
  });
}

test("increments after an unknown outcome do not join the command that was sent", SERVER, async (t) => {
  const { name, wire, session } = await withOrder(t);
  session.countersFor("orders/1").increment("likes");
  wire.rule = rule("lose");
  await failure(session.saveChanges());
  wire.rule = undefined;
  session.countersFor("orders/1").increment("likes", 10);
  session.countersFor("orders/other").increment("likes");
  await failure(session.saveChanges());
  session.countersFor("ORDERS/1").discard();
  session.countersFor("orders/other").discard();
  assert.equal(session.advanced.hasChanges(), false);
  await session.saveChanges();
  assert.equal(wire.of(isBatch).length, 1, "nothing to send");
  assert.deepEqual(await counted(name), { likes: 1 });
});

test("a command of the app is not sent again either", SERVER, async (t) => {
  const { name, wire, session } = await withOrder(t);
  const operation = CounterOperation.create("likes", "Increment", 3);
  session.advanced.defer(new CountersBatchCommandData("orders/1", operation));
  wire.rule = rule("lose");
  await failure(session.saveChanges());
  wire.rule = undefined;
  assert.equal((await failure(session.saveChanges())).code, "InvalidOperation");
  session.advanced.clear();
  await session.saveChanges();
  assert.deepEqual(await counted(name), { likes: 3 });
});

test("a save that is refused keeps its increments, and sends them once", SERVER, async (t) => {
  const { name, wire, session } = await withOrder(t);
  session.countersFor("orders/1").increment("likes", 2);
  wire.rule = rule({ status: 500, body: '{"Type":"System.InvalidOperationException","Message":"no"}' });
  assert.equal((await failure(session.saveChanges())).code, "Server");
  wire.rule = undefined;
  session.countersFor("orders/1").increment("likes", 3);
  await session.saveChanges();
  await session.saveChanges();
  assert.equal(wire.of(isBatch).length, 2);
  assert.deepEqual(await counted(name), { likes: 5 });
});

test("what is incremented while a save is under way belongs to the next save", SERVER, async (t) => {
  const { name, wire, session } = await withOrder(t);
  const counters = session.countersFor("orders/1");
  counters.increment("likes");
  let more;
  wire.rule = (request) => {
    if (isBatch(request) && !more) {
      more = true;
      counters.increment("likes", 10);
      assert.throws(() => counters.delete("likes"), { code: "InvalidOperation" });
    }
  };
  await session.saveChanges();
  assert.deepEqual(await counted(name), { likes: 1 });
  assert.equal(await counters.get("likes"), 1);
  await session.saveChanges();
  assert.deepEqual(await counted(name), { likes: 11 });
  assert.equal(await counters.get("likes"), 11);
});

test("a save that waited too long has saved its increments, and asks for their values", SERVER, async (t) => {
  const { name, session } = await withOrder(t);
  const counters = session.countersFor("orders/1");
  assert.equal(await counters.get("likes"), null);
  counters.increment("likes", 4);
  session.advanced.waitForReplicationAfterSaveChanges({ replicas: 1, timeout: 300 });
  assert.equal((await failure(session.saveChanges())).outcome, "saved");
  await session.saveChanges();
  assert.deepEqual(await counted(name), { likes: 4 });
  assert.equal(await counters.get("likes"), 4);
});

test("values follow a save whose other results are not valid JSON", SERVER, async (t) => {
  const { wire, session } = await withOrder(t);
  const entity = await session.load("orders/1");
  const counters = session.countersFor(entity);
  counters.increment("likes");
  await session.saveChanges();
  await session.advanced.refresh(entity);
  counters.increment("likes");
  session.advanced.patch("orders/1", "n", 7);
  wire.change = (response, request) => {
    if (isBatch(request)) response.body = Buffer.from(String(response.body).replace('"n":7', '"n":7.'));
  };
  const error = await failure(session.saveChanges());
  wire.change = undefined;
  assert.equal(error.outcome, "saved");
  assert.equal(await counters.get("likes"), 2);
});

test("an operation whose response is lost is not sent again", SERVER, async (t) => {
  const { name, wire, store } = await withOrder(t);
  const likes = new DocumentCountersOperation();
  likes.documentId = "orders/1";
  likes.operations = [CounterOperation.create("likes", "Increment", 2)];
  const batch = new CounterBatch();
  batch.documents = [likes];
  wire.rule = (request) => (isCounters(request) && request.method === "POST" ? "lose" : undefined);
  await failure(store.operations.send(new CounterBatchOperation(batch)));
  assert.equal(wire.of(isCounters).length, 1);
  wire.rule = undefined;
  const { counters } = await store.operations.send(new GetCountersOperation("orders/1"));
  assert.deepEqual(
    counters.map(({ totalValue }) => totalValue),
    [2],
  );
  likes.operations[0].delta = 0.5;
  assert.equal(
    (await failure(store.operations.send(new CounterBatchOperation(batch)))).code,
    "InvalidArgument",
  );
  assert.deepEqual(await counted(name), { likes: 2 });
});

test("names and ids of any kind are counted, included and deleted", SERVER, async (t) => {
  const { name, store } = await withOrder(t);
  const names = ["it's", 'a "b"', "c\\d", "e&f=g?h", "ü ✓ 漢", "x'), counters('y", "$p0"];
  const id = "orders/ü 1&2";
  const session = store.openSession();
  await session.store(order({ n: 1, other: id }), id);
  for (const [at, counter] of names.entries()) session.countersFor(id).increment(counter, at + 1);
  await session.saveChanges();
  const loading = store.openSession();
  await loading.load(id, { includes: (include) => include.includeCounters(names) });
  const querying = store.openSession();
  await querying
    .query({ collection: "Orders" })
    .whereEquals("n", 1)
    .waitForNonStaleResults()
    .include((include) => include.includeCounters("other", names).includeCounter("it's"))
    .all();
  const expected = Object.fromEntries(names.map((counter, at) => [counter, at + 1]));
  for (const { countersFor, advanced } of [loading, querying].map((each) => ({
    countersFor: each.countersFor.bind(each),
    advanced: each.advanced,
  }))) {
    assert.deepEqual(await countersFor(id).get(names), expected);
    assert.equal(advanced.numberOfRequests, 1);
  }
  assert.deepEqual(await store.openSession().countersFor(id).get(names), expected);
  for (const counter of names) session.countersFor(id).delete(counter);
  await session.saveChanges();
  assert.deepEqual(await counted(name, encodeURIComponent(id)), {});
});

test("a cluster-wide transaction refuses counters before it is sent", SERVER, async (t) => {
  const { wire, store } = await withOrder(t);
  const session = store.openSession({ transactionMode: "ClusterWide" });
  session.countersFor("orders/1").increment("likes");
  assert.equal((await failure(session.saveChanges())).code, "InvalidOperation");
  assert.equal(wire.of(isBatch).length, 0);
});
