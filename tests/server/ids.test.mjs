// The id generator: tags, take, reserve, status.
import assert from "node:assert/strict";
import { isLease, proxy } from "../support/proxy.mjs";
import { counter, database, number, onServers } from "../support/server.mjs";
import { failure, open, within } from "../support/store.mjs";

onServers("tags that RavenDB cannot lease safely are refused before anything is sent", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  for (const tag of [
    "",
    " ",
    "orders/",
    "/",
    "orders|",
    "a\nb",
    "a\u0000b",
    "\u0085x",
    "q".repeat(502),
    "ü".repeat(251),
  ]) {
    const ids = store.hilo(tag);
    assert.equal(ids.take(), undefined);
    for (const refused of [ids.next(), ids.reserve(1)]) {
      const error = await failure(refused);
      assert.equal(error.code, "InvalidTag", JSON.stringify(tag));
      assert.equal(error.name, "InvalidArgumentException");
    }
    assert.equal(ids.status().atHand, 0);
  }
  assert.deepEqual(wire.requests, []);
  assert.equal(await store.hilo("q".repeat(501)).next(), `${"q".repeat(501)}/1-A`);
});

onServers(
  "take returns undefined before the first lease, then strings, then undefined again",
  async (t, server) => {
    const name = await database(t, server);
    const store = open(t, server.url, name);
    const ids = store.hilo("orders");
    assert.equal(await store.hilo("lines").next(), "lines/1-A");
    await ids.reserve(10);
    const taken = Array.from({ length: 32 }, () => ids.take());
    assert.deepEqual(
      taken,
      Array.from({ length: 32 }, (_, i) => `orders/${i + 1}-A`),
    );
  },
);

onServers("take before the first lease returns undefined and starts a lease", async (t, server) => {
  const name = await database(t, server);
  const store = open(t, server.url, name);
  const leased = new Promise((resolve) => store.on("lease", resolve));
  assert.equal(store.hilo("orders").take(), undefined);
  assert.equal((await within(10_000, leased)).low, 1);
  assert.equal(store.hilo("orders").take(), "orders/1-A");
});

onServers("reserve provides that many numbers with one exact lease", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  const ids = store.hilo("orders");
  await ids.reserve(5_000);
  assert.equal(wire.of(isLease).length, 1);
  assert.match(wire.requests[0].body, /lastBatchSize=5000&/);
  assert.doesNotMatch(wire.requests[0].body, /lastRangeAt/);
  const { atHand, parked, low, high, nodeTag, leasing, fence } = ids.status();
  assert.deepEqual(
    { atHand, parked, low, high, nodeTag, leasing },
    { atHand: 5_000, parked: 0, low: 1, high: 5_000, nodeTag: "A", leasing: false },
  );
  assert.match(fence, /^A:\d+-\S+ \d{4}-\S+Z$/);
  for (let i = 1; i <= 5_000; i++) {
    if (i % 999 === 1)
      assert.deepEqual(ids.status().held, [{ low: i, high: 5_000 }], "all following numbers");
    assert.equal(ids.take(), `orders/${i}-A`);
  }
  assert.deepEqual(ids.status().held, []);
  await ids.reserve(0);
  await store.dispose();
});

onServers("reserve requests only the missing numbers and leaves no gap", async (t, server) => {
  const name = await database(t, server);
  const store = open(t, server.url, name);
  const ids = store.hilo("orders");
  assert.equal(await ids.next(), "orders/1-A");
  await ids.reserve(31);
  assert.equal(await counter(server, name, "orders"), 32, "31 were available already");
  await ids.reserve(100);
  const { atHand, held } = ids.status();
  assert.ok(atHand >= 100);
  assert.equal(held[0].low, 2);
  assert.equal(
    held.reduce((sum, { low, high }) => sum + high - low + 1, 0),
    atHand,
    "each number in memory, once",
  );
  const rest = [];
  for (let id = ids.take(); id !== undefined && rest.length < 100; id = ids.take()) rest.push(number(id));
  assert.deepEqual(
    rest,
    Array.from({ length: 100 }, (_, i) => i + 2),
  );
  await Promise.all([ids.reserve(200), ids.reserve(300), ids.next(), ids.reserve(10)]);
  assert.ok(ids.status().atHand >= 200);
});

onServers("reserve refuses an invalid number", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const ids = open(t, wire.url, name).hilo("orders");
  for (const count of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "5", undefined, 1_048_577, 2 ** 53]) {
    assert.equal((await failure(ids.reserve(count))).code, "InvalidArgument", String(count));
  }
  assert.deepEqual(wire.requests, []);
});

onServers("the largest reserve is granted and returned whole", async (t, server) => {
  const name = await database(t, server);
  const store = open(t, server.url, name);
  await store.hilo("orders").reserve(1_048_576);
  assert.equal(await counter(server, name, "orders"), 1_048_576);
  await store.dispose();
  assert.equal(await counter(server, name, "orders"), 0);
});

onServers(
  "a tag has one generator in any case, as RavenDB's counters are case-insensitive",
  async (t, server) => {
    const name = await database(t, server);
    const store = open(t, server.url, name);
    const all = await Promise.all(
      ["orders", "Orders", "ORDERS", "orders"].map((tag) => store.hilo(tag).next()),
    );
    assert.equal(new Set(all.map((id) => id.toLowerCase())).size, 4, all.join());
    assert.equal(await counter(server, name, "orders"), 32);
  },
);

onServers(
  "ten thousand ids by take and next are contiguous, distinct, and in order for each caller",
  async (t, server) => {
    const name = await database(t, server);
    const ids = open(t, server.url, name).hilo("orders");
    const all = [];
    const worker = async () => {
      for (let i = 0; i < 1_000; i++)
        all.push(number(i % 3 ? (ids.take() ?? (await ids.next())) : await ids.next()));
    };
    await Promise.all(Array.from({ length: 10 }, worker));
    const sorted = [...all].sort((a, b) => a - b);
    assert.deepEqual(
      sorted,
      Array.from({ length: 10_000 }, (_, i) => i + 1),
      "no gap and no duplicate",
    );
  },
);

onServers("after a reserve prefetched leases follow demand again", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const ids = open(t, wire.url, name).hilo("orders");
  await ids.reserve(100);
  for (let i = 0; i < 1_500; i++) await ids.next();
  const leases = wire.of(isLease).length;
  assert.ok(leases <= 8, `${leases} leases for 1,500 ids`);
});
