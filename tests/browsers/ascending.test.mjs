// Numbers in the order that people expect: ascending within a page, also over reloads, and without gaps where it can be.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browsers } from "../support/browsers.mjs";
import { after } from "../support/cleanup.mjs";
import { becomes, inPage, PAGE, pkg } from "../support/pages.mjs";
import { serve } from "../support/serve.mjs";
import { counter, database, LIMIT, missing as none, number, ravendb } from "../support/server.mjs";

/** As texts, because arguments reach pages as JSON. */
const KEEPS = ["default", "0", "3", "Infinity"];
/** How many numbers of the first lease are parked, by `keep`, after three claims of one number each. */
const SETTLED = { default: 24, 3: 3, Infinity: 29 };

/**
 * Creates documents one after the other; `pause`: milliseconds between them, as a user would need; `parked`: waits until
 * so many numbers are parked.
 */
async function create(name, keep, count, how, pause, parked) {
  // WebKit reports a page as loaded before its modules have run.
  while (!globalThis.loaded) await new Promise((resolve) => setTimeout(resolve, 1));
  const store = globalThis.open(name, keep === "default" ? {} : { keep: Number(keep) });
  const session = store.openSession();
  const ids = [];
  while (ids.length < count) {
    if (ids.length > 0 && pause) await new Promise((resolve) => setTimeout(resolve, pause));
    if (how === "next") ids.push(await store.hilo("orders").next());
    else {
      const order = { "@metadata": { "@collection": "Orders" } };
      await session.store(order);
      ids.push(order.id);
    }
  }
  // A page that moves numbers while it is left may not bring them to the disk, or holds the database when the next page looks: a gap.
  // On a disk that does not respond in time, as on a busy machine, nothing is parked: the page says so, and runs from memory.
  const slow = () => globalThis.seen("storage").length > 0;
  while (parked && !slow() && store.hilo("orders").status().parked !== parked)
    await new Promise((resolve) => setTimeout(resolve, 5));
  return { ids, slow: slow() };
}

for (const { name, missing, launch } of browsers)
  test(`three documents, a reload, two more: 1 to 5 [${name}]`, {
    skip: missing || none(ravendb),
    timeout: 4 * LIMIT,
  }, async (t) => {
    const { url } = await serve(t, {
      folder: pkg,
      pages: { "/": PAGE, "/elsewhere": "" },
      raven: ravendb.url,
    });
    const browser = await launch();
    after(t, () => browser.close());
    for (const how of ["next", "store"])
      for (const keep of KEEPS) {
        const base = await database(t, ravendb);
        const tab = await browser.open(url);
        // Longer than the pause of a burst: each one is a claim of its own.
        const first = await tab.evaluate(create, base, keep, 3, how, 70, SETTLED[keep]);
        // Another page first, where numbers are returned: without that the next lease may reach the server before the return.
        if (keep === "0") {
          await tab.goto(`${url}/elsewhere`);
          await becomes(base, 3);
        }
        await tab.goto(`${url}/?again`);
        const then = await tab.evaluate(create, base, keep, 2, how, 70);
        const numbers = [...first.ids, ...then.ids].map(number);
        const ascending = numbers.toSorted((a, b) => a - b);
        // What a page had in memory when it was left is a gap.
        const expected = first.slow || then.slow ? ascending : [1, 2, 3, 4, 5];
        assert.deepEqual(numbers, expected, `${how}, keep ${keep}`);
      }
  });

for (const count of [1, 5, 8, 20])
  inPage(`keep 0: ${count} ids by next(), and the page is left: Max is ${count}`, async (tools) => {
    const { base, page, next } = tools;
    const work = (count) =>
      page.evaluate(
        async ([name, count]) => [
          (await take(open(name, { keep: 0 }).hilo("orders"), count)).at(-1),
          seen("regression"),
        ],
        [base, count],
      );
    assert.deepEqual(await work(count), [`orders/${count}-A`, []]);
    await next();
    await becomes(base, count);
    assert.deepEqual(await work(1), [`orders/${count + 1}-A`, []], "the next page gets the next number");
  });

