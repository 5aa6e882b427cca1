// The main use case: ids, a saved document, and the numbers that remain for the next client.
import assert from "node:assert/strict";
import { after } from "../support/cleanup.mjs";
import { counter, database, document, number, onServers, order, send } from "../support/server.mjs";
import { DocumentStore, open } from "../support/store.mjs";

onServers(
  "after store, save and dispose orders/1-A exists, Max is 1, and the next client gets 2-33",
  async (t, server) => {
    const name = await database(t, server);
    const store = open(t, server.url, name);
    const session = store.openSession();
    const entity = order({ total: 5 });
    await session.store(entity);
    assert.equal(entity.id, "orders/1-A");
    assert.equal(await document(server, name, "orders/1-A"), undefined, "nothing is sent before saveChanges");
    await session.saveChanges();
    await store.dispose();
    const saved = await document(server, name, "orders/1-A");
    assert.equal(saved.total, 5);
    assert.equal(saved["@metadata"]["@collection"], "Orders");
    assert.equal("id" in saved, false, "the id is stored as metadata, not as a member");
    assert.equal(await counter(server, name, "orders"), 1);
    const next = open(t, server.url, name);
    const leased = new Promise((resolve) => next.on("lease", resolve));
    assert.equal(await next.hilo("orders").next(), "orders/2-A");
    const { low, high, nodeTag, fenced } = await leased;
    assert.deepEqual({ low, high, nodeTag, fenced }, { low: 2, high: 33, nodeTag: "A", fenced: true });
    await next.dispose();
    assert.equal(await counter(server, name, "orders"), 2);
  },
);

onServers(
  "100 parallel clients take 1,000 distinct ids each",
  async (t, server) => {
    const name = await database(t, server);
    const stores = Array.from({ length: 100 }, () =>
      new DocumentStore(server.url, name, { timeout: 60_000 }).initialize(),
    );
    const taken = await Promise.all(
      stores.map(async (store) => {
        const ids = store.hilo("orders");
        const mine = [];
        for (let i = 0; i < 1_000; i++) mine.push(ids.take() ?? (await ids.next()));
        return mine;
      }),
    );
    const all = taken.flat();
    assert.equal(all.length, 100_000);
    assert.equal(new Set(all).size, 100_000);
    for (const id of all) assert.match(id, /^orders\/[1-9]\d*-A$/);
    const highest = all.reduce((most, id) => Math.max(most, number(id)), 0);
    // All dispose at once and return their numbers; nobody may get a number below an issued one.
    await Promise.all(stores.map((store) => store.dispose()));
    assert.ok((await counter(server, name, "orders")) >= highest);
    const after = open(t, server.url, name);
    const later = await Promise.all(Array.from({ length: 500 }, () => after.hilo("orders").next()));
    for (const id of later) assert.ok(!all.includes(id), `${id} was issued twice`);
  },
  { timeout: 180_000 },
);

onServers("short-lived clients never get the same id", async (t, server) => {
  const name = await database(t, server);
  const all = new Set();
  let issued = 0;
  const client = async (seed) => {
    for (let round = 0; round < 12; round++) {
      const store = new DocumentStore(server.url, name, { timeout: 30_000 }).initialize();
      const ids = store.hilo("orders");
      const count = (seed * 7 + round * 13) % 45;
      for (let i = 0; i < count; i++) {
        const id = await ids.next();
        assert.ok(!all.has(id), `${id} was issued twice`);
        all.add(id);
        issued++;
      }
      await store.dispose();
    }
  };
  await Promise.all([1, 2, 3, 4, 5, 6].map(client));
  assert.equal(all.size, issued);
});

onServers("a store that uses the server's topology works as well", async (t, server) => {
  const name = await database(t, server);
  const store = open(t, server.url, name, { topology: true });
  const session = store.openSession();
  const [a, b] = [order(), order()];
  await session.store(a);
  await session.saveChanges();
  await session.store(b);
  await session.saveChanges();
  assert.deepEqual([a.id, b.id], ["orders/1-A", "orders/2-A"]);
  await store.dispose();
  assert.equal(await counter(server, name, "orders"), 2);
});

onServers(
  "tags with spaces, umlauts and another separator make ids that the server accepts",
  async (t, server) => {
    const name = await database(t, server);
    const store = new DocumentStore(`${server.url}/`, name);
    store.conventions.identityPartsSeparator = "-";
    store.conventions.disableTopologyUpdates = true;
    store.initialize();
    after(t, () => store.dispose());
    for (const tag of ["my orders", "Überß日本", "a/b", "a+b&c=d#e%20f?g", "q\"uo'te\\", "emoji😀"]) {
      const ids = store.hilo(tag);
      assert.equal(await ids.next(), `${tag}-1-A`);
      assert.equal(ids.take(), `${tag}-2-A`);
      assert.equal(await counter(server, name, tag), 32, tag);
    }
    await store.dispose();
    for (const tag of ["my orders", "Überß日本", "a/b", "a+b&c=d#e%20f?g", "q\"uo'te\\", "emoji😀"]) {
      assert.equal(await counter(server, name, tag), 2, tag);
    }
    assert.equal((await send(server.url, "GET", `/databases/${name}/hilo/next?tag=a%2Fb`)).json.Low, 3);
  },
);
