// Sources and the device: what each source parks, under which key, and what happens to unused numbers when the page
// closes.
import assert from "node:assert/strict";
import { becomes, inPage, inTabs } from "../support/pages.mjs";
import { counter, otherLease, ravendb } from "../support/server.mjs";

/** The keys of the device's records, without those of incarnations. */
const keys = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open("raven-edge");
        opening.onsuccess = () => {
          const reading = opening.result.transaction("ranges").objectStore("ranges").getAllKeys();
          reading.onsuccess = () => {
            opening.result.close();
            resolve(reading.result.map((key) => JSON.parse(key)).filter((key) => key.length > 2));
          };
        };
      }),
  );

/** A backend of the app that outlives the page and records releases. */
const OWN = `
  globalThis.own = (options, name = "own") => ({
    lease(tag, size, above) {
      const low = Math.max(Number(localStorage[name] ?? 0), above) + 1;
      localStorage[name] = low + size - 1;
      localStorage.leases = Number(localStorage.leases ?? 0) + 1;
      return { low, high: low + size - 1 };
    },
    ...options,
  });
  globalThis.release = (range) => {
    localStorage.released = JSON.stringify([...JSON.parse(localStorage.released ?? "[]"), range]);
  };
  globalThis.next = (tag) => (localStorage[tag] = Number(localStorage[tag] ?? 0) + 1);`;

const withOwn = (page) => page.evaluate(OWN);

inPage("`document` parks numbers, and dispose returns exactly the unused ones", async (tools) => {
  const { base, page, next } = tools;
  const options = { source: "document" };
  assert.equal(await page.evaluate(([name, o]) => order(open(name, o)), [base, options]), "orders/1");
  const [[kind, , , separator, spelling, tag], ...more] = await keys(page);
  assert.deepEqual(
    [kind, separator, spelling, tag, more.length],
    ["document", "/", "raven/hilo", "orders", 0],
  );
  await next();
  await becomes(base, 9);
  const { ids, leases } = await page.evaluate(
    async ([name, o]) => {
      const store = open(name, o);
      const ids = await take(store.hilo("orders"), 3);
      await store.dispose();
      return { ids, leases: seen("lease").length };
    },
    [base, options],
  );
  assert.deepEqual(ids, ["orders/2", "orders/3", "orders/4"]);
  assert.equal(leases, 0, "the numbers were on the device");
  assert.equal(
    await counter(ravendb, base, "orders"),
    4,
    "parked numbers were returned with a fence that was read again",
  );
  assert.equal((await otherLease(ravendb, base, "orders")).Low, 5);
});

inPage("`document` and `server` share a counter but not a pool", async ({ base, page, next }) => {
  const first = await page.evaluate(async (name) => {
    const ids = await take(open(name, { source: "document" }).hilo("orders"), 2);
    return [...ids, ...(await take(open(name).hilo("orders"), 2))];
  }, base);
  assert.deepEqual((await keys(page)).map(([kind]) => kind).sort(), ["document", "server"]);
  await next();
  const second = await page.evaluate(async (name) => {
    const ids = await take(open(name, { source: "document" }).hilo("orders"), 12);
    return [...ids, ...(await take(open(name).hilo("orders"), 12))];
  }, base);
  const ids = [...first, ...second];
  assert.ok(
    ids.slice(2, 4).every((id) => id.endsWith("-A")) && second.slice(0, 12).every((id) => /\/\d+$/.test(id)),
  );
  const numbers = ids.map((id) => Number(/\/(\d+)/.exec(id)[1]));
  assert.equal(new Set(numbers).size, ids.length, ids.join());
});

inPage(
  "a custom source without a scope parks nothing, and releases numbers when the page closes",
  async ({ base, page, next }) => {
    await withOwn(page);
    const { ids, status } = await page.evaluate(async (name) => {
      const store = open(name, { source: own({ release }) });
      const ids = await take(store.hilo("orders"), 2);
      await store.hilo("lines").reserve(40);
      return { ids, status: store.hilo("lines").status() };
    }, base);
    assert.deepEqual([ids, status.parked], [["orders/1", "orders/2"], 0]);
    assert.ok(status.atHand >= 40);
    assert.deepEqual(await keys(page), []);
    await next();
    const released = await page.evaluate(() => JSON.parse(localStorage.released));
    const orders = released.filter(({ tag }) => tag === "orders");
    assert.deepEqual(
      orders,
      [{ tag: "orders", low: 3, high: 32, nodeTag: "" }],
      "synchronously, once, exactly the unused numbers",
    );
    assert.equal(released.length, 2);
    assert.deepEqual(await keys(page), []);
  },
);

inPage("a custom source with a scope uses parked numbers", async ({ base, page, next }) => {
  await withOwn(page);
  const source = "own({ scope: 'shop' })";
  const first = await page.evaluate(`take(open("${base}", { source: ${source} }).hilo("orders"), 2)`);
  assert.deepEqual(first, ["orders/1", "orders/2"]);
  const [[kind, , , , scope, tag]] = await keys(page);
  assert.deepEqual([kind, scope, tag], ["own", "shop", "orders"]);
  await next();
  await withOwn(page);
  const second = await page.evaluate(`take(open("${base}", { source: ${source} }).hilo("orders"), 16)`);
  const numbers = [...first, ...second].map((id) => Number(id.slice(7)));
  assert.equal(new Set(numbers).size, 18);
  assert.ok(Math.max(...numbers) <= 32, `nothing but the block in use was lost: ${numbers}`);
  assert.equal(await page.evaluate(() => Number(localStorage.leases)), 1, "without another lease");
});

inTabs("two scopes have separate pools", async ({ base, tab }) => {
  const page = await tab();
  await withOwn(page);
  const ids = await page.evaluate(async (name) => {
    const a = open(name, { source: own({ scope: "a" }, "a") });
    const b = open(name, { source: { kind: "classic", capacity: 5, next, scope: "b" } });
    const ids = [await take(a.hilo("orders"), 3), await take(b.hilo("orders"), 7)];
    await Promise.all([a.dispose(), b.dispose()]);
    return ids;
  }, base);
  assert.deepEqual(ids, [
    ["orders/1", "orders/2", "orders/3"],
    Array.from({ length: 7 }, (_, i) => `orders/${i + 1}`),
  ]);
  const found = (await keys(page)).map(([kind, , , , scope]) => [kind, scope]).sort();
  assert.deepEqual(found, [
    ["classic", "b"],
    ["own", "a"],
  ]);
  const more = await page.evaluate(
    (name) =>
      take(open(name, { source: { kind: "classic", capacity: 5, next, scope: "b" } }).hilo("orders"), 5),
    base,
  );
  const numbers = more.map((id) => Number(id.slice(7)));
  assert.ok(Math.min(...numbers) > 7, `${more}`);
});
