// A document that was created on this device stays in its lists from the moment at which it is queued until results contain it: while a query is
// on its way, while the index is stale, after a lost response, and in a page that starts without a connection.
import assert from "node:assert/strict";
import { PAGE, withQueue } from "../support/offline.mjs";
import { putDocument, ravendb } from "../support/server.mjs";

const isBatch = ({ path }) => /bulk_docs$/.test(path);

/** The page also has a store whose queries pass `answering`, and a function that tells what its list shows. */
const LISTS = PAGE.replace(
  "globalThis.loaded",
  `globalThis.prepare = (name, given) => {
    globalThis.store?.dispose();
    globalThis.answering = undefined;
    const send = async (url, init) => {
      const response = await fetch(url, init);
      return /queries/.test(url) && answering ? answering(response) : response;
    };
    globalThis.store = open(name, { automatic: false, patience: 60_000, ...given }, { fetch: send });
    store.named({ queries: { all: { query: "from Orders where total > 0", wait: 10_000 } } });
  };
  globalThis.listed = (orders = [], pending = []) =>
    [...orders.map(({ id }) => id), ...pending.map((order) => order["@metadata"]["@id"])].sort();
  globalThis.list = async (offline) => {
    let pending;
    const query = store.openSession(offline && { offline }).query({ named: "all" });
    const orders = await query.statistics((statistics) => (pending = statistics)).all();
    return listed(orders, pending.pending);
  };
  globalThis.loaded`,
);
const options = { pages: { "/": LISTS } };

withQueue(
  "a new document is in a query's results or beside them while it is being saved",
  async (tools) => {
    const { page, base } = tools;
    await putDocument(ravendb, base, "orders/1", { total: 1, "@metadata": { "@collection": "Orders" } });
    for (const given of [{}, { documents: {} }]) {
      const own = given.documents ? "orders/kept" : "orders/own";
      await page.evaluate(([name, given]) => prepare(name, given), [base, given]);
      const seen = await page.evaluate(async (own) => {
        const before = await list();
        await queue(store, Order({ total: 5 }), own);
        await edit(store, "orders/1", (order) => order.total++);
        // The server answers the query before it has the batch, and the answer comes afterwards.
        let release;
        const answered = new Promise((resolve) => {
          globalThis.answering = (response) => {
            globalThis.answering = undefined;
            resolve();
            return new Promise((go) => (release = () => go(response)));
          };
        });
        const asked = store.openSession().query({ named: "all" }).all();
        const waiting = asked.then((orders) => orders.map(({ id, total }) => `${id}: ${total}`).sort());
        await answered;
        await store.offline.flush();
        release();
        return { before, after: await waiting };
      }, own);
      const total = given.documents ? 3 : 2;
      const others = given.documents ? ["orders/own: 5"] : [];
      assert.deepEqual(seen.before, ["orders/1", ...others.map((each) => each.split(":")[0])]);
      assert.deepEqual(seen.after, [`orders/1: ${total}`, ...[`${own}: 5`, ...others].sort()]);
    }
  },
  options,
);

withQueue(
  "a new document is not lost from a live list when it is saved",
  async (tools) => {
    const { page, base, wire, gate, load, documentOf } = tools;
    await putDocument(ravendb, base, "orders/1", { total: 1, "@metadata": { "@collection": "Orders" } });
    const prepare = () => page.evaluate((name) => globalThis.prepare(name, { documents: {} }), base);
    await prepare();
    assert.deepEqual(await page.evaluate(() => list()), ["orders/1"]);

    // The index has not read it yet.
    const states = await page.evaluate(async () => {
      globalThis.answering = async (response) => {
        const { Results, ...rest } = await response.json();
        const old = Results.filter((order) => order["@metadata"]["@id"] === "orders/1");
        // Without the server's ETag: a 304 must not bring back these results later.
        return Response.json({ ...rest, TotalResults: old.length, Results: old, IsStale: true });
      };
      const states = [];
      const fits = (orders, { pending = [], stale }) => {
        states.push({ all: listed(orders, pending), stale });
        return globalThis.wanted?.(orders ?? [], pending, stale);
      };
      globalThis.watching = (wanted) =>
        new Promise((resolve) => {
          globalThis.wanted = (...given) => wanted(...given) && resolve();
        });
      const first = watching((_, pending) => pending.length > 0);
      store.watch((session) => session.query({ named: "all" }), fits, { collections: ["Orders"], every: 20 });
      await queue(store, Order({ total: 5 }), "orders/5");
      await first;
      states.length = 0;
      const saved = watching((_, pending) =>
        pending.some((order) => !order["@metadata"]["@change-vector"].startsWith("queued:")),
      );
      await store.offline.flush();
      await saved;
      globalThis.answering = undefined;
      await watching((orders, _, stale) => orders.length === 2 && !stale);
      return states;
    });
    assert.ok(states.length > 1);
    for (const { all } of states) assert.deepEqual(all, ["orders/1", "orders/5"]);
    assert.deepEqual(await page.evaluate(() => list("only")), ["orders/1", "orders/5"]);

    // It is saved, the response is lost, the next page settles it, and the connection is gone before the list was read.
    await page.evaluate(async () => {
      globalThis.answering = () => Promise.reject(new TypeError("gone"));
      const session = store.openSession();
      await session.store(Order({ total: 7 }), "orders/7");
      session.advanced.attachments.store("orders/7", "photo", new Blob(["a picture"]), "image/png");
      await session.queueChanges();
    });
    let losses = 1;
    wire.rule = (request) => {
      if (isBatch(request) && losses-- > 0) return "lose";
      // Nothing but the receipt is read.
      return /\/docs$/.test(request.path) && !/Raven-Edge/.test(request.body) ? "drop" : undefined;
    };
    await page.evaluate(() => store.offline.flush({ timeout: 1_000 }));
    await load(page);
    await prepare();
    await page.evaluate(() => {
      globalThis.answering = () => Promise.reject(new TypeError("gone"));
    });
    await page.evaluate(() => store.offline.flush());
    gate.open = false;
    assert.equal((await documentOf("orders/7")).total, 7);
    await load(page);
    await prepare();
    const kept = await page.evaluate(async () => {
      const { total } = await store.openSession({ offline: "only" }).load("orders/7");
      return [await store.offline.pending(), await list("only"), total];
    });
    assert.deepEqual(kept, [0, ["orders/1", "orders/5", "orders/7"], 7]);

    // The server's results end it: a document that no longer fits is not told for ever.
    gate.open = true;
    wire.rule = undefined;
    await putDocument(ravendb, base, "orders/7", { total: 0, "@metadata": { "@collection": "Orders" } });
    const ended = await page.evaluate(async () => {
      await list();
      return [await list(), await list("only")];
    });
    assert.deepEqual(ended, [
      ["orders/1", "orders/5"],
      ["orders/1", "orders/5"],
    ]);
  },
  options,
);
