// Compare-exchange values of cluster-wide sessions: each change is saved once, or the app is told; none is lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  GetCompareExchangeValueOperation,
  PutCompareExchangeCommandData,
  PutCompareExchangeValueOperation,
} from "../../pkg/lib/entries/node.js";
import { missing, order, ravendb } from "../support/server.mjs";
import { failure, prepared } from "../support/store.mjs";

const SERVER = { skip: missing(ravendb), timeout: 60_000 };

const isBatch = ({ path }) => path.endsWith("/bulk_docs");
const rule = (what) => (request) => (isBatch(request) ? what : undefined);

async function inCluster(t) {
  const all = await prepared(t, ravendb);
  const open = () => all.store.openSession({ transactionMode: "ClusterWide" });
  const session = open();
  const put = (key, value, index = 0) =>
    all.store.operations.send(new PutCompareExchangeValueOperation(key, value, index));
  const stored = async (key) =>
    (await all.store.operations.send(new GetCompareExchangeValueOperation(key)))?.value;
  return { ...all, open, session, values: session.advanced.clusterTransaction, put, stored };
}

test(
  "a value whose save has an unknown outcome is never saved twice: the server compares its index",
  SERVER,
  async (t) => {
    const { wire, session, values, stored } = await inCluster(t);
    values.createCompareExchangeValue("a", "one");
    wire.rule = rule("lose");
    assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
    wire.rule = undefined;
    assert.equal(await stored("a"), "one");
    assert.equal((await failure(session.saveChanges())).code, "Concurrency");
    assert.equal(await stored("a"), "one");
    session.advanced.clear();
    const read = await values.getCompareExchangeValue("a");
    read.value = "two";
    await session.saveChanges();
    assert.equal(await stored("a"), "two");
  },
);

test(
  "a change of a value during a save whose response has no results is not forgotten",
  SERVER,
  async (t) => {
    const { wire, session, values, stored } = await inCluster(t);
    const created = values.createCompareExchangeValue("a", "one");
    wire.change = (response, request) => {
      if (!isBatch(request)) return;
      created.value = "two";
      const body = '{"Type":"Raven.Client.Exceptions.RavenTimeoutException","Message":"late"}';
      Object.assign(response, { status: 408, body: Buffer.from(body) });
    };
    assert.equal((await failure(session.saveChanges())).outcome, "saved");
    wire.change = undefined;
    assert.equal(await stored("a"), "one");
    assert.equal((await failure(session.saveChanges())).code, "Concurrency", "its index is unknown");
  },
);

test("a save that is refused keeps what it was to save of values", SERVER, async (t) => {
  const { wire, session, values, stored, put } = await inCluster(t);
  const { index } = await put("old", "x");
  values.createCompareExchangeValue("new", { n: 1 });
  values.deleteCompareExchangeValue("old", index);
  wire.rule = rule({ status: 500, body: '{"Type":"System.InvalidOperationException","Message":"no"}' });
  assert.equal((await failure(session.saveChanges())).code, "Server");
  wire.rule = undefined;
  await session.saveChanges();
  await session.saveChanges();
  assert.equal(wire.of(isBatch).length, 2, "sent until it is saved, and then no more");
  assert.deepEqual([await stored("new"), await stored("old")], [{ n: 1 }, undefined]);
});

test("what changes while a save is under way belongs to the next save", SERVER, async (t) => {
  const { wire, session, values, stored } = await inCluster(t);
  const one = values.createCompareExchangeValue("one", { n: 0 });
  const two = values.createCompareExchangeValue("two", "x");
  const three = values.createCompareExchangeValue("three", "x");
  await session.saveChanges();
  three.value = "y";
  one.value.n = 1;
  let changed = false;
  wire.rule = (request) => {
    if (!isBatch(request) || changed) return;
    changed = true;
    one.value.n = 2;
    values.deleteCompareExchangeValue("three", three.index);
  };
  await session.saveChanges();
  wire.rule = undefined;
  assert.deepEqual([await stored("one"), three.index > 0], [{ n: 1 }, true]);
  await session.saveChanges();
  assert.deepEqual([await stored("one"), await stored("three")], [{ n: 2 }, undefined]);
  one.value.n = 3;
  values.deleteCompareExchangeValue(two);
  await session.saveChanges();
  assert.deepEqual([await stored("one"), await stored("two")], [{ n: 3 }, undefined]);
});

test(
  "a read by prefix brings unchanged values up to date, and leaves changed ones as they are",
  SERVER,
  async (t) => {
    const { session, values, put } = await inCluster(t);
    const [text, object, mine] = [
      await put("p/text", "a"),
      await put("p/object", { a: 1 }),
      await put("p/mine", "a"),
    ];
    const first = await values.getCompareExchangeValues("p/");
    const inside = first["p/object"].value;
    first["p/mine"].value = "mine";
    await put("p/text", "b", text.index);
    await put("p/object", { b: 2 }, object.index);
    await put("p/mine", "theirs", mine.index);
    const second = await values.getCompareExchangeValues("p/");
    for (const key of Object.keys(first)) assert.equal(first[key], second[key], "one object for each key");
    assert.deepEqual([second["p/text"].value, inside, second["p/mine"].value], ["b", { b: 2 }, "mine"]);
    assert.equal((await failure(session.saveChanges())).code, "Concurrency", "theirs is not overwritten");
  },
);

test("a deferred command about a value of the session has it read again", SERVER, async (t) => {
  const { session, values, put } = await inCluster(t);
  const { index } = await put("d", "a");
  await values.getCompareExchangeValue("d");
  session.advanced.defer(new PutCompareExchangeCommandData("d", { Object: "b" }, index));
  await session.saveChanges();
  assert.equal((await values.getCompareExchangeValue("d")).value, "b");
});

test("documents that are evicted or deleted leave values with the same key", SERVER, async (t) => {
  const { session, values } = await inCluster(t);
  const made = values.createCompareExchangeValue("orders/1", "x");
  const entity = order({ n: 1 });
  await session.store(entity, "orders/1");
  session.advanced.evict(entity);
  await session.saveChanges();
  assert.ok(made.index > 0);
  assert.equal(await values.getCompareExchangeValue("orders/1"), made);
});

test("a session that is no longer cluster-wide refuses to save values", SERVER, async (t) => {
  const { session, values, wire } = await inCluster(t);
  values.createCompareExchangeValue("s", 1);
  session.advanced.transactionMode = "SingleNode";
  assert.equal((await failure(session.saveChanges())).code, "InvalidOperation");
  assert.equal(wire.of(isBatch).length, 0);
});
