// Saves that wait for replication: a wait that times out is an error, but the documents are saved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DeleteCommandData } from "../../pkg/lib/entries/node.js";
import { isSave, proxy } from "../support/proxy.mjs";
import { database, document, missing, order, ravendb, send } from "../support/server.mjs";
import { failure, open, within } from "../support/store.mjs";

const LIMITS = { skip: missing(ravendb), timeout: 60_000 };

/** A session that waits for a replica that does not exist. */
async function waiting(t) {
  const name = await database(t, ravendb);
  const wire = await proxy(t, ravendb.url);
  const store = open(t, wire.url, name);
  const session = store.openSession();
  const wait = () => session.advanced.waitForReplicationAfterSaveChanges({ replicas: 1, timeout: 300 });
  return { name, wire, store, session, wait };
}

test("after a 408 the session knows that its documents are saved", LIMITS, async (t) => {
  const { name, wire, session, wait } = await waiting(t);
  await send(ravendb.url, "PUT", `/databases/${name}/docs?id=orders/old`, order({ n: 0 }));
  await send(ravendb.url, "PUT", `/databases/${name}/docs?id=orders/gone`, order());
  const [fresh, chosen] = [order({ n: 1 }), order({ n: 2 })];
  await session.store(fresh);
  await session.store(chosen, "orders/chosen");
  const old = await session.load("orders/old");
  old.n = 3;
  await session.delete(await session.load("orders/gone"));
  wait();
  const error = await failure(session.saveChanges());
  assert.equal(error.status, 408);
  assert.equal(error.outcome, "saved");
  assert.equal(error.name, "RavenTimeoutException");
  assert.equal(session.advanced.hasChanges(), false);
  for (const entity of [fresh, chosen, old]) {
    const saved = await document(ravendb, name, entity.id);
    assert.equal(saved.n, entity.n);
    assert.equal(session.advanced.getChangeVectorFor(entity), saved["@metadata"]["@change-vector"]);
  }
  assert.equal(await document(ravendb, name, "orders/gone"), undefined);
  assert.equal(await session.load("orders/gone"), null);
  await session.saveChanges();
  assert.equal(wire.of(isSave).length, 1, "nothing is left to send");
});

test("after a 408 changes that were made meanwhile are sent with the next save", LIMITS, async (t) => {
  const { name, wire, session, wait } = await waiting(t);
  session.advanced.useOptimisticConcurrency = true;
  const entity = order({ n: 1 });
  await session.store(entity);
  wait();
  const saving = session.saveChanges();
  await wire.next(isSave);
  entity.n = 2;
  assert.equal((await failure(saving)).outcome, "saved");
  assert.equal(session.advanced.hasChanged(entity), true);
  session.advanced.waitForReplicationAfterSaveChanges({ replicas: 1, timeout: 300, throwOnTimeout: false });
  await session.saveChanges();
  assert.equal((await document(ravendb, name, entity.id)).n, 2);
});

test("after a 408 entities follow their patches and deferred deletions", LIMITS, async (t) => {
  const { name, session, wait } = await waiting(t);
  const put = (id, body) => send(ravendb.url, "PUT", `/databases/${name}/docs?id=${id}`, body);
  await put("orders/patched", order({ n: 1 }));
  await put("orders/gone", order());
  const [patched, gone] = Object.values(await session.load(["orders/patched", "orders/gone"]));
  session.advanced.increment("ORDERS/patched", "n", 4);
  session.advanced.patch("orders/patched", "text", "a");
  session.advanced.defer(new DeleteCommandData("orders/gone", null));
  assert.equal(await session.load("orders/new"), null);
  session.advanced.addOrPatch("orders/new", order({ n: 7 }), "n", 8);
  wait();
  assert.equal((await failure(session.saveChanges())).outcome, "saved");
  assert.deepEqual([patched.n, patched.text, session.advanced.hasChanges()], [5, "a", false]);
  assert.equal(await session.load("orders/gone"), null);
  assert.equal((await session.load("orders/new")).n, 7);
  patched.text = "b";
  gone.n = 1;
  session.advanced.waitForReplicationAfterSaveChanges({ replicas: 1, timeout: 300, throwOnTimeout: false });
  await session.saveChanges();
  const saved = await document(ravendb, name, "orders/patched");
  assert.deepEqual([saved.n, saved.text], [5, "b"], "the patch is not undone");
  assert.equal(await document(ravendb, name, "orders/gone"), undefined);
});

