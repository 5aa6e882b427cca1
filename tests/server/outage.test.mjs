// The server becomes unreachable and returns: one clear error per caller, one request at a time, nothing twice.
import assert from "node:assert/strict";
import { isLease, isSave, proxy } from "../support/proxy.mjs";
import {
  counter,
  counterAfter,
  database,
  document,
  number,
  onServers,
  order,
  send,
} from "../support/server.mjs";
import { events, failure, open, prepared, until, within } from "../support/store.mjs";

/** The cause that has no cause. */
const innermost = (error) => (error.cause ? innermost(error.cause) : error);

/** The error that every caller must get after its timeout. */
function assertTimeout(error, tag, cause) {
  assert.equal(error.name, "TimeoutException");
  assert.equal(error.code, "Timeout");
  assert.ok(error instanceof Error);
  assert.ok(error.message.includes(`"${tag}"`), `the message names the tag: ${error.message}`);
  assert.match(error.message, cause, "the message names the cause");
}

onServers(
  "with refused connections five callers get an error each after their timeout, and are served later",
  async (t, server) => {
    const name = await database(t, server);
    const wire = await proxy(t, server.url);
    const store = open(t, wire.url, name, { timeout: 3_000 });
    const ids = store.hilo("orders");
    const issued = new Set();
    while (issued.size < 32) issued.add(await ids.next());
    assert.equal(ids.take(), undefined, "no numbers are left");
    await wire.off();
    const started = performance.now();
    const callers = await Promise.all(Array.from({ length: 5 }, () => failure(ids.next())));
    const took = performance.now() - started;
    assert.equal(new Set(callers).size, 5, "each caller gets its own error");
    for (const error of callers) {
      assertTimeout(error, "orders", /ECONNREFUSED|reach/);
      assert.equal(innermost(error).code, "ECONNREFUSED", "the error of the platform is a cause");
    }
    assert.ok(took >= 2_900 && took < 15_000, `${took} ms`);
    await wire.on();
    for (let i = 0; i < 200; i++) {
      const id = await ids.next();
      assert.ok(!issued.has(id), `${id} was issued twice`);
      issued.add(id);
    }
  },
);

onServers(
  "when the time is over during a further attempt, the error names why the one before it failed",
  async (t, server) => {
    const name = await database(t, server);
    let attempts = 0;
    const reason = new TypeError("the cable is out");
    const first = () => Promise.reject(reason);
    const store = open(t, server.url, name, {
      timeout: 700,
      fetch: () => (attempts++ === 0 ? first() : new Promise(() => {})),
    });
    const error = await failure(store.hilo("orders").next());
    assertTimeout(error, "orders", /the cable is out/);
    assert.equal(error.cause, reason);
    assert.equal(attempts, 2);
  },
);

onServers(
  "a server that does not respond gets one request at a time, and the error names the cause",
  async (t, server) => {
    const name = await database(t, server);
    const wire = await proxy(t, server.url);
    const store = open(t, wire.url, name, { timeout: 3_000 });
    const [orders, lines] = [store.hilo("orders"), store.hilo("lines")];
    wire.rule = () => "hole";
    const [a, b] = await Promise.all([
      Promise.all(Array.from({ length: 5 }, () => failure(orders.next()))),
      Promise.all(Array.from({ length: 5 }, () => failure(lines.next()))),
    ]);
    for (const error of a) assertTimeout(error, "orders", /did not respond|reach|no response/);
    for (const error of b) assertTimeout(error, "lines", /did not respond|reach|no response/);
    for (const tag of ["orders", "lines"]) {
      assert.equal(
        wire.most((request) => isLease(request) && request.body.includes(`tag=${tag}`)),
        1,
        tag,
      );
    }
    wire.rule = undefined;
    assert.equal(number(await orders.next()), 1);
    assert.equal(number(await lines.next()), 1);
  },
);

