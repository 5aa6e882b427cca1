// The WebAssembly instance traps: nothing hangs, the dead instance issues nothing, and a new one replaces it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DocumentStore as Store } from "../../pkg/dist/entries/node.js";
import { HiLo } from "../../pkg/dist/numbers/hilo.js";
import { SharedRuntime } from "../../pkg/dist/runtime/shared-runtime.js";
import * as child from "../support/child.mjs";
import { entries, kill } from "../support/kill.mjs";
import { isLease, proxy } from "../support/proxy.mjs";
import { GRANT, leased, scriptedServer } from "../support/scripted-server.mjs";
import {
  authority,
  counter,
  database,
  document,
  missing,
  number,
  onServers,
  order,
} from "../support/server.mjs";
import { failure, storesOf, within } from "../support/store.mjs";

// The instance of pkg/lib is inside of its file; that of pkg/dist can be reached and killed.
const { open } = storesOf(Store);
const script = (text) =>
  child.script(text, { from: new URL("../../pkg/dist/entries/node.js", import.meta.url).href });

onServers(
  "counters are empty at once, waiting callers get an error, and a new instance leases new numbers",
  async (t, server) => {
    const name = await database(t, server);
    const wire = await proxy(t, server.url);
    const store = open(t, wire.url, name);
    const ids = store.hilo("orders");
    const issued = [await ids.next(), ids.take(), ids.take()];
    wire.rule = (request) => (isLease(request) ? "hole" : undefined);
    const asked = wire.next(isLease);
    const waiting = Array.from({ length: 3 }, () => failure(store.hilo("lines").next()));
    await asked;
    kill();
    assert.equal(ids.take(), undefined, "synchronously");
    assert.equal(ids.status().atHand, 0);
    for (const error of await within(2_000, Promise.all(waiting))) assert.equal(error.code, "Dead");
    wire.rule = undefined;
    const later = [await ids.next(), ids.take(), await store.hilo("lines").next()];
    assert.equal(number(later[0]), 33, "the numbers of the dead instance are lost");
    assert.equal(new Set([...issued, ...later]).size, 6);
    await store.dispose();
    assert.equal(await counter(server, name, "orders"), 34);
  },
);

onServers("the response to a request of a dead instance does not reach the new one", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  await store.ready();
  let response;
  const isLoad = ({ path }) => path.endsWith("/docs");
  const answered = new Promise((resolve) => {
    response = resolve;
  });
  wire.rule = (request) => (isLoad(request) ? answered : undefined);
  const [asked, responded] = [wire.next(isLoad), wire.next(isLoad, { responded: true })];
  const loading = failure(store.openSession().load("orders/1-A"));
  await asked;
  kill();
  assert.equal((await loading).code, "Dead");
  const ids = store.hilo("orders");
  await ids.next();
  response({ status: 404, headers: { "Database-Cluster-Tx-Id": "of the day before" } });
  await responded;
  for (let count = 2; count <= 33; count++) assert.equal(await ids.next(), `orders/${count}-A`);
  assert.equal(wire.of(isLease).length, 2);
});

onServers("a session of a dead instance fails with an error; a new session works", async (t, server) => {
  const name = await database(t, server);
  const store = open(t, server.url, name);
  const old = store.openSession();
  const entity = order({ n: 1 });
  await old.store(entity);
  await old.saveChanges();
  kill();
  assert.equal((await failure(old.saveChanges())).code, "Dead");
  const session = store.openSession();
  const fresh = order({ n: 2 });
  await session.store(fresh);
  await session.saveChanges();
  assert.notEqual(fresh.id, entity.id);
  for (const refused of [old.store(order()), old.load("orders/1-A"), old.saveChanges()]) {
    assert.equal((await failure(refused)).code, "Dead");
  }
  // Its synchronous members may return or throw, but must not use or damage the new instance.
  try {
    const vector = old.advanced.getChangeVectorFor(entity);
    assert.ok(vector === null || typeof vector === "string");
  } catch (error) {
    assert.equal(error.code, "Dead", String(error));
  }
  assert.equal(old.advanced.getDocumentId(entity), entity.id);
  await session.saveChanges();
  assert.equal((await document(server, name, fresh.id)).n, 2);
});