inPage("keep 0: take() ?? next() costs no number", async ({ base, page, next }) => {
  const work = () =>
    page.evaluate(async (name) => {
      const ids = open(name, { keep: 0 }).hilo("orders");
      return [ids.take() ?? (await ids.next()), seen("regression")];
    }, base);
  assert.deepEqual(await work(), ["orders/1-A", []]);
  await next();
  await becomes(base, 1);
  assert.deepEqual(await work(), ["orders/2-A", []]);
});

inPage(
  "take() in a click handler: ascending, with at most one gap for each page that was left",
  async (tools) => {
    const { base, page, next } = tools;
    const clicks = () =>
      page.evaluate(async (name) => {
        const ids = open(name).hilo("orders");
        const taken = [];
        while (taken.length < 5) {
          taken.push(ids.take() ?? (await ids.next()));
          // The next click comes when the hand is filled again.
          while (ids.status().atHand === 0 || ids.status().leasing)
            await new Promise((resolve) => setTimeout(resolve, 5));
        }
        return taken;
      }, base);
    const ids = [];
    for (let visit = 0; visit < 3; visit++) {
      if (visit > 0) await next();
      ids.push(...(await clicks()));
    }
    const numbers = ids.map(number);
    const gaps = numbers.slice(1).filter((each, at) => each !== numbers[at] + 1);
    assert.deepEqual(
      numbers,
      [...numbers].sort((a, b) => a - b),
      "ascending",
    );
    assert.ok(gaps.length <= 2, `${numbers} has ${gaps.length} gaps`);
  },
);

inPage(
  "a loop of 1,000 stores claims the pool a few times, and its ids ascend without a gap",
  async (tools) => {
    const { base, page } = tools;
    const [ids, claims, pauses] = await page.evaluate(async (name) => {
      let strict = 0;
      // On a busy machine the loop pauses, as bursts end, after which the pool is refilled and claimed again.
      let pauses = 0;
      let last = performance.now();
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = function (stores, mode, options) {
        strict += options?.durability === "strict" ? 1 : 0;
        return transaction.call(this, stores, mode, options);
      };
      const session = open(name).openSession();
      const ids = [];
      while (ids.length < 1_000) {
        const order = { "@metadata": { "@collection": "Orders" } };
        await session.store(order);
        ids.push(order.id);
        const now = performance.now();
        pauses += now - last > 45 ? 1 : 0;
        last = now;
      }
      return [ids, strict, pauses];
    }, base);
    assert.deepEqual(
      ids.map(number),
      Array.from({ length: 1_000 }, (_, at) => at + 1),
    );
    // Two claims, and one admission for each lease; the server doubles its ranges.
    assert.ok(claims <= 12 + 2 * pauses, `${claims} strict transactions, ${pauses} pauses`);
  },
);

inPage("no number is in sessionStorage or localStorage, which a duplicated tab would copy", async (tools) => {
  const { base, page } = tools;
  const kept = await page.evaluate(async (name) => {
    const ids = open(name).hilo("orders");
    await take(ids, 20);
    await ids.reserve(50);
    ids.take();
    return [Object.entries(localStorage), sessionStorage.length];
  }, base);
  // The note of a record: its key, and nothing else.
  const key = JSON.stringify(["server", `${new URL(page.url()).origin}/raven`, base, "/", "orders"]);
  assert.deepEqual(kept, [[[`raven-edge ${key}`, ""]], 0]);
});

inPage(
  "without a connection a caller sends one lease, and asks again when the connection is back",
  async (tools) => {
    const { base, page, context, wire } = tools;
    await page.evaluate(async (name) => {
      globalThis.store = open(name, { keep: 0 });
      await globalThis.store.ready();
    }, base);
    let failed = 0;
    page.on("requestfailed", () => failed++);
    await context.setOffline(true);
    const waits = page.evaluate(() => globalThis.store.hilo("orders").next());
    // Longer than the pauses that grow to two seconds.
    await page.waitForTimeout(4_000);
    assert.equal(failed, 1);
    await context.setOffline(false);
    assert.equal(await waits, "orders/1-A");
    assert.ok(wire);
  },
);

