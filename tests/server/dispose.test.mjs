// dispose refuses new work, waits for pending work, returns all numbers, and never hangs.
import assert from "node:assert/strict";
import { isLease, isReturn, isSave, proxy } from "../support/proxy.mjs";
import { counter, counterAfter, database, document, onServers, order } from "../support/server.mjs";
import { events, failure, open, prepared, within } from "../support/store.mjs";

onServers("ids requested after dispose are refused, and nothing is sent", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  const ids = store.hilo("orders");
  const session = store.openSession();
  await ids.next();
  const gone = store.dispose();
  assert.equal(ids.take(), undefined, "the counter is empty at once, not only when dispose has completed");
  assert.equal((await failure(ids.next())).code, "Disposed");
  await gone;
  const before = wire.requests.length;
  for (const refused of [
    ids.next(),
    ids.reserve(5),
    store.hilo("orders").next(),
    store.hilo("other").next(),
    session.store(order()),
    session.load("orders/1-A"),
    session.saveChanges(),
    store.ready(),
  ]) {
    const error = await failure(refused);
    assert.equal(error.code, "Disposed");
    assert.equal(error.name, "InvalidOperationException");
  }
  assert.equal(ids.take(), undefined);
  assert.equal(store.hilo("other").take(), undefined);
  assert.throws(() => store.openSession(), { code: "Disposed" });
  assert.equal(ids.status().atHand, 0);
  assert.equal(wire.requests.length, before);
  assert.equal(await counter(server, name, "orders"), 1);
});

onServers("dispose rejects waiting callers and returns the pending lease", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  let let_go;
  const gate = new Promise((resolve) => {
    let_go = resolve;
  });
  const [orders, lines] = [store.hilo("orders"), store.hilo("lines")];
  await lines.next();
  wire.rule = (request) => (isLease(request) ? gate : undefined);
  const asked = wire.next(isLease);
  const waiting = Array.from({ length: 3 }, () => failure(orders.next()));
  await asked;
  const disposed = store.dispose();
  for (const error of await within(2_000, Promise.all(waiting))) assert.equal(error.code, "Disposed");
  assert.equal(wire.of(isReturn).length, 0, "it waits for the lease");
  let_go();
  await within(5_000, disposed, "the end of dispose");
  assert.equal(wire.of(isReturn).length, 1);
  assert.equal(await counter(server, name, "orders"), 0, "the whole lease was returned");
  assert.equal(await counter(server, name, "lines"), 1);
});

onServers(
  "dispose with an unreachable server ends within seconds and reports the unused numbers",
  async (t, server) => {
    const name = await database(t, server);
    const wire = await proxy(t, server.url);
    const store = open(t, wire.url, name);
    await store.hilo("orders").next();
    await wire.off();
    const returned = events(store, "return");
    const started = performance.now();
    await within(20_000, store.dispose(), "the end of dispose");
    assert.ok(performance.now() - started < 12_000);
    const { applied, error } = await returned.next();
    assert.equal(applied, false);
    assert.ok(["Unreachable", "Timeout"].includes(error.code));
    assert.equal(await counter(server, name, "orders"), 32, "burnt");
  },
);

onServers("dispose does not wait for a lease that keeps failing", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  await wire.off();
  for (const ask of ["next", "take"]) {
    const store = open(t, wire.url, name);
    await store.ready();
    const ids = store.hilo("orders");
    const waiting = ask === "next" ? failure(ids.next()) : ids.take();
    // The first attempt has failed by then.
    await failure(fetch(wire.url));
    const disposed = store.dispose();
    assert.equal((await within(2_000, waiting))?.code, ask === "next" ? "Disposed" : undefined);
    await within(3_000, disposed, `the end of dispose after ${ask}`);
  }
});

onServers("dispose ends within seconds even if the server holds a lease request open", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  await store.hilo("lines").next();
  wire.rule = () => "hole";
  const asked = wire.next(isLease);
  const waiting = failure(store.hilo("orders").next());
  await asked;
  const disposed = store.dispose();
  assert.equal((await within(2_000, waiting)).code, "Disposed");
  await within(20_000, disposed, "the end of dispose");
});

