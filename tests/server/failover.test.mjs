// Two nodes that replicate counters by highest Max: an id always has the node tag of its own range.
import assert from "node:assert/strict";
import { test } from "node:test";
import { start } from "../support/child.mjs";
import { isLease, isReturn, isSave, proxy } from "../support/proxy.mjs";
import { GRANT, leased, scriptedServer } from "../support/scripted-server.mjs";
import { counter, database, document, number, onServers, order } from "../support/server.mjs";
import { DocumentStore, events, failure, open } from "../support/store.mjs";

const program = process.env.AUTHORITY_BIN;
const nodes = { skip: !program && "no authority to start", timeout: 60_000 };

/** Nodes A and B, each behind a proxy. */
async function cluster(t, args = []) {
  const { matches } = await start(
    t,
    program,
    ["--port", "0", "--nodes", "2", ...args],
    /Authority (\w) available on: (\S+)/g,
    { count: 2 },
  );
  const [a, b] = matches.map(([, tag, url]) => ({ name: tag, url }));
  assert.deepEqual([a.name, b.name], ["A", "B"]);
  const name = await database(t, a);
  return { a, b, name, wires: [await proxy(t, a.url), await proxy(t, b.url)] };
}

/** The ranges that were granted through a proxy. */
const grants = (wire) =>
  wire
    .of(isLease)
    .filter(({ responseText }) => responseText)
    .map(({ responseText }) => JSON.parse(responseText).Results[0].Result);

function assertTags(ids, wires) {
  const ranges = wires.flatMap(grants);
  for (const id of ids) {
    const [, n, tag] = /^orders\/(\d+)-([AB])$/.exec(id) ?? assert.fail(id);
    assert.ok(
      ranges.some(({ Low, High, ServerTag }) => ServerTag === tag && Low <= Number(n) && Number(n) <= High),
      `${id} is in no range of node ${tag}`,
    );
  }
  assert.equal(new Set(ids).size, ids.length, "no id twice");
}

test(
  "when node A dies during a burst, every id has the tag of its own range and none is issued twice",
  nodes,
  async (t) => {
    const { name, wires } = await cluster(t);
    const [wa, wb] = wires;
    const stores = Array.from({ length: 5 }, () => open(t, [wa.url, wb.url], name, { timeout: 10_000 }));
    const issued = [];
    const half = new Promise((resolve) => {
      stores[0].on("lease", ({ low }) => low > 400 && resolve());
    });
    const burst = Promise.all(
      stores.map(async (store) => {
        for (let i = 0; i < 400; i++) issued.push(await store.hilo("orders").next());
      }),
    );
    await half;
    await wa.off();
    await burst;
    assert.equal(issued.length, 2_000);
    assertTags(issued, wires);
    for (const tag of ["A", "B"])
      assert.ok(
        issued.some((id) => id.endsWith(`-${tag}`)),
        `ids of both nodes, ${tag} too`,
      );
  },
);

test(
  "after lost lease responses and the return of A, no id is issued twice and returns go to their own nodes",
  nodes,
  async (t) => {
    const { a, name, wires } = await cluster(t);
    const [wa, wb] = wires;
    const store = open(t, [wa.url, wb.url], name, { timeout: 10_000 });
    const ids = store.hilo("orders");
    const issued = [];
    const take = async (count) => {
      for (let i = 0; i < count; i++) issued.push(await ids.next());
    };
    await take(40);
    wa.rule = (request) => (isLease(request) ? "lose" : undefined);
    await take(300);
    wa.rule = undefined;
    wb.rule = (request) => (isLease(request) ? "drop" : undefined);
    await take(1_500);
    wb.rule = undefined;
    await take(3);
    assertTags(issued, wires);
    await store.dispose();
    for (const [wire, tag] of [
      [wa, "A"],
      [wb, "B"],
    ]) {
      for (const { body } of wire.of(isReturn)) {
        for (const { Patch } of JSON.parse(body).Commands) {
          const { high, last } = Patch.Values;
          const lease = grants(wire).find(({ High }) => High === high);
          assert.equal(lease?.ServerTag, tag, "a fence goes only to the node that granted it");
          assert.ok(last >= lease.Low - 1, "not below its own lease in a cluster");
        }
      }
    }
    const highest = issued.reduce((most, id) => Math.max(most, number(id)), 0);
    assert.ok((await counter(a, name, "orders")) >= highest);
  },
);

test("clients on both nodes that lease and return for a while never get the same id", nodes, async (t) => {
  const { name, wires } = await cluster(t, ["--replication-delay-ms", "3"]);
  const issued = [];
  const client = async (seed) => {
    const urls = seed % 2 ? wires.map(({ url }) => url) : wires.map(({ url }) => url).reverse();
    for (let round = 0; round < 8; round++) {
      const store = new DocumentStore(urls, name, { timeout: 10_000 });
      store.conventions.disableTopologyUpdates = true;
      store.initialize();
      const count = (seed * 11 + round * 17) % 70;
      for (let i = 0; i < count; i++) issued.push(await store.hilo("orders").next());
      await store.dispose();
    }
  };
  await Promise.all([1, 2, 3, 4, 5, 6].map(client));
  assertTags(issued, wires);
});

test(
  "nodes are learnt from the topology: with one configured address, the other node takes over",
  nodes,
  async (t) => {
    const { a, b, name } = await cluster(t);
    const wire = await proxy(t, a.url);
    const store = open(t, wire.url, name, { topology: true, timeout: 10_000 });
    const session = store.openSession();
    const first = order({ n: 1 });
    const learnt = wire.next(({ path }) => path === "/topology", { responded: true });
    await session.store(first);
    await learnt;
    await session.saveChanges();
    await wire.off();
    // The app's own address is unreachable; the addresses of A and B came with the topology.
    const ids = [];
    for (let i = 0; i < 100; i++) ids.push(await store.hilo("orders").next());
    assert.equal(new Set([...ids, first.id]).size, 101);
    assert.equal((await store.openSession().load(first.id)).n, 1);
    assert.ok(await counter(b, name, "orders"));
  },
);