test("the module has exports to call", () => assert.ok(entries.length > 8));

for (const [what, entry] of entries) {
  test(`a trap in ${what} loses the numbers at hand, and the next caller is served`, {
    timeout: 20_000,
  }, async (t) => {
    let low = 1;
    const server = await scriptedServer(t, () => {
      low += 32;
      return { body: leased({ ...GRANT, Low: low - 32, High: low - 1 }) };
    });
    const store = open(t, server.url, "db", { timeout: 3_000 });
    const ids = store.hilo("orders");
    assert.equal(await ids.next(), "orders/1-A");
    kill(entry);
    assert.equal(ids.take(), undefined);
    assert.equal(await within(3_000, ids.next()), "orders/33-A");
    assert.equal(ids.take(), "orders/34-A");
  });
}

onServers("an instance that dies again and again never issues an id twice", async (t, server) => {
  const name = await database(t, server);
  const store = open(t, server.url, name);
  const ids = store.hilo("orders");
  const issued = new Set();
  let total = 0;
  for (let round = 0; round < 20; round++) {
    for (let i = 0; i < 7; i++) {
      issued.add(await ids.next());
      total++;
    }
    const waiting =
      round % 2
        ? []
        : Array.from({ length: 5 }, () =>
            store
              .hilo(`t${round}`)
              .next()
              .catch((error) => error),
          );
    kill();
    // A caller that had not reached the dead instance is served by the next one.
    for (const outcome of await within(3_000, Promise.all(waiting))) {
      assert.ok(outcome.code === "Dead" || typeof outcome === "string", String(outcome));
    }
  }
  assert.equal(issued.size, total);
});

const died = { skip: missing(authority), timeout: 40_000 };

/** A script whose instance dies while work is pending; no unhandled rejection may end the process. */
const deadly = (url, name, body) => `
  import { kill } from ${JSON.stringify(new URL("../support/kill.mjs", import.meta.url).href)};
  const problems = [];
  process.on("uncaughtException", (error) => problems.push("uncaught: " + error.stack));
  process.on("unhandledRejection", (error) => problems.push("unhandled: " + (error?.stack ?? error)));
  const store = new DocumentStore(${JSON.stringify(url)}, ${JSON.stringify(name)}, { timeout: 3_000 });
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  ${body}
  console.log(JSON.stringify(problems));`;

test("a death with waiting callers and a pending request leaves nothing unhandled", died, async (t) => {
  const name = await database(t, authority);
  const wire = await proxy(t, authority.url);
  wire.rule = () => "hole";
  const { out, err } = await script(
    deadly(
      wire.url,
      name,
      `
      const outcomes = [1, 2, 3].map(() => store.hilo("orders").next().catch((error) => error.code));
      await pause(300);
      kill();
      console.log(JSON.stringify(await Promise.all(outcomes)));
      await pause(3_500);`,
    ),
  );
  assert.deepEqual(out.trim().split("\n"), ['["Dead","Dead","Dead"]', "[]"], err);
});

test(
  "pending timers and requests of a dead instance leave nothing unhandled after its replacement",
  died,
  async (t) => {
    const name = await database(t, authority);
    const wire = await proxy(t, authority.url);
    wire.rule = (request) => (request.body.includes("slow") ? "hole" : undefined);
    const { out, err } = await script(
      deadly(
        wire.url,
        name,
        `
      const first = await store.hilo("orders").next();
      const outcomes = [1, 2, 3].map(() => store.hilo("slow").next().catch((error) => error.code));
      await pause(300);
      kill();
      const second = await store.hilo("orders").next();
      console.log(JSON.stringify([first, second, ...(await Promise.all(outcomes))]));
      await pause(3_500);
      console.log(await store.hilo("orders").next());`,
      ),
    );
    assert.deepEqual(
      out.trim().split("\n"),
      ['["orders/1-A","orders/33-A","Dead","Dead","Dead"]', "orders/34-A", "[]"],
      err,
    );
  },
);