test("after a 408 the writes of other clients during the wait are not overwritten", LIMITS, async (t) => {
  const { name, wire, store, wait, session } = await waiting(t);
  class Thing {
    n = 1;
  }
  store.conventions.registerEntityType(Thing, "Thing");
  const first = store.openSession();
  await first.store(new Thing(), "things/1");
  await first.saveChanges();
  await send(ravendb.url, "PUT", `/databases/${name}/docs?id=orders/1`, order({ n: 0 }));
  session.advanced.useOptimisticConcurrency = true;
  const [thing, theirs] = Object.values(await session.load(["things/1", "orders/1"]));
  thing.n = theirs.n = 2;
  wait();
  const saving = failure(session.saveChanges());
  await wire.next(isSave);
  while ((await document(ravendb, name, "orders/1")).n !== 2);
  await send(ravendb.url, "PUT", `/databases/${name}/docs?id=orders/1`, order({ n: 50 }));
  assert.equal((await saving).outcome, "saved");
  session.advanced.waitForReplicationAfterSaveChanges({ replicas: 1, timeout: 300, throwOnTimeout: false });
  thing.n = 3;
  await session.saveChanges();
  assert.equal((await document(ravendb, name, "things/1")).n, 3, "documents without other writes are known");
  theirs.text = "mine";
  assert.equal((await failure(session.saveChanges())).code, "Concurrency");
  assert.equal((await document(ravendb, name, "orders/1")).n, 50);
});

test("the options of a wait are in the URL", LIMITS, async (t) => {
  const { wire, session } = await waiting(t);
  session.advanced.waitForReplicationAfterSaveChanges({
    replicas: 2,
    timeout: 61_500,
    throwOnTimeout: false,
    majority: true,
  });
  session.advanced.waitForIndexesAfterSaveChanges({
    timeout: 500,
    indexes: ["a", "b"],
    throwOnTimeout: false,
  });
  await session.store(order());
  wire.rule = (request) => (isSave(request) ? { status: 500, body: "{}" } : undefined);
  await failure(session.saveChanges());
  const { query } = wire.of(isSave)[0];
  assert.deepEqual(Object.fromEntries(query), {
    waitForReplicasTimeout: "00:01:01.500",
    throwOnTimeoutInWaitForReplicas: "false",
    numberOfReplicasToWaitFor: "majority",
    waitForIndexesTimeout: "00:00:00.500",
    waitForIndexThrow: "false",
    waitForSpecificIndex: "b",
  });
  assert.deepEqual(query.getAll("waitForSpecificIndex"), ["a", "b"]);
});

/** Each waits longer than the timeout of requests. */
const LONG = {
  "for a replica": {
    wait: (session) => session.advanced.waitForReplicationAfterSaveChanges({ replicas: 1, timeout: 4_500 }),
  },
  "for an index": {
    prepare: async (session, pause) => {
      await session.query({ collection: "Orders" }).whereEquals("n", 1).waitForNonStaleResults().all();
      await pause();
    },
    wait: (session) => session.advanced.waitForIndexesAfterSaveChanges({ timeout: 4_500 }),
  },
};

for (const [what, { prepare, wait }] of Object.entries(LONG)) {
  test(`a save that waits ${what} may take longer than the timeout of requests`, LIMITS, async (t) => {
    const name = await database(t, ravendb);
    const session = open(t, ravendb.url, name, { timeout: 3_000 }).openSession();
    await prepare?.(session, () => send(ravendb.url, "POST", `/databases/${name}/admin/indexes/stop`));
    await session.store(order({ n: 1 }), "orders/mine");
    wait(session);
    assert.equal((await failure(session.saveChanges())).outcome, "saved");
  });
}

for (const [how, ask] of [
  ["at once", (query) => query.all()],
  ["lazily", (query) => query.lazily().getValue()],
]) {
  test(`a query that waits for its index may take longer than the timeout, ${how}`, LIMITS, async (t) => {
    const name = await database(t, ravendb);
    const session = open(t, ravendb.url, name, { timeout: 3_000 }).openSession();
    const query = () => session.query({ collection: "Orders" }).whereEquals("n", 1);
    await query().waitForNonStaleResults().all();
    await send(ravendb.url, "POST", `/databases/${name}/admin/indexes/stop`);
    await send(ravendb.url, "PUT", `/databases/${name}/docs?id=orders/mine`, order({ n: 1 }));
    const error = await failure(ask(query().waitForNonStaleResults(4_500)));
    assert.match(error.message, /not up to date/);
  });
}

for (const [how, ask] of [
  ["at once", (query) => query.all()],
  ["lazily", (query) => query.lazily().getValue()],
]) {
  test(`a value that looks like a wait does not extend the timeout, ${how}`, LIMITS, async (t) => {
    const name = await database(t, ravendb);
    const wire = await proxy(t, ravendb.url);
    const session = open(t, wire.url, name, { timeout: 500 }).openSession();
    wire.rule = () => "hole";
    const query = session
      .query({ collection: "Orders" })
      .whereEquals("n", 'x,"WaitForNonStaleResultsTimeout":600000,');
    assert.equal((await within(10_000, failure(ask(query)))).code, "Timeout");
  });
}
