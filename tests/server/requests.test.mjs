// The requests of leases, saves and returns, counted by a proxy.
import assert from "node:assert/strict";
import { isLease, isReturn, isSave, proxy } from "../support/proxy.mjs";
import {
  counter,
  create,
  database,
  document,
  number,
  onServers,
  order,
  otherLease,
  remove,
  send,
} from "../support/server.mjs";
import { events, open } from "../support/store.mjs";

onServers(
  "32 stores in three sessions need one lease, the 33rd a second one of 64, and each save one request",
  async (t, server) => {
    const name = await database(t, server);
    const wire = await proxy(t, server.url);
    const store = open(t, wire.url, name);
    const ids = [];
    for (const count of [10, 11, 11]) {
      const session = store.openSession();
      for (let i = 0; i < count; i++) {
        const entity = order({ i });
        await session.store(entity);
        ids.push(entity.id);
      }
      await session.saveChanges();
    }
    assert.deepEqual(
      ids,
      Array.from({ length: 32 }, (_, i) => `orders/${i + 1}-A`),
    );
    assert.equal(wire.of(isLease).length, 1);
    assert.equal(wire.of(isSave).length, 3);
    assert.equal(wire.requests.length, 4, "nothing else is sent");
    assert.match(wire.requests[0].path, /\/multi_get$/);
    const session = store.openSession();
    const late = order();
    await session.store(late);
    await session.saveChanges();
    assert.equal(late.id, "orders/33-A");
    // On a slow machine a fast writer may cause a third one ahead of need.
    const [first, second] = wire
      .of(isLease)
      .map(({ responseText }) => responseText && JSON.parse(responseText).Results[0].Result);
    const sizes = [first, second].map(({ Low, High, LastSize }) => ({ Low, High, LastSize }));
    assert.deepEqual(sizes, [
      { Low: 1, High: 32, LastSize: 32 },
      { Low: 33, High: 96, LastSize: 64 },
    ]);
    assert.equal(wire.of(isSave).length, 4);
    await store.dispose();
    assert.equal(wire.of(isReturn).length, 1);
    assert.equal(await counter(server, name, "orders"), 33);
  },
);

onServers("dispose returns the numbers of all tags in one bulk_docs", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  const tags = ["orders", "customers", "lines", "notes"];
  await Promise.all(tags.flatMap((tag, i) => Array.from({ length: i + 1 }, () => store.hilo(tag).next())));
  const returned = events(store, "return");
  const before = wire.requests.length;
  await store.dispose();
  await store.dispose();
  const [back, ...more] = wire.requests.slice(before);
  assert.deepEqual(more, []);
  assert.ok(isReturn(back));
  assert.equal(JSON.parse(back.body).Commands.length, 4);
  for (const [i, tag] of tags.entries()) {
    const { applied, low, high, error } = returned.seen.find((event) => event.tag === tag);
    assert.deepEqual(
      { applied, low, high, error },
      { applied: true, low: i + 2, high: 32, error: undefined },
    );
    assert.equal(await counter(server, name, tag), i + 1);
  }
});

onServers("a store that issued no ids sends nothing when it is disposed", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  store.hilo("orders");
  const session = store.openSession();
  await session.saveChanges();
  await store.dispose();
  assert.deepEqual(wire.requests, []);
});

onServers("a range that was used completely is not returned", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  for (let i = 0; i < 32; i++) await store.hilo("orders").next();
  await store.dispose();
  assert.equal(wire.of(isReturn).length, 0);
  assert.equal(await counter(server, name, "orders"), 32);
});

onServers(
  "a return after another client's lease does not change Max, and reports that",
  async (t, server) => {
    const name = await database(t, server);
    const store = open(t, server.url, name);
    assert.equal(await store.hilo("orders").next(), "orders/1-A");
    const other = await otherLease(server, name, "orders");
    assert.equal(other.Low, 33);
    const returned = events(store, "return");
    await store.dispose();
    const { tag, low, high, applied, error } = await returned.next();
    assert.deepEqual(
      { tag, low, high, applied, error },
      { tag: "orders", low: 2, high: 32, applied: false, error: undefined },
    );
    assert.equal(await counter(server, name, "orders"), other.High);
  },
);