onServers("a client that only takes ids learns the nodes too", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name, { topology: true });
  const learnt = wire.next(({ path }) => path === "/topology", { responded: true });
  await Promise.all([learnt, store.hilo("orders").next()]);
});

test("reads go to the other node at once; a save does not, and its error says so", nodes, async (t) => {
  const { a, name, wires } = await cluster(t);
  const [wa, wb] = wires;
  const store = open(t, [wa.url, wb.url], name, { timeout: 5_000 });
  const session = store.openSession();
  await session.store(order({ n: 1 }));
  const entity = order({ n: 0 });
  await session.store(entity);
  await session.saveChanges();
  entity.n = 2;
  wa.rule = (request) => (isSave(request) ? "lose" : undefined);
  const error = await failure(session.saveChanges());
  assert.equal(error.code, "OutcomeUnknown");
  assert.equal(wb.of(isSave).length, 0, "it may have arrived");
  assert.equal((await document(a, name, entity.id)).n, 2);
  await wa.off();
  assert.equal((await store.openSession().load("orders/1-A")).n, 1);
});

test("a node that hangs does not use up the whole timeout", nodes, async (t) => {
  const { name, wires } = await cluster(t);
  const [wa, wb] = wires;
  wa.rule = () => "hole";
  const store = open(t, [wa.url, wb.url], name, { timeout: 4_000 });
  const failed = events(store, "failedRequest");
  assert.match(await store.hilo("orders").next(), /^orders\/1-B$/);
  assert.equal(wb.of(isLease).length, 1);
  const { url, error } = await failed.next();
  assert.ok(url.startsWith(wa.url));
  assert.deepEqual([error.code, error.name], ["Timeout", "TimeoutException"]);
});

test("a node without an address leaves the others of its topology known", async (t) => {
  const second = await scriptedServer(t, () => ({ body: leased({ ...GRANT, ServerTag: "B" }) }));
  const Nodes = [
    { Url: null, ServerRole: "Member" },
    { Url: second.url, ServerRole: "Member" },
  ];
  const first = await scriptedServer(t, ({ path }) =>
    path === "/topology"
      ? { body: JSON.stringify({ Nodes, Etag: 2 }) }
      : { status: 503, headers: { "refresh-topology": "true" } },
  );
  const store = open(t, first.url, "db", { topology: true });
  const failed = [];
  store.on("failedRequest", ({ url }) => failed.push(url));
  assert.equal(await store.hilo("orders").next(), "orders/1-B");
  assert.deepEqual(failed, [], "nothing is sent to it");
});

test(
  "if a node is unreachable at dispose, its unused numbers are lost and those of the other node are returned",
  nodes,
  async (t) => {
    const { name, wires, b } = await cluster(t);
    const [wa, wb] = wires;
    const store = open(t, [wa.url, wb.url], name, { timeout: 6_000 });
    assert.equal(await store.hilo("orders").next(), "orders/1-A");
    await wa.off();
    assert.equal(await store.hilo("lines").next(), "lines/1-B");
    const returned = events(store, "return");
    await store.dispose();
    const appliedByTag = Object.fromEntries(returned.seen.map(({ tag, applied }) => [tag, applied]));
    assert.deepEqual(appliedByTag, { orders: false, lines: true });
    assert.equal(await counter(b, name, "orders"), 32);
    assert.equal(await counter(b, name, "lines"), 1);
    assert.equal(wb.of(isReturn).length, 1);
    assert.doesNotMatch(wb.of(isReturn)[0].body, /orders/, "A's fence never goes to B");
  },
);

test("a save that could not connect goes to the other node, because nothing was sent", nodes, async (t) => {
  const { a, name, wires } = await cluster(t);
  const [wa, wb] = wires;
  const store = open(t, [wa.url, wb.url], name, { timeout: 5_000 });
  await wa.off();
  const session = store.openSession();
  await session.store(order({ n: 1 }), "orders/mine");
  await session.saveChanges();
  assert.equal(wb.of(isSave).length, 1);
  await wb.off();
  await session.store(order({ n: 2 }), "orders/other");
  const error = await failure(session.saveChanges());
  assert.deepEqual([error.code, error.outcome], ["Unreachable", "not saved"]);
  assert.equal((await document(a, name, "orders/other")) ?? null, null);
});

test(
  "a database that was removed from a node is found on the other one by reads, leases and saves",
  nodes,
  async (t) => {
    const { b, name, wires } = await cluster(t);
    const [wa, wb] = wires;
    const Type = "Raven.Client.Exceptions.Database.DatabaseNotRelevantException";
    wa.rule = () => ({ status: 410, body: JSON.stringify({ Type, Message: "not here" }) });
    const urls = [wa.url, wb.url];
    assert.equal(await open(t, urls, name).openSession().load("orders/mine"), null);
    assert.equal(await open(t, urls, name).hilo("orders").next(), "orders/1-B");
    const session = open(t, urls, name).openSession();
    await session.store(order({ n: 1 }), "orders/mine");
    await session.saveChanges();
    assert.equal((await document(b, name, "orders/mine")).n, 1);
    wb.rule = wa.rule;
    await session.store(order({ n: 2 }), "orders/other");
    const error = await failure(session.saveChanges());
    assert.deepEqual([error.status, error.type, error.outcome], [410, Type, undefined]);
  },
);
