// After a failed save, whatever the reason, the same session can save again: with the same ids, and nothing is lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { PutCommandDataBase } from "../../pkg/lib/entries/node.js";
import { isSave, proxy } from "../support/proxy.mjs";
import { counter, database, document, onServers, order, send } from "../support/server.mjs";
import { failure, open } from "../support/store.mjs";

const error = (status, type, more) => ({
  status,
  body: JSON.stringify({ Type: type, Message: "as the test says", Error: "", ...more }),
});

/** Makes the server unreachable, and waits until the client has noticed that its connections ended. */
async function off(wire) {
  await wire.off();
  await setTimeout(100);
}

/** A response of RavenDB is `Server`. A proxy that gives up may have forwarded the save: `OutcomeUnknown`. */
const OUTAGE = ["Server", "OutcomeUnknown"];

/**
 * What happens to the first save (`begin`, `end`, or the proxy's `rule`), the client's timeout if it must expire, and the possible codes
 * of the error that the app gets.
 */
const FAILURES = {
  "server off": { begin: off, end: (wire) => wire.on(), codes: ["Unreachable"] },
  "connection dropped before the server saw anything": { rule: "drop", codes: ["OutcomeUnknown"] },
  "no response in time": { rule: "hole", timeout: 3_000, codes: ["OutcomeUnknown"] },
  409: {
    rule: error(409, "Raven.Client.Exceptions.ConcurrencyException", {
      Id: "orders/1-A",
      ExpectedChangeVector: "",
      ActualChangeVector: "A:1",
    }),
    codes: ["Concurrency"],
  },
  500: { rule: error(500, "System.InvalidOperationException"), codes: ["Server"] },
  503: { rule: error(503, "Raven.Client.Exceptions.Database.DatabaseDisabledException"), codes: OUTAGE },
  "an empty 403": { rule: { status: 403 }, codes: ["ForeignOrigin"] },
  "429 of a gateway": { rule: { status: 429, body: "slow down" }, codes: OUTAGE },
};

for (const [what, { begin, end, rule, timeout, codes }] of Object.entries(FAILURES)) {
  onServers(`saves again after: ${what}`, async (t, server) => {
    const name = await database(t, server);
    for (const id of ["orders/old", "orders/gone", "orders/also"])
      await send(server.url, "PUT", `/databases/${name}/docs?id=${id}`, order({ n: 0 }));
    const wire = await proxy(t, server.url);
    const session = open(t, wire.url, name, { timeout }).openSession();
    const fresh = [order({ n: 1 }), order({ n: 2 })];
    const [chosen, server1] = [order({ n: 3 }), order({ n: 4 })];
    for (const entity of fresh) await session.store(entity);
    await session.store(chosen, "orders/chosen");
    await session.store(server1, "orders/");
    const old = await session.load("orders/old");
    old.n = 5;
    await session.delete(await session.load("orders/gone"));
    await session.delete("orders/also");
    session.advanced.defer(new PutCommandDataBase("orders/deferred", null, null, order({ n: 6 })));
    await begin?.(wire);
    wire.rule = (request) => (isSave(request) ? rule : undefined);
    const error = await failure(session.saveChanges());
    assert.ok(codes.includes(error.code), error.code);
    assert.equal(session.advanced.hasChanges(), true);
    assert.deepEqual(
      [...fresh, chosen].map((entity) => session.advanced.getDocumentId(entity)),
      ["orders/1-A", "orders/2-A", "orders/chosen"],
    );
    assert.equal(session.advanced.getChangeVectorFor(fresh[0]), null);
    assert.equal(await session.load("orders/gone"), null, "its deletion is still pending");
    wire.rule = undefined;
    await end?.(wire);
    await session.saveChanges();
    assert.equal(session.advanced.hasChanges(), false);
    for (const entity of [...fresh, chosen, server1, old])
      assert.equal((await document(server, name, entity.id)).n, entity.n);
    for (const id of ["orders/gone", "orders/also"])
      assert.equal(await document(server, name, id), undefined);
    assert.equal((await document(server, name, "orders/deferred")).n, 6);
    assert.equal(await counter(server, name, "orders"), 32, "no other number was used");
    const sent = wire.of(isSave).length;
    await session.saveChanges();
    assert.equal(wire.of(isSave).length, sent);
  });
}