inPage("a reserve in the middle of a burst: ids ascend, and the reserve is there", async (tools) => {
  const { base, page, next } = tools;
  const { ids, parked } = await page.evaluate(async (name) => {
    const hilo = open(name).hilo("orders");
    const ids = await take(hilo, 10);
    const reserved = hilo.reserve(100).then(() => hilo.status().parked);
    ids.push(...(await take(hilo, 30)));
    const parked = await reserved;
    ids.push(...(await take(hilo, 10)));
    // What the burst has claimed is parked again when it has paused.
    while (hilo.status().parked < 50) await new Promise((resolve) => setTimeout(resolve, 5));
    return { ids, parked };
  }, base);
  assert.ok(parked >= 100, `${parked} parked`);
  await next();
  const then = await page.evaluate(
    async (name) => [await take(open(name).hilo("orders"), 5), seen("lease")],
    base,
  );
  assert.deepEqual(then[1], [], "the next page uses what was reserved");
  const numbers = [...ids, ...then[0]].map(number);
  assert.equal(new Set(numbers).size, 55);
  assert.deepEqual(
    numbers,
    [...numbers].sort((a, b) => a - b),
  );
});

inPage("keep that changes between visits: each visit goes on with the next number", async (tools) => {
  const { base, page, next } = tools;
  const numbers = [];
  for (const keep of [Number.POSITIVE_INFINITY, 0, undefined, 0, 3]) {
    if (numbers.length > 0) await next();
    const ids = await page.evaluate(
      async ([name, keep]) => {
        const hilo = open(name, { keep }).hilo("orders");
        const ids = [await hilo.next()];
        while (ids.length < 3) {
          // A user waits longer than a burst's pause.
          await new Promise((resolve) => setTimeout(resolve, 70));
          ids.push(await hilo.next());
        }
        return ids;
      },
      [base, keep],
    );
    numbers.push(...ids.map(number));
  }
  assert.deepEqual(
    numbers,
    Array.from({ length: 15 }, (_, at) => at + 1),
  );
});

inPage("IndexedDB that fails at any step of a single claim: an id, and never a duplicate", async (tools) => {
  const { base, page, next } = tools;
  const ids = [];
  for (const fault of ["begin", "read", "write", "commit"]) {
    if (ids.length > 0) await next();
    ids.push(
      ...(await page.evaluate(
        async ([name, fault]) => {
          const hilo = open(name).hilo("orders");
          const ids = [await hilo.next()];
          const { transaction } = IDBDatabase.prototype;
          IDBDatabase.prototype.transaction = function (...args) {
            if (fault === "begin") throw new DOMException("no", "UnknownError");
            const begun = transaction.apply(this, args);
            if (fault === "commit") queueMicrotask(() => begun.abort());
            return begun;
          };
          const { get, put } = IDBObjectStore.prototype;
          if (fault === "read")
            IDBObjectStore.prototype.get = () => {
              throw new DOMException("no", "DataError");
            };
          if (fault === "write")
            IDBObjectStore.prototype.put = () => {
              throw new DOMException("no", "QuotaExceededError");
            };
          // A user waits longer than a burst's pause.
          await new Promise((resolve) => setTimeout(resolve, 70));
          ids.push(await hilo.next(), await hilo.next());
          Object.assign(IDBObjectStore.prototype, { get, put });
          IDBDatabase.prototype.transaction = transaction;
          return ids;
        },
        [base, fault],
      )),
    );
  }
  assert.equal(new Set(ids).size, 12, `${ids}`);
  assert.ok((await counter(ravendb, base, "orders")) >= 12);
});
