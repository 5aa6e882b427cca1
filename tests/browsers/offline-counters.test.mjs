// Counters that wait on the device with their change count exactly once.
import assert from "node:assert/strict";
import { blocksOf } from "../docs/blocks.mjs";
import { withQueue } from "../support/offline.mjs";
import { putDocument, ravendb } from "../support/server.mjs";

/** The block of the page that this file tests. */
const { code: BLOCK } = blocksOf("docs/counters.md").find(
  ({ options }) => options["tested-by"] === "tests/browsers/offline-counters.test.mjs",
);

const counted = async (base, id) => {
  const response = await fetch(`${ravendb.url}/databases/${base}/counters?docId=${id}`);
  return Object.fromEntries(
    (await response.json()).Counters.map(({ CounterName, TotalValue }) => [CounterName, TotalValue]),
  );
};

const product = { total: 1, "@metadata": { "@collection": "Orders" } };

withQueue("increments that wait on the device count once, whatever is lost", async (tools) => {
  const { page, base, gate, wire, load } = tools;
  await putDocument(ravendb, base, "products/1-A", product);
  await page.evaluate((name) => {
    globalThis.store = open(name);
    return store.ready();
  }, base);
  gate.open = false;
  const seen = await page.evaluate(async () => {
    const session = store.openSession();
    const order = Order({ total: 1 });
    await session.store(order, "orders/1");
    session.countersFor(order).increment("likes", 2);
    session.countersFor("products/1-A").increment("orders");
    await session.queueChanges();
    const next = store.openSession();
    next.countersFor("orders/1").increment("likes", 3);
    await next.queueChanges();
    // A change after these goes on with the document.
    await edit(store, "orders/1", (found) => found.total++);
    return [session.advanced.hasChanges(), store.offline.status().queued];
  });
  assert.deepEqual(seen, [false, 3]);
  await load(page);
  let losses = 3;
  wire.rule = ({ path }) => (/bulk_docs$/.test(path) && losses-- > 0 ? "lose" : undefined);
  gate.open = true;
  const after = await page.evaluate(async (name) => {
    globalThis.store = open(name);
    const flushed = await store.offline.flush();
    return [flushed, await store.offline.pending()];
  }, base);
  assert.deepEqual(after, [true, 0]);
  assert.ok(losses < 3, "responses were lost");
  assert.deepEqual(await counted(base, "orders/1"), { likes: 5 });
  assert.deepEqual(await counted(base, "products/1-A"), { orders: 1 });
  await page.evaluate(async (block) => {
    const session = store.openSession();
    const run = new Function("session", `return (async () => {${block}})()`);
    await run(session);
  }, BLOCK);
  assert.deepEqual(await counted(base, "products/1-A"), { Likes: 1, orders: 1 });
});

withQueue("increments follow what becomes of their document in a conflict", async (tools) => {
  const { page, base, documentOf } = tools;
  const ids = ["orders/1", "orders/2", "orders/3"];
  for (const id of ids) await putDocument(ravendb, base, id, product);
  await page.evaluate(
    async ([name, ids]) => {
      globalThis.store = open(name, { automatic: false });
      for (const id of ids) {
        const session = store.openSession();
        const order = await session.load(id);
        order.total = id === "orders/3" ? 5 : 10;
        session.countersFor(order).increment("edits");
        await session.queueChanges();
      }
    },
    [base, ids],
  );
  for (const id of ids) await putDocument(ravendb, base, id, { ...product, total: 5 });
  const end = await page.evaluate(async () => {
    await store.offline.flush();
    for (const { documents, resolve } of await store.offline.conflicts())
      await resolve(documents[0].id === "orders/1" ? "mine" : "theirs");
    await store.offline.flush();
    const session = store.openSession();
    session.countersFor("orders/none").increment("edits");
    const refused = await session.queueChanges();
    await store.offline.flush();
    const { state, error } = refused;
    await store.offline.discard(refused);
    refused.saved.catch(() => {});
    return [state, error.name, await store.offline.pending()];
  });
  assert.deepEqual(end, ["refused", "DocumentDoesNotExistException", 0]);
  const ends = [];
  for (const id of ids) ends.push([(await documentOf(id)).total, await counted(base, id)]);
  // Both sides have written the same into the third document: its increment counts all the same.
  assert.deepEqual(ends, [
    [10, { edits: 1 }],
    [5, {}],
    [5, { edits: 1 }],
  ]);
});
