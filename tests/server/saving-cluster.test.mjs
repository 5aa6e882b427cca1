// Cluster-wide transactions: RavenDB checks change vectors there only if the client sends its version.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isSave, proxy } from "../support/proxy.mjs";
import { database, document, missing, order, ravendb } from "../support/server.mjs";
import { failure, open } from "../support/store.mjs";

const LIMITS = { skip: missing(ravendb), timeout: 60_000 };
const CLUSTER = { transactionMode: "ClusterWide" };

async function prepared(t) {
  const name = await database(t, ravendb);
  const wire = await proxy(t, ravendb.url);
  const store = open(t, wire.url, name);
  return { name, wire, store, session: store.openSession(CLUSTER) };
}

test(
  "a cluster-wide save sends the version, the mode after the commands, and one id per call",
  LIMITS,
  async (t) => {
    const { name, wire, session } = await prepared(t);
    const [fresh, chosen, identity] = [order({ n: 1 }), order({ n: 2 }), order({ n: 3 })];
    await session.store(fresh);
    await session.store(chosen, "orders/chosen");
    await session.store(identity, "orders|");
    await session.saveChanges();
    const [{ headers, body, query }] = wire.of(isSave);
    const [major, minor] = headers["raven-client-version"].split(".").map(Number);
    assert.ok(major > 5 || (major === 5 && minor >= 2), headers["raven-client-version"]);
    assert.ok(body.endsWith('],"TransactionMode":"ClusterWide"}'));
    assert.match(query.get("raft-request-id"), /^[0-9a-f]{32}$/);
    assert.equal(identity.id, "orders/1");
    for (const entity of [fresh, chosen, identity]) {
      assert.equal((await document(ravendb, name, entity.id)).n, entity.n);
      assert.match(session.advanced.getChangeVectorFor(entity), /TRXN:/);
    }
    fresh.n = 4;
    await session.saveChanges();
    assert.equal((await document(ravendb, name, fresh.id)).n, 4);
    const ids = wire.of(isSave).map((request) => request.query.get("raft-request-id"));
    assert.notEqual(ids[0], ids[1]);
  },
);

test("a stale change vector is refused, and overwrites nothing", LIMITS, async (t) => {
  const { name, store, session } = await prepared(t);
  await session.store(order({ n: 1 }), "orders/x");
  await session.saveChanges();
  const [one, two] = [store.openSession(CLUSTER), store.openSession()];
  two.advanced.setTransactionMode("ClusterWide");
  assert.equal(two.advanced.transactionMode, "ClusterWide");
  const [mine, theirs] = [await one.load("orders/x"), await two.load("orders/x")];
  theirs.n = 2;
  await two.saveChanges();
  mine.n = 3;
  const error = await failure(one.saveChanges());
  assert.equal(error.status, 409);
  assert.equal(error.code, "Concurrency");
  assert.equal(error.name, "ClusterTransactionConcurrencyException");
  assert.equal(error.id, "orders/x");
  assert.equal((await document(ravendb, name, "orders/x")).n, 2);
  assert.equal(one.advanced.hasChanged(mine), true);
  await one.advanced.refresh(mine);
  assert.equal(mine.n, 2);
  mine.n = 4;
  await one.saveChanges();
  assert.equal((await document(ravendb, name, "orders/x")).n, 4);
  await one.delete(mine);
  await one.saveChanges();
  theirs.n = 5;
  assert.equal(
    (await failure(two.saveChanges())).code,
    "Concurrency",
    "a stale save does not restore a deleted document",
  );
  assert.equal(await document(ravendb, name, "orders/x"), undefined);
});

test("a new document under an existing id is refused, also under a semantic one", LIMITS, async (t) => {
  const { name, store, session } = await prepared(t);
  await session.store(order({ n: 1 }), "orders/x");
  await session.saveChanges();
  const other = store.openSession(CLUSTER);
  const fresh = order();
  await other.store(order({ n: 2 }), "orders/x");
  await other.store(fresh);
  assert.equal((await failure(other.saveChanges())).code, "Concurrency");
  assert.equal((await document(ravendb, name, "orders/x")).n, 1);
  assert.equal(await document(ravendb, name, fresh.id), undefined, "all or nothing");
});

test("the app's own concurrency checks are refused unsent", LIMITS, async (t) => {
  const { wire, store, session } = await prepared(t);
  session.advanced.useOptimisticConcurrency = true;
  await session.store(order(), "orders/x");
  assert.equal((await failure(session.saveChanges())).code, "InvalidOperation");
  const other = store.openSession(CLUSTER);
  await other.store(order(), "orders/y", { changeVector: "A:1" });
  assert.equal((await failure(other.saveChanges())).code, "InvalidOperation");
  assert.equal(wire.of(isSave).length, 0);
});

test("after a lost response new documents are read back and stored once", LIMITS, async (t) => {
  const { name, wire, session } = await prepared(t);
  const entity = order({ n: 1 });
  await session.store(entity);
  wire.rule = (request) => (isSave(request) ? "lose" : undefined);
  await session.saveChanges();
  wire.rule = undefined;
  assert.match(session.advanced.getChangeVectorFor(entity), /TRXN:/);
  entity.n = 2;
  await session.saveChanges();
  assert.equal((await document(ravendb, name, entity.id)).n, 2);
});
