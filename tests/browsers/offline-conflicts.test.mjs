// Somebody else has changed what a queued change is about: merged by a rule, or the app decides.
import assert from "node:assert/strict";
import { withQueue } from "../support/offline.mjs";
import { putDocument, ravendb, send } from "../support/server.mjs";

const order = (fields) => ({ ...fields, "@metadata": { "@collection": "Orders" } });
const theirs = (base, id, fields) => putDocument(ravendb, base, id, order(fields));

/** Opens the store, and queues a change of `orders/1` before somebody else changes it. */
async function meet(
  page,
  base,
  { given = {}, mine = { total: 10 }, other = { total: 5, note: "theirs" } } = {},
) {
  await theirs(base, "orders/1", { total: 1, note: "", deep: { a: 1, b: 1 } });
  await page.evaluate(
    async ([name, given, mine]) => {
      globalThis.store = open(name, { automatic: false, ...given });
      globalThis.change = await edit(store, "orders/1", (order) => Object.assign(order, mine));
    },
    [base, given, mine],
  );
  if (other) await theirs(base, "orders/1", other);
  else await send(ravendb.url, "DELETE", `/databases/${base}/docs?id=orders/1`);
}

const members = (document) => {
  const { "@metadata": _, ...rest } = document;
  return rest;
};

withQueue("a conflict shows all three sides, and mine is saved if the app says so", async (tools) => {
  const { page, base, documentOf } = tools;
  await meet(page, base);
  const shown = await page.evaluate(async () => {
    const conflict = next(store, "conflict");
    const flushed = await store.offline.flush();
    const { documents, change: of, resolve } = await conflict;
    const { state } = change;
    const { message } = change.error;
    const counted = store.offline.status().conflicts;
    await resolve("mine");
    await store.offline.flush();
    await change.saved;
    return { flushed, documents, same: of === change, state, message, counted, after: change.state };
  });
  const { flushed, documents, same, state, message, counted, after } = shown;
  assert.match(message, /^orders\/1 is in conflict: somebody else has changed or deleted it since/);
  assert.deepEqual([flushed, same, state, counted, after], [false, true, "conflict", 1, "saved"]);
  const [{ id, collection, base: was, mine, theirs: other }] = documents;
  assert.deepEqual([documents.length, id, collection], [1, "orders/1", "Orders"]);
  assert.deepEqual([was.total, mine.total, other.total, other.note], [1, 10, 5, "theirs"]);
  assert.deepEqual((await documentOf("orders/1")).total, 10);
});

withQueue("the event of a conflict comes later if the documents cannot be read at once", async (tools) => {
  const { page, base, wire } = tools;
  await meet(page, base);
  // The queue reads the document when its change was refused, and once more for the event.
  let reads = 0;
  const isRead = ({ path, target, body }) => /\/docs$/.test(path) && /orders(\/|%2F)1/i.test(target + body);
  wire.rule = (request) => (isRead(request) && ++reads === 2 ? { status: 503, body: "" } : undefined);
  const refused = wire.next((request) => isRead(request) && reads === 2, { responded: true });
  await page.evaluate(() => store.offline.flush());
  await refused;
  const before = await page.evaluate(() => [store.offline.status().conflicts, seen("conflict").length]);
  assert.deepEqual([reads, ...before], [2, 1, 0]);
  const shown = await page.evaluate(async () => {
    const conflict = next(store, "conflict");
    // Any response tells that the server can be reached.
    await store.openSession().load("orders/1");
    return (await conflict).documents[0].theirs.note;
  });
  assert.equal(shown, "theirs");
});

withQueue("the app takes theirs, or saves what it has merged itself", async ({ page, base, documentOf }) => {
  await meet(page, base);
  await page.evaluate(async () => {
    await store.offline.flush();
    const [conflict] = await store.offline.conflicts();
    await conflict.resolve("theirs");
    await change.saved;
  });
  assert.deepEqual(members(await documentOf("orders/1")), { total: 5, note: "theirs" });
  const states = await page.evaluate(async () => [change.state, await store.offline.pending()]);
  assert.deepEqual(states, ["saved", 0]);
  await page.evaluate(async () => {
    globalThis.change = await edit(store, "orders/1", (order) => (order.total = 20));
  });
  await theirs(base, "orders/1", { total: 6, note: "again" });
  await page.evaluate(async () => {
    await store.offline.flush();
    const [{ documents, resolve }] = await store.offline.conflicts();
    await resolve(documents.map(({ mine, theirs }) => ({ ...theirs, total: mine.total + theirs.total })));
    await store.offline.flush();
  });
  assert.deepEqual(members(await documentOf("orders/1")), { total: 26, note: "again" });
});

withQueue(
  "changes of different members are merged, and the same member asks",
  async ({ page, base, documentOf }) => {
    const given = { merge: { Orders: "fields" } };
    await meet(page, base, {
      given,
      mine: { total: 10, deep: { a: 2, b: 1 } },
      other: { total: 1, note: "n", deep: { a: 1, b: 2 } },
    });
    assert.equal(await page.evaluate(() => store.offline.flush()), true);
    assert.deepEqual(members(await documentOf("orders/1")), { total: 10, note: "n", deep: { a: 2, b: 2 } });
    await page.evaluate(() => edit(store, "orders/1", (order) => (order.total = 11)));
    await theirs(base, "orders/1", { total: 12 });
    const asked = await page.evaluate(async () => [
      await store.offline.flush(),
      store.offline.status().conflicts,
    ]);
    assert.deepEqual(asked, [false, 1]);
    assert.equal((await documentOf("orders/1")).total, 12, "nothing is written until the app has decided");
  },
);

