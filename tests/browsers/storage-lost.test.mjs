// The database is deleted, full, blocked or damaged while a page uses it; real faults, not wrappers.
import assert from "node:assert/strict";
import { assertGranted, distinct, inTabs, STORAGE_REPORTED, work } from "../support/pages.mjs";
import { isLease } from "../support/proxy.mjs";
import { number } from "../support/server.mjs";

/** Deletes the database under an open connection. */
const THEFTS = {
  "another connection deletes the database": ({ other }) =>
    other.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase("raven-edge");
          request.onsuccess = resolve;
          request.onblocked = () => reject(new Error("the package's connection stays open"));
        }),
    ),
  "another connection upgrades the database": ({ other }) =>
    other.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const request = indexedDB.open("raven-edge", 2);
          request.onsuccess = () => resolve(request.result.close());
          request.onblocked = () => reject(new Error("the package's connection stays open"));
        }),
    ),
  "the site's data are cleared": async ({ context, page, site }) => {
    const session = await context.newCDPSession(page);
    await session.send("Storage.clearDataForOrigin", { origin: site.url, storageTypes: "indexeddb" });
  },
};

for (const [name, steal] of Object.entries(THEFTS)) {
  inTabs(`${name}: ids continue, the app is notified once, no number twice`, async (tools) => {
    const { base, tab, load } = tools;
    const page = await tab();
    const other = await tab();
    const before = await work(page, base);
    // Numbers are parked when the burst has paused: there is something to lose.
    await page.waitForFunction(() => store.hilo("orders").status().parked > 0);
    await steal({ ...tools, page, other });
    await page.waitForFunction(() => seen("storage").length > 0);
    const then = await work(page, base);
    assert.deepEqual(then.storage, STORAGE_REPORTED);
    distinct(before.ids, then.ids);
    await load(page);
    const after = await work(page, base);
    assertGranted(then, { ...before, leases: [] }, after);
  });
}

inTabs(
  "a transaction that waits longer than the limit is abandoned, and its numbers are lost",
  async (tools) => {
    const { base, tab } = tools;
    const page = await tab();
    const other = await tab();
    const before = await work(page, base);
    // A transaction of other code that is kept alive blocks all later ones.
    await other.evaluate(
      () =>
        new Promise((resolve) => {
          const request = indexedDB.open("raven-edge");
          request.onsuccess = () => {
            const ranges = request.result.transaction("ranges", "readwrite").objectStore("ranges");
            const again = () => {
              resolve();
              if (!globalThis.enough) ranges.get("nothing").onsuccess = again;
            };
            ranges.get("nothing").onsuccess = again;
          };
        }),
    );
    const held = await page.evaluate(async () => {
      const ids = await take(store.hilo("orders"), 100);
      return { ids, storage: seen("storage").length, atHand: store.hilo("orders").status().atHand };
    });
    assert.equal(held.storage, 1);
    assert.ok(held.atHand > 0);
    await other.evaluate(() => {
      globalThis.enough = true;
    });
    const fresh = await work(await tab(), base);
    distinct(before.ids, held.ids, fresh.ids);
    const { atHand } = await page.evaluate(() => store.hilo("orders").status());
    assert.equal(atHand, held.atHand, "the abandoned transaction has no further effect");
  },
);

inTabs("without disk space ids come from memory, and reserve ends after a few leases", async (tools) => {
  const { base, context, tab, wire } = tools;
  // Chromium's quota, as its protocol can set it, does not apply to the IndexedDB of such a profile.
  await context.addInitScript(() => {
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (...args) {
      // The record of the incarnation is small and still fits.
      if (globalThis.full && args[0].startsWith("{")) throw new DOMException("full", "QuotaExceededError");
      return put.apply(this, args);
    };
  });
  const page = await tab();
  const full = await page.evaluate(async (name) => {
    globalThis.full = true;
    globalThis.store = open(name, { timeout: 5_000 });
    const hilo = store.hilo("orders");
    const reserved = await hilo.reserve(2_000).catch(String);
    const { atHand } = hilo.status();
    return { reserved, atHand, ids: await take(hilo, 2_000), storage: seen("storage").length };
  }, base);
  assert.equal(full.reserved, undefined);
  assert.equal(distinct(full.ids), 2_000);
  assert.equal(full.storage, 1);
  assert.ok(full.atHand >= 2_000, `${full.atHand} in memory`);
  assert.ok(wire.of(isLease).length <= 3, `${wire.of(isLease).length} leases`);
  await page.evaluate(() => {
    globalThis.full = false;
  });
  distinct(full.ids, (await work(page, base)).ids);
});

inTabs("a store that is created after a storage failure is notified too", async ({ base, context, tab }) => {
  await context.addInitScript(() => {
    Object.defineProperty(globalThis, "indexedDB", { value: undefined });
  });
  const page = await tab();
  const { storage } = await work(page, base);
  assert.deepEqual(storage, STORAGE_REPORTED);
  const then = await page.evaluate(async (name) => {
    events.length = 0;
    await take(open(name).hilo("orders"), 1);
    return seen("storage").length;
  }, base);
  assert.equal(then, 1);
});

inTabs(
  "with a server that sends no incarnation nothing is parked or lost, and reserve ends after one lease",
  async ({ base, tab, wire }) => {
    wire.change = ({ headers }) => {
      delete headers["database-cluster-tx-id"];
    };
    const page = await tab();
    const { ids, status, reserved, end } = await page.evaluate(async (name) => {
      globalThis.store = open(name, { timeout: 3_000 });
      const hilo = store.hilo("orders");
      const ids = await take(hilo, 20);
      const status = hilo.status();
      const reserved = await hilo.reserve(100).catch(String);
      return { ids, status, reserved, end: hilo.status() };
    }, base);
    assert.deepEqual(
      ids.map(number),
      Array.from({ length: 20 }, (_, at) => at + 1),
      "none was lost",
    );
    assert.deepEqual([status.parked, status.atHand], [0, 12]);
    assert.equal(reserved, undefined);
    assert.ok(end.atHand >= 100, `${end.atHand} at hand`);
    assert.equal(wire.of(isLease).length, 2);
  },
);