onServers(
  "while connections break, new callers cause one request at a time and are served in time",
  async (t, server) => {
    const name = await database(t, server);
    const wire = await proxy(t, server.url);
    const store = open(t, wire.url, name, { timeout: 20_000 });
    const ids = store.hilo("orders");
    let broken = 0;
    wire.rule = (request) => (isLease(request) && ++broken <= 4 ? "drop" : undefined);
    const callers = [];
    const dropped = wire.next((request) => isLease(request) && broken >= 3);
    for (let i = 0; i < 20; i++) callers.push(ids.next());
    await dropped;
    for (let i = 0; i < 20; i++) callers.push(ids.next());
    const all = await Promise.all(callers);
    assert.equal(new Set(all).size, 40);
    assert.equal(wire.most(isLease), 1);
    assert.ok(broken >= 5);
  },
);

onServers("a 503 of a proxy is retried, then an error with its status", async (t, server) => {
  // The shortest pauses: no attempt is under way when the time is over.
  t.mock.method(Math, "random", () => 0);
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name, { timeout: 3_000 });
  const ids = store.hilo("orders");
  wire.rule = () => ({
    status: 503,
    body: "<html>down for maintenance</html>",
    headers: { "content-type": "text/html" },
  });
  const error = await failure(ids.next());
  assertTimeout(error, "orders", /503/);
  assert.equal(error.status, 503);
  assert.ok(
    wire.of(isLease).length > 1 && wire.of(isLease).length < 20,
    `${wire.of(isLease).length} requests in 3 s`,
  );
  assert.equal(wire.most(isLease), 1);
  wire.rule = undefined;
  assert.equal(await ids.next(), "orders/1-A");
});

onServers("the numbers of a lease with a truncated response are lost", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  const ids = store.hilo("orders");
  const { seen: leases } = events(store, "lease");
  const cuts = [0, 1, 40, 120, 300];
  let at = 0;
  wire.rule = (request) => (isLease(request) && at < cuts.length ? { cut: cuts[at++] } : undefined);
  const issued = [];
  for (let i = 0; i < 100; i++) issued.push(await ids.next());
  assert.equal(at, cuts.length);
  assert.equal(new Set(issued).size, 100);
  assert.equal(issued[0], `orders/${32 * cuts.length + 1}-A`, "each truncated response lost its range");
  await store.dispose();
  assert.equal(await counter(server, name, "orders"), counterAfter(server, leases, number(issued.at(-1))));
});

onServers("the numbers of a lease with a lost response are lost", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  let lost = 0;
  wire.rule = (request) => (isLease(request) && lost++ < 2 ? "lose" : undefined);
  assert.equal(await store.hilo("orders").next(), "orders/65-A");
});

onServers("a lease whose response arrives after its caller gave up is used, once", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name, { timeout: 3_000 });
  const ids = store.hilo("orders");
  let open_;
  const gate = new Promise((resolve) => {
    open_ = resolve;
  });
  wire.rule = (request) => (isLease(request) ? gate : undefined);
  await failure(ids.next());
  wire.rule = undefined;
  open_();
  const issued = new Set();
  for (let i = 0; i < 100; i++) issued.add(await ids.next());
  assert.equal(issued.size, 100);
});

onServers("a failed save leaves the session able to save again, with the same ids", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  const session = store.openSession();
  const entities = Array.from({ length: 10 }, (_, i) => order({ i }));
  for (const entity of entities) await session.store(entity);
  const ids = entities.map(({ id }) => id);
  await wire.off();
  const error = await failure(session.saveChanges());
  assert.ok(["Unreachable", "Timeout"].includes(error.code), error.code);
  assert.match(error.request, /POST .*bulk_docs/);
  assert.equal(session.advanced.hasChanges(), true);
  await wire.on();
  await session.saveChanges();
  assert.equal(session.advanced.hasChanges(), false);
  assert.deepEqual(
    entities.map(({ id }) => id),
    ids,
  );
  for (const [i, id] of ids.entries()) assert.equal((await document(server, name, id)).i, i);
  assert.equal(wire.of(isSave).length, 1);
});