withQueue("the last writer wins where the app says so, and a function of the app merges", async (tools) => {
  const { page, base, documentOf } = tools;
  await meet(page, base, { given: { merge: { "*": "lastWriter" } } });
  assert.equal(await page.evaluate(() => store.offline.flush()), true);
  assert.equal((await documentOf("orders/1")).total, 10);
  await page.evaluate(async (name) => {
    await store.dispose();
    const sum = ({ base, mine, theirs }) => ({ ...theirs, total: theirs.total + mine.total - base.total });
    globalThis.store = open(name, { automatic: false, merge: { Orders: sum } });
    await edit(store, "orders/1", (order) => (order.total += 3));
  }, base);
  await theirs(base, "orders/1", { total: 100 });
  assert.equal(await page.evaluate(() => store.offline.flush()), true);
  assert.equal((await documentOf("orders/1")).total, 103);
});

withQueue("a new document whose id is taken is not written over: mine gets a new id", async (tools) => {
  const { page, base, documentOf } = tools;
  await page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false });
    const session = store.openSession();
    const order = Order({ total: 1 });
    await session.store(order);
    globalThis.change = await session.queueChanges();
    order.total = 2;
    await session.queueChanges();
  }, base);
  await theirs(base, "orders/1-A", { total: 99 });
  const renamed = await page.evaluate(async () => {
    await store.offline.flush();
    const [{ documents, resolve }] = await store.offline.conflicts();
    const [{ base }] = documents;
    const { message } = JSON.parse(JSON.stringify(change)).error;
    const ids = await resolve("mine");
    return [base, ids, await store.offline.flush(), message];
  });
  const [was, ids, flushed, message] = renamed;
  assert.match(message, /^orders\/1-A is in conflict: somebody else has stored a document with this id/);
  assert.deepEqual([was, Object.keys(ids), flushed], [null, ["orders/1-A"], true]);
  assert.match(ids["orders/1-A"], /^orders\/\d+-A$/);
  assert.equal((await documentOf("orders/1-A")).total, 99);
  assert.equal((await documentOf(ids["orders/1-A"])).total, 2, "later changes follow the document");
});

withQueue(
  "a document that was deleted there: mine makes it again, theirs leaves it; both deleted is none",
  async (tools) => {
    const { page, base, documentOf } = tools;
    await meet(page, base, { other: null });
    const listed = await page.evaluate(async () => {
      const list = async () => {
        let told;
        const query = store.openSession().query({ collection: "Orders" });
        const orders = await query.statistics((statistics) => (told = statistics)).all();
        const totals = (all) => all?.map(({ id, total }) => `${id}: ${total}`);
        return [totals(orders), totals(told.pending)];
      };
      await store.offline.flush();
      const waiting = await list();
      const [{ documents, resolve }] = await store.offline.conflicts();
      if (documents[0].theirs !== null) throw new Error("theirs is null");
      await resolve("mine");
      await store.offline.flush();
      return [waiting, await list()];
    });
    const shown = ["orders/1: 10"];
    assert.deepEqual(listed, [
      [[], shown],
      [shown, undefined],
    ]);
    assert.equal((await documentOf("orders/1")).total, 10);
    await page.evaluate(async () => {
      const session = store.openSession();
      await session.delete(await session.load("orders/1"));
      globalThis.change = await session.queueChanges();
    });
    await send(ravendb.url, "DELETE", `/databases/${base}/docs?id=orders/1`);
    const both = await page.evaluate(async () => [await store.offline.flush(), change.state]);
    assert.deepEqual(both, [true, "saved"]);
  },
);

withQueue(
  "a conflict holds up its document alone, and later changes of it follow what was decided",
  async (tools) => {
    const { page, base, documentOf } = tools;
    await meet(page, base);
    const held = await page.evaluate(async () => {
      await edit(store, "orders/1", (order) => (order.more = true));
      await queue(store, Order({ total: 7 }), "orders/free");
      const flushed = await store.offline.flush();
      const { conflicts, queued } = store.offline.status();
      const [conflict] = await store.offline.conflicts();
      await conflict.resolve("theirs");
      return [flushed, conflicts, queued, await store.offline.flush()];
    });
    assert.deepEqual(held, [false, 1, 1, true]);
    assert.equal((await documentOf("orders/free")).total, 7);
    assert.deepEqual(members(await documentOf("orders/1")), { total: 5, note: "theirs", more: true });
  },
);

withQueue("after a patch the next change keeps what others wrote", async ({ page, base, documentOf }) => {
  await theirs(base, "orders/1", { count: 0, note: "" });
  await page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false });
    const session = store.openSession();
    await session.load("orders/1");
    session.advanced.increment("orders/1", "count", 1);
    await session.queueChanges();
    await edit(store, "orders/1", (order) => (order.note = "mine"));
  }, base);
  await theirs(base, "orders/1", { count: 40, note: "", other: "theirs" });
  assert.equal(await page.evaluate(() => store.offline.flush()), true);
  assert.deepEqual(members(await documentOf("orders/1")), { count: 41, note: "mine", other: "theirs" });
});