onServers(
  "a return that is delivered again changes nothing, whatever happened in between",
  async (t, server) => {
    const name = await database(t, server);
    const wire = await proxy(t, server.url);
    const store = open(t, wire.url, name);
    await store.hilo("orders").next();
    await store.dispose();
    const [{ path, body }] = wire.of(isReturn);
    const again = async () => (await send(server.url, "POST", path, body)).json.Results[0].PatchStatus;
    assert.equal(await counter(server, name, "orders"), 1);
    assert.equal(await again(), "NotModified");
    assert.equal(await counter(server, name, "orders"), 1);
    // The critical case: another client holds a range with the same end.
    const other = open(t, server.url, name);
    await other.hilo("orders").next();
    assert.equal(await counter(server, name, "orders"), 33);
    await send(server.url, "PUT", `/databases/${name}/docs?id=Raven%2FHilo%2Forders`, {
      Max: 32,
      "@metadata": { "@collection": "@hilo" },
    });
    assert.equal(await again(), "NotModified");
    assert.equal(await counter(server, name, "orders"), 32);
  },
);

onServers("a return with a lost response can be sent again without a further effect", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  await store.hilo("orders").next();
  let lost = 0;
  wire.rule = (request) => (isReturn(request) && lost++ === 0 ? "lose" : undefined);
  const returned = events(store, "return");
  await store.dispose();
  assert.equal(wire.of(isReturn).length, 2);
  assert.equal(wire.of(isReturn)[0].body, wire.of(isReturn)[1].body, "the same bytes");
  assert.equal((await returned.next()).applied, false, "NotModified: the first delivery applied it");
  assert.equal(await counter(server, name, "orders"), 1);
});

onServers("every lease has its own nonce, and its fence is read in the same request", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  for (let i = 0; i < 200; i++) await store.hilo("orders").next();
  const leases = wire.of(isLease);
  assert.ok(leases.length >= 2);
  assert.equal(new Set(leases.map(({ target }) => target)).size, leases.length);
  assert.equal(new Set(leases.map(({ body }) => body)).size, leases.length);
  for (const { body } of leases) {
    const [next, read] = JSON.parse(body).Requests;
    assert.match(next.Url, /\/hilo\/next$/);
    assert.match(next.Query, /nonce=\d+/);
    assert.equal(read.Query, "?id=Raven%2FHilo%2Forders");
  }
  assert.match(JSON.parse(leases[1].body).Requests[0].Query, /lastBatchSize=32&lastRangeAt=/);
});

onServers("many concurrent callers are served by one lease", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  const ids = await Promise.all(Array.from({ length: 1_000 }, () => store.hilo("orders").next()));
  assert.equal(new Set(ids).size, 1_000);
  assert.deepEqual(
    ids,
    ids.map((_, i) => `orders/${i + 1}-A`),
    "first come, first served",
  );
  assert.equal(wire.most(isLease), 1, "one lease at a time");
  assert.ok(wire.of(isLease).length <= 2, `${wire.of(isLease).length} leases`);
});

onServers("after its counter was deleted or lowered, a client issues no id twice", async (t, server) => {
  const name = await database(t, server);
  const store = open(t, server.url, name);
  const regressions = events(store, "regression");
  const ids = store.hilo("orders");
  const issued = new Set();
  const take = async (count) => {
    for (let i = 0; i < count; i++) {
      const id = await ids.next();
      assert.ok(!issued.has(id), `${id} was issued twice`);
      issued.add(id);
    }
  };
  // Between a lease and the read of its fence the change would leave it without one, and a gateway wants it as a proof.
  const idle = async () => {
    while (ids.status().leasing) await new Promise(setImmediate);
  };
  await take(40);
  await idle();
  await send(server.url, "DELETE", `/databases/${name}/docs?id=Raven%2FHilo%2Forders`);
  await take(200);
  const { tag, low, highest } = await regressions.next();
  assert.deepEqual([tag, low], ["orders", 1]);
  assert.ok(highest >= 40);
  await idle();
  await send(server.url, "PUT", `/databases/${name}/docs?id=Raven%2FHilo%2Forders`, {
    Max: 20,
    "@metadata": { "@collection": "@hilo" },
  });
  await take(2_000);
  assert.equal((await regressions.next()).low, 21);
  assert.equal(await document(server, name, "orders/1-A"), undefined);
});

onServers(
  "after the first response of a recreated database, no number of the old one is issued",
  async (t, server) => {
    const name = await database(t, server);
    const store = open(t, server.url, name);
    const ids = store.hilo("orders");
    assert.equal(await ids.next(), "orders/1-A");
    await remove(server, name);
    await create(server, name);
    const other = await otherLease(server, name, "orders");
    assert.deepEqual(
      [other.Low, other.High],
      [1, 32],
      "the counter begins again, and 1-32 belong to another client now",
    );
    // The response has the incarnation of the new database.
    assert.equal(await store.openSession().load("orders/1-A"), null);
    const later = [await ids.next(), await ids.next()];
    for (const id of later) assert.ok(number(id) > 32, `${id} belongs to the other client`);
  },
);
