// Custom sources of the app: `{ lease, release? }`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { database, missing, ravendb, send } from "../support/server.mjs";
import { events, failure, open, until, within } from "../support/store.mjs";

/** An address where nothing listens; no request is sent to it. */
const NOWHERE = "http://127.0.0.1:9";

const store = (t, source, options) => open(t, NOWHERE, "Shop", { source, ...options });

/** A backend in memory, which records leases and releases. */
function backend() {
  const tops = new Map();
  const made = {
    leases: [],
    released: [],
    lease(tag, size, above) {
      made.leases.push({ tag, size, above });
      const low = Math.max(tops.get(tag) ?? 0, above) + 1;
      tops.set(tag, low + size - 1);
      return { low, high: low + size - 1 };
    },
    release(range) {
      made.released.push(range);
    },
  };
  return made;
}

test("the size of the app's ranges follows demand, and dispose releases each unused end once", async (t) => {
  const source = backend();
  const made = store(t, source);
  const leased = events(made, "lease");
  const returned = events(made, "return");
  const ids = [];
  for (let i = 0; i < 33; i++) ids.push(await made.hilo("orders").next());
  assert.deepEqual(
    ids,
    Array.from({ length: 33 }, (_, i) => `orders/${i + 1}`),
  );
  assert.deepEqual(source.leases.slice(0, 2), [
    { tag: "orders", size: 32, above: 0 },
    { tag: "orders", size: 64, above: 0 },
  ]);
  const { nodeTag, fenced } = await leased.next();
  assert.deepEqual({ nodeTag, fenced }, { nodeTag: "", fenced: false });
  assert.equal(made.hilo("orders").status().fence, undefined);
  await made.hilo("lines").next();
  const top = made.hilo("orders").status().high;
  await Promise.all([made.dispose(), made.dispose()]);
  source.released.sort((a, b) => a.tag.localeCompare(b.tag) || a.low - b.low);
  assert.deepEqual(source.released[0], { tag: "lines", low: 2, high: 32, nodeTag: "" });
  const orders = source.released.slice(1);
  assert.equal(orders[0].low, 34, "no issued number");
  assert.ok(orders[0].high === 96 && top === 96);
  for (const range of orders.slice(1)) assert.ok(range.low > 96, "prefetched ranges, each on its own");
  assert.ok(returned.seen.every(({ applied }) => applied));
});

test("a failed release is reported and not retried", async (t) => {
  const calls = [];
  const source = {
    lease: () => ({ low: 1, high: 9 }),
    release: async (range) => {
      calls.push(range);
      throw new Error("not now");
    },
  };
  const made = store(t, source);
  const returned = events(made, "return");
  await made.hilo("orders").next();
  await made.release();
  const { low, high, applied, error } = await returned.next();
  assert.deepEqual(
    { low, high, applied, code: error.code },
    { low: 2, high: 9, applied: false, code: "Unreachable" },
  );
  assert.match(error.message, /not now/);
  assert.equal(error.cause.message, "not now");
  await made.dispose();
  assert.equal(calls.length, 1);
});

test("a release that hangs does not block dispose forever", async (t) => {
  const made = store(
    t,
    { lease: () => ({ low: 1, high: 9 }), release: () => new Promise(() => {}) },
    { timeout: 1_000 },
  );
  // The time does not depend on their number: they run in parallel.
  for (let tag = 0; tag < 8; tag++) await made.hilo(`tag${tag}`).next();
  await within(4_000, made.dispose(), "dispose");
});

test("without a release function nothing is returned, and dispose reports no error", async (t) => {
  const made = store(t, { lease: () => ({ low: 1, high: 9 }) });
  const returned = events(made, "return");
  await made.hilo("orders").next();
  await made.dispose();
  assert.deepEqual(returned.seen, []);
});

test("the app can set node tag and prefix", async (t) => {
  const responses = [
    { low: 7, high: 7, nodeTag: "eu", prefix: "o-" },
    { low: 7, high: 9, nodeTag: "us" },
  ];
  const ids = store(t, { lease: () => responses.shift() }).hilo("orders");
  assert.deepEqual([await ids.next(), await ids.next()], ["o-7-eu", "orders/7-us"]);
});

for (const [what, response, field] of [
  ["nothing", undefined, "low"],
  ["null", null, "low"],
  ["Low 0", { low: 0, high: 5 }, "low"],
  ["a negative Low", { low: -3, high: 5 }, "low"],
  ["a fraction", { low: 1.5, high: 5 }, "low"],
  ["a BigInt", { low: 1n, high: 5 }, "low"],
  ["a list", [1, 5], "low"],
  ["High below Low", { low: 5, high: 4 }, "high"],
  ["no High", { low: 5 }, "high"],
  ["Infinity", { low: 5, high: Number.POSITIVE_INFINITY }, "high"],
  ["a High above 2^53 - 1", { low: 5, high: 2 ** 53 }, "high"],
  ["a node tag that breaks ids", { low: 1, high: 5, nodeTag: "a-b" }, "nodeTag"],
  ["a prefix that makes two numbers look like one", { low: 1, high: 5, prefix: "o1" }, "prefix"],
  ["a prefix that is no text", { low: 1, high: 5, prefix: 5 }, "prefix"],
]) {
  test(`an invalid range is an error that names the field: ${what}`, async (t) => {
    const { code, message, name } = await failure(
      store(t, { lease: () => response })
        .hilo("orders")
        .next(),
    );
    assert.deepEqual([code, name], ["BadAnswer", "RavenException"]);
    assert.match(message, new RegExp(`field ${field};`));
  });
}