onServers("dispose in any state leaves the counter at the highest issued id", async (t, server) => {
  const name = await database(t, server);
  const never = open(t, server.url, name);
  await never.dispose();
  const early = open(t, server.url, name);
  const asked = failure(early.hilo("orders").next());
  await early.dispose();
  assert.equal((await asked).code, "Disposed");
  assert.ok([undefined, 0].includes(await counter(server, name, "orders")));
  const late = open(t, server.url, name);
  const { seen: leases } = events(late, "lease");
  const kept = [];
  for (let i = 0; i < 70; i++) kept.push(await late.hilo("orders").next());
  await late.dispose();
  assert.deepEqual(
    kept,
    Array.from({ length: 70 }, (_, i) => `orders/${i + 1}-A`),
  );
  assert.equal(await counter(server, name, "orders"), counterAfter(server, leases, 70));
});

onServers(
  "dispose returns the rest of two leases; through a gateway, that of the newer one",
  async (t, server) => {
    const name = await database(t, server);
    const store = open(t, server.url, name);
    const { seen: leases } = events(store, "lease");
    await store.hilo("orders").next();
    await store.hilo("orders").reserve(100);
    await store.dispose();
    assert.equal(leases.length, 2);
    assert.equal(await counter(server, name, "orders"), counterAfter(server, leases, 1));
  },
);

onServers("await using disposes store and session", async (t, server) => {
  const name = await database(t, server);
  const store = open(t, server.url, name);
  const session = store.openSession();
  await session.store(order());
  const told = [];
  session.advanced.on("sessionDisposing", () => told.push("session"));
  await session[Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]();
  assert.deepEqual(told, ["session"]);
  await store[Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]();
  assert.equal(await counter(server, name, "orders"), 1);
});

onServers(
  "a session that was disposed of goes on working, and one warning for each store names the method",
  async (t, server) => {
    const warnings = [];
    t.mock.method(console, "warn", (text) => warnings.push(text));
    const { name, store, session } = await prepared(t, server);
    const entity = order({ n: 1 });
    // Calls from before count as such, even if nothing is sent yet.
    const stored = session.store(entity);
    const saved = session.saveChanges();
    session.dispose();
    await Promise.all([stored, saved]);
    assert.equal((await document(server, name, "orders/1-A")).n, 1);
    assert.deepEqual(warnings, []);
    entity.n = 2;
    await session.saveChanges();
    assert.equal((await document(server, name, "orders/1-A")).n, 2);
    await session.store(order({ n: 3 }));
    await session.delete(entity);
    await session.saveChanges();
    assert.equal(await document(server, name, "orders/1-A"), undefined);
    assert.equal((await session.load("orders/2-A")).n, 3);
    const other = store.openSession();
    other.dispose();
    assert.equal((await other.load("orders/2-A")).n, 3);
    assert.deepEqual(warnings, [
      "raven-edge: saveChanges() after dispose() of its session: is an await missing?",
    ]);
    await store.dispose();
    for (const call of [
      () => session.saveChanges(),
      () => session.store(order()),
      () => other.load("orders/2-A"),
    ])
      assert.equal((await failure(call())).code, "Disposed");
  },
);

onServers("what a session knows of a lost save survives its dispose", async (t, server) => {
  t.mock.method(console, "warn", () => {});
  const { name, wire, session } = await prepared(t, server);
  const entity = order({ n: 1 });
  await session.store(entity);
  // The response is lost, and the document cannot be read back.
  wire.rule = (request) =>
    isSave(request) ? "lose" : request.path.endsWith("/docs") ? { status: 500, body: "{}" } : undefined;
  assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
  wire.rule = undefined;
  session.dispose();
  // A document that was never sent would not be deleted.
  await session.delete(entity);
  await session.saveChanges();
  assert.equal(await document(server, name, "orders/1-A"), undefined);
});

onServers("release and dispose of a store also apply to its other databases", async (t, server) => {
  const [name, other] = [await database(t, server), await database(t, server)];
  const store = open(t, server.url, name);
  const session = store.openSession(other);
  await session.store(order());
  await store.release();
  assert.equal(await counter(server, other, "orders"), 1);
  const gone = store.dispose();
  assert.equal((await failure(session.store(order()))).code, "Disposed", "at once, like its own database");
  assert.equal(await gone, undefined);
  assert.equal(await counter(server, other, "orders"), 1);
});