test(
  "a death during the response to a lease drops the response and leaves nothing unhandled",
  died,
  async (t) => {
    const name = await database(t, authority);
    const wire = await proxy(t, authority.url);
    // The first lease is forwarded when the next instance has sent the second, which waits for the response to the first.
    const isSecond = (request) => isLease(request) && wire.of(isLease).length === 2;
    const sent = wire.next(isSecond).then(() => undefined);
    const first = wire.next(isLease, { responded: true }).then(() => undefined);
    wire.rule = (request) => (isSecond(request) ? first : isLease(request) ? sent : undefined);
    const { out, err } = await script(
      deadly(
        wire.url,
        name,
        `
      const outcome = store.hilo("orders").next().catch((error) => error.code);
      await new Promise((resolve) => store.on("beforeRequest", resolve));
      await pause(100);
      kill();
      const later = store.hilo("orders").next();
      console.log(await outcome, await later);
      await pause(600);`,
      ),
    );
    assert.deepEqual(out.trim().split("\n"), ["Dead orders/33-A", "[]"], err);
  },
);

test("the retry timer of a dead instance has no effect", died, async (t) => {
  const name = await database(t, authority);
  const wire = await proxy(t, authority.url);
  await wire.off();
  const running = script(
    deadly(
      wire.url,
      name,
      `
      const outcome = store.hilo("orders").next().catch((error) => error.code);
      await pause(400);
      kill();
      store.hilo("orders").take();
      console.log(await outcome, await store.hilo("orders").next().catch((error) => error.code));
      await pause(3_500);`,
    ),
  );
  const { out, err } = await running;
  assert.deepEqual(out.trim().split("\n"), ["Dead Timeout", "[]"], err);
});

for (const leases of [true, false]) {
  test(`a ${leases ? "lease" : "move"} that began in the turn of a death is not run by the next instance`, async () => {
    let die;
    let counter;
    let alive;
    const begin = () => {
      alive = true;
    };
    const glue = {
      initSync: begin,
      __wbg_reset_state: begin,
      isAlive: () => alive,
      onDeath: (watcher) => (die = watcher),
    };
    const runtime = new SharedRuntime(glue, () => ({}));
    const store = {
      runtime,
      timeout: 1_000,
      chosen: () => [-1, 0],
      waitUntil() {},
      turn: (_, lease) => lease(),
      traced: (_, run) => run(),
      core: async () => {},
    };
    const steps = [];
    const task = (name) => ({ step: () => void steps.push(name), free() {} });
    const core = {
      addTag: (_, given) => {
        counter = given;
        return 0;
      },
      notify() {},
    };
    runtime.start();
    const hilo = new HiLo(store, "orders");
    hilo.attach(core);
    counter.spawn(task("of the living"), leases);
    await new Promise((resolve) => setImmediate(resolve));
    counter.spawn(task("of the dead"), leases);
    alive = false;
    die(new Error("a trap"));
    hilo.detach();
    runtime.start();
    hilo.attach(core);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(steps, ["of the living"]);
  });
}

test("a death during dispose ends dispose", died, async (t) => {
  const name = await database(t, authority);
  const wire = await proxy(t, authority.url);
  const store = new Store(wire.url, name, { timeout: 2_000 });
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  await store.hilo("orders").next();
  wire.rule = () => "hole";
  const disposed = store.dispose().catch((error) => assert.equal(error.code, "Dead"));
  kill();
  await within(3_000, disposed);
  assert.equal((await failure(store.hilo("orders").next())).code, "Disposed");
});