test("a range whose toJSON throws is invalid", async (t) => {
  const response = {
    toJSON() {
      throw new Error("no");
    },
  };
  const { code } = await failure(
    store(t, { lease: () => response })
      .hilo("orders")
      .next(),
  );
  assert.equal(code, "BadAnswer");
});

test("a range that overlaps issued numbers is refused, and the app is asked for a higher one", async (t) => {
  const asked = [];
  const responses = [
    { low: 1, high: 3 },
    { low: 3, high: 9 },
    { low: 4, high: 6 },
  ];
  const made = store(t, { lease: (_, __, above) => asked.push(above) && responses.shift() });
  const back = events(made, "regression");
  const ids = [];
  for (let i = 0; i < 4; i++) ids.push(await made.hilo("orders").next());
  assert.deepEqual(ids, ["orders/1", "orders/2", "orders/3", "orders/4"]);
  assert.deepEqual(asked.slice(0, 3), [0, 0, 3]);
  const { low, high, highest } = await back.next();
  assert.deepEqual({ low, high, highest }, { low: 3, high: 9, highest: 3 });
});

test("a node tag in other case does not make different ids", async (t) => {
  const responses = [
    { low: 1, high: 3, nodeTag: "eu" },
    { low: 1, high: 3, nodeTag: "EU" },
    { low: 4, high: 6, nodeTag: "EU" },
  ];
  const made = store(t, { lease: () => responses.shift() });
  const ids = [];
  for (let i = 0; i < 4; i++) ids.push(await made.hilo("orders").next());
  assert.deepEqual(ids, ["orders/1-eu", "orders/2-eu", "orders/3-eu", "orders/4-EU"]);
});

test("a second overlapping range is an error that names the field", async (t) => {
  const made = store(t, { lease: () => ({ low: 1, high: 3 }) });
  for (let i = 0; i < 3; i++) await made.hilo("orders").next();
  const { code, message } = await failure(made.hilo("orders").next());
  assert.equal(code, "BadAnswer");
  assert.match(message, /field low;/);
});

test("a rejected lease is retried with pauses while callers wait", async (t) => {
  const source = backend();
  let failures = 0;
  const times = [];
  const made = store(t, {
    lease: async (...asked) => {
      times.push(performance.now());
      if (failures++ < 3) throw new Error("the database is being upgraded");
      return source.lease(...asked);
    },
  });
  assert.equal(await made.hilo("orders").next(), "orders/1");
  assert.equal(times.length, 4);
  for (let i = 1; i < 4; i++) assert.ok(times[i] - times[i - 1] >= 40, `a pause before call ${i + 1}`);
});

for (const [what, lease] of [
  ["rejects", () => Promise.reject(new Error("no database"))],
  [
    "throws",
    () => {
      throw new Error("no database");
    },
  ],
])
  test(`a lease function that ${what} forever: callers get the reason within their timeout`, async (t) => {
    const error = await failure(store(t, { lease }, { timeout: 500 }).hilo("orders").next());
    assert.equal(error.code, "Timeout");
    assert.match(error.message, /the source failed: no database/);
    assert.match(inspect(error), /\[cause\]: Error: no database/);
  });

test("a lease function that never resolves does not block its callers", async (t) => {
  const made = store(t, { lease: () => new Promise(() => {}) }, { timeout: 300 });
  assert.equal((await failure(made.hilo("orders").next())).code, "Timeout");
});

test("a range that arrives too late is not used", async (t) => {
  let response;
  const source = backend();
  let first = true;
  const made = store(
    t,
    {
      lease: (...asked) => {
        const range = source.lease(...asked);
        if (!first) return range;
        first = false;
        return new Promise((resolve) => {
          response = () => resolve(range);
        });
      },
    },
    { timeout: 300 },
  );
  await failure(made.hilo("orders").next());
  await until(() => !made.hilo("orders").status().leasing, "the call is given up");
  response();
  assert.equal(await made.hilo("orders").next(), "orders/33");
});

test("the lease function may take ids of the same store", async (t) => {
  const source = backend();
  const made = store(t, {
    lease(tag, ...asked) {
      made.hilo("orders").take();
      made.hilo("log").take();
      return source.lease(tag, ...asked);
    },
  });
  assert.equal(await made.hilo("orders").next(), "orders/1");
});

test("a change of the database's incarnation does not affect the app's numbers", {
  skip: missing(ravendb),
}, async (t) => {
  const name = await database(t, ravendb);
  const made = open(t, ravendb.url, name, { source: backend() });
  assert.equal(await made.hilo("orders").next(), "orders/1");
  await made.openSession().load("orders/1");
  assert.equal(made.hilo("orders").take(), "orders/2", "the server's incarnation does not concern them");
  assert.equal((await send(ravendb.url, "GET", `/databases/${name}/docs?id=Raven/Hilo/orders`)).status, 404);
});