onServers("new documents whose response was lost are read back and recognised", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  const entity = order({ n: 1 });
  await session.store(entity);
  wire.rule = (request) => (isSave(request) ? "lose" : undefined);
  await session.saveChanges();
  assert.equal(wire.of(isSave).length, 1, "never repeated");
  assert.equal((await document(server, name, entity.id)).n, 1, "it was stored");
  assert.equal(session.advanced.hasChanges(), false);
  wire.rule = undefined;
  entity.n = 2;
  await session.saveChanges();
  assert.equal((await document(server, name, entity.id)).n, 2, "with the change vector that was read back");
});

onServers("the outcome of other saves with a lost response is unknown", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  const entity = order({ n: 1 });
  await session.store(entity, "orders/mine");
  wire.rule = (request) => (isSave(request) ? "lose" : undefined);
  const error = await failure(session.saveChanges());
  assert.deepEqual(
    [error.code, error.outcome, error.cause.code],
    ["OutcomeUnknown", "unknown", "Unreachable"],
  );
  assert.equal(wire.of(isSave).length, 1, "never repeated");
  wire.rule = undefined;
  assert.equal(session.advanced.hasChanges(), true);
  await session.saveChanges();
  assert.equal((await document(server, name, "orders/mine")).n, 1);
});

onServers("a save that could not be read back is resolved by the next save", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  const entity = order({ n: 1 });
  await session.store(entity);
  wire.rule = (request) => (isSave(request) ? "lose" : "drop");
  assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
  wire.rule = undefined;
  entity.n = 2;
  await session.saveChanges();
  assert.equal(
    (await document(server, name, entity.id)).n,
    2,
    "the first save is recognised as this session's",
  );
  assert.equal(wire.of(isSave).length, 2);
});

onServers("a save that never arrived is repeated by the next one", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  const entity = order({ n: 1 });
  await session.store(entity);
  wire.rule = (request) => (isSave(request) ? "drop" : undefined);
  const error = await failure(session.saveChanges());
  assert.deepEqual([error.code, error.outcome], ["OutcomeUnknown", "unknown"], "it might still arrive");
  wire.rule = undefined;
  await session.saveChanges();
  assert.equal((await document(server, name, entity.id)).n, 1);
});

onServers(
  "another client's document under the same id is not mistaken for this session's",
  async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    const entity = order({ n: 1 });
    await session.store(entity);
    await send(server.url, "PUT", `/databases/${name}/docs?id=${entity.id}`, order({ n: 7 }));
    wire.rule = (request) => (isSave(request) ? "drop" : undefined);
    assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
    wire.rule = undefined;
    assert.equal((await failure(session.saveChanges())).code, "Concurrency");
    assert.equal((await document(server, name, entity.id)).n, 7);
  },
);

onServers("a load whose connection breaks is sent a second time, but not a third", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  const session = store.openSession();
  await session.store(order({ n: 7 }));
  await session.saveChanges();
  let broken = 0;
  wire.rule = () => (broken++ < 1 ? "drop" : undefined);
  assert.equal((await store.openSession().load("orders/1-A")).n, 7);
  wire.rule = () => "drop";
  const before = wire.requests.length;
  const error = await failure(store.openSession().load("orders/1-A"));
  assert.deepEqual([error.code, wire.requests.length - before], ["Unreachable", 2]);
});

onServers("a failing prefetch affects no caller", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  const leases = events(store, "lease");
  const ids = store.hilo("orders");
  for (let i = 0; i < 31; i++) await ids.next();
  await leases.next();
  wire.rule = () => ({ status: 500, body: '{"Type":"System.Exception","Message":"boom"}' });
  assert.equal(ids.take(), "orders/32-A");
  assert.equal(ids.take(), undefined);
  assert.equal(ids.status().leasing, true, "it leases before the next caller needs it");
  await until(() => !ids.status().leasing, "the end of the prefetch");
  assert.equal(wire.of(isLease).length, 2);
  wire.rule = undefined;
  assert.equal(await within(5_000, ids.next()), "orders/33-A");
});