onServers(
  "a conflict does not change the session and reports the actual change vector",
  async (t, server) => {
    const name = await database(t, server);
    const store = open(t, server.url, name);
    const writer = store.openSession();
    await writer.store(order({ n: 1 }), "orders/x");
    await writer.saveChanges();
    const session = store.openSession();
    session.advanced.useOptimisticConcurrency = true;
    const loaded = await session.load("orders/x");
    const known = session.advanced.getChangeVectorFor(loaded);
    const fresh = order({ n: 9 });
    await session.store(fresh);
    loaded.n = 2;
    const entity = await writer.load("orders/x");
    entity.n = 3;
    await writer.saveChanges();
    for (const _ of [1, 2]) {
      const error = await failure(session.saveChanges());
      assert.equal(error.name, "ConcurrencyException");
      assert.equal(error.id, "orders/x");
      assert.equal(error.expectedChangeVector, known);
      assert.equal(error.actualChangeVector, writer.advanced.getChangeVectorFor(entity));
      assert.equal(session.advanced.hasChanged(loaded), true);
      assert.equal(await document(server, name, fresh.id), undefined);
    }
    await session.advanced.refresh(loaded);
    assert.equal(loaded.n, 3);
    loaded.n = 4;
    await session.saveChanges();
    assert.equal((await document(server, name, "orders/x")).n, 4);
    assert.equal((await document(server, name, fresh.id)).n, 9);
  },
);

test("the body of a failed save is freed before the next one", async (t) => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const fetch = async (_url, { body }) => {
    assert.ok(body.length > 20_000_000);
    return new Response('{"Type":"Raven.Client.Exceptions.BadRequestException"}', { status: 400 });
  };
  const session = open(t, "http://127.0.0.1:1", "Shop", { fetch }).openSession();
  await session.store(order({ text: Buffer.alloc(20_000_000, "x").toString("latin1") }), "orders/mine");
  const before = used();
  assert.equal((await failure(session.saveChanges())).status, 400);
  await setTimeout();
  const kept = used() - before;
  assert.ok(kept < 10_000_000, `${kept} bytes`);
  assert.equal(session.advanced.hasChanges(), true);
});

test("sessions that the app drops without saving are garbage-collected", async (t) => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const store = open(t, "http://127.0.0.1:1", "Shop");
  const drop = async (count) => {
    for (let at = 0; at < count; at++) await store.openSession().store(order({ at }), "orders/mine");
  };
  for (let round = 0; round < 5; round++) {
    await drop(1_000);
    await setTimeout();
    collect();
  }
  // The store asks each session that it remembers.
  const { mock } = t.mock.method(WeakRef.prototype, "deref");
  store.unsavedDocuments();
  const remembered = mock.callCount();
  assert.ok(remembered > 0 && remembered <= 2_000, `${remembered} of 5,000`);
});

onServers(
  "after a conflict about a new document, `evict`, an undefined id and `store` save it under a new id",
  async (t, server) => {
    const name = await database(t, server);
    await send(server.url, "PUT", `/databases/${name}/docs?id=orders/1-A`, order({ n: "theirs" }));
    const session = open(t, server.url, name).openSession();
    const entity = order({ n: "ours" });
    await session.store(entity);
    const failed = await failure(session.saveChanges());
    assert.deepEqual([failed.code, failed.id], ["Concurrency", "orders/1-A"]);
    session.advanced.evict(entity);
    entity.id = undefined;
    await session.store(entity);
    await session.saveChanges();
    assert.equal(entity.id, "orders/2-A");
    assert.equal((await document(server, name, "orders/1-A")).n, "theirs");
    assert.equal((await document(server, name, "orders/2-A")).n, "ours");
  },
);
