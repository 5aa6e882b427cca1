// The unchanged client in a page of Chromium: one Worker serves the page and the gateway.
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingChromium, visit } from "../support/chromium.mjs";
import { gateway } from "../support/gateway.mjs";
import { becomes, PAGE, pkg } from "../support/pages.mjs";
import { isReturn } from "../support/proxy.mjs";
import { serve } from "../support/serve.mjs";
import { counter, database, document, missing, otherLease, ravendb } from "../support/server.mjs";

const options = { skip: missingChromium || missing(ravendb), timeout: 60_000 };
const collections = { Orders: "write" };

async function opened(t) {
  const made = await gateway(t, { options: { collections } });
  return { ...made, ...(await visited(t, made.url)) };
}

/** A page whose requests go to this server. */
async function visited(t, raven) {
  const pages = { "/": PAGE, "/away": "<!doctype html><title>away</title>" };
  const site = await serve(t, { folder: pkg, pages, raven });
  const { page, problems } = await visit(t, site.url);
  const load = async (path) => {
    await page.goto(site.url + path);
    if (path === "/") await page.waitForFunction(() => globalThis.loaded);
  };
  await page.waitForFunction(() => globalThis.loaded);
  return { page, problems, load };
}

/** Saves one order and disposes of the store; returns its id, the number of leases, and the returns. */
const useAndDispose = (page, name, options, reserve) =>
  page.evaluate(
    async ([name, options, reserve]) => {
      const store = open(name, options);
      if (reserve > 0) await store.hilo("orders").reserve(reserve);
      const id = await order(store);
      await store.dispose();
      const returns = seen("return").map(({ low, high, applied }) => ({ low, high, applied }));
      return { id, leases: seen("lease").length, returns };
    },
    [name, options, reserve],
  );

/** The numbers of these returns, in ascending order. */
const spans = (returns) => returns.map(({ low, high }) => [low, high]).sort(([a], [b]) => a - b);

test("a page leases, saves, loads, and returns exactly the unused numbers", options, async (t) => {
  const { base, page, problems, wire } = await opened(t);
  const seen = await page.evaluate(async (name) => {
    const store = open(name);
    const id = await order(store);
    const loaded = await store.openSession().load(id);
    const { parked } = store.hilo("orders").status();
    await store.dispose();
    return {
      id,
      again: loaded["@metadata"]["@id"],
      parked,
      returns: seen("return").map(({ applied }) => applied),
    };
  }, base);
  assert.deepEqual(seen, { id: "orders/1-A", again: "orders/1-A", parked: 8, returns: [true] });
  assert.ok(await document(ravendb, base, "orders/1-A"));
  assert.equal(
    await counter(ravendb, base, "orders"),
    1,
    "the parked numbers were returned with the rest of their lease",
  );
  assert.equal((await otherLease(ravendb, base, "orders")).Low, 2);
  assert.ok(!wire.requests.some(({ headers }) => headers.cookie || headers.origin));
  assert.deepEqual(problems, []);
});

test("a closing page returns its numbers by a beacon", options, async (t) => {
  const { base, page, wire } = await opened(t);
  assert.equal(await page.evaluate(async (name) => order(open(name)), base), "orders/1-A");
  const back = wire.next(isReturn, { responded: true });
  await page.goto("about:blank");
  const { path, responseText } = await back;
  assert.match(path, /multi_get$/);
  assert.match(responseText, /"Patched"/);
  await becomes(base, 9);
});

for (const [name, keep, reserve] of [
  ["keep 0", 0, 0],
  ["the default keep", undefined, 0],
  ["keep Infinity", Number.POSITIVE_INFINITY, 0],
  ["reserve(50)", undefined, 50],
])
  test(
    `after one lease Max after dispose() is what it is without a gateway, with ${name}`,
    options,
    async (t) => {
      const behind = await opened(t);
      const direct = { base: await database(t, ravendb), ...(await visited(t, ravendb.url)) };
      const results = [];
      for (const { page, base } of [behind, direct]) {
        const { id, leases, returns } = await useAndDispose(page, base, { keep }, reserve);
        results.push({
          id,
          leases,
          max: await counter(ravendb, base, "orders"),
          refused: returns.filter(({ applied }) => !applied),
        });
      }
      assert.deepEqual(results[0], { id: "orders/1-A", leases: 1, max: 1, refused: [] });
      assert.deepEqual(results[1], results[0], "without a gateway");
      assert.deepEqual(behind.problems, []);
    },
  );

test(
  "of several leases dispose() returns the newest; the rest stays parked, and an event reports it",
  options,
  async (t) => {
    const { base, page, problems, load } = await opened(t);
    const { leases, returns } = await page.evaluate(async (name) => {
      const store = open(name, { keep: Infinity });
      await order(store);
      await store.hilo("orders").reserve(50);
      await store.dispose();
      return {
        leases: seen("lease").map(({ low, high }) => [low, high]),
        returns: seen("return").map(({ low, high, applied, error }) => ({
          low,
          high,
          applied,
          why: error?.message,
        })),
      };
    }, base);
    assert.equal(leases.length, 2);
    const newest = leases.at(-1);
    const isApplied = ({ applied }) => applied;
    assert.deepEqual(spans(returns.filter(isApplied)), [newest]);
    const stays = returns.filter((back) => !isApplied(back));
    assert.deepEqual(spans(stays), [[2, newest[0] - 1]]);
    assert.match(stays[0].why, /stay parked on the device/);
    assert.equal(await counter(ravendb, base, "orders"), newest[0] - 1);
    await load("/");
    assert.equal(await page.evaluate((name) => open(name).hilo("orders").next(), base), "orders/2-A");
    assert.deepEqual(problems, []);
  },
);

test(
  "what an earlier page has parked stays parked on dispose, and an event reports it",
  options,
  async (t) => {
    const { base, page, problems, load } = await opened(t);
    await page.evaluate(async (name) => order(open(name)), base);
    await load("/");
    await becomes(base, 9);
    const { id, returns } = await useAndDispose(page, base, {}, 0);
    assert.equal(id, "orders/2-A");
    assert.deepEqual(
      returns,
      [{ low: 3, high: 9, applied: false }],
      "the gateway does not let the client read a fence again",
    );
    assert.equal(await counter(ravendb, base, "orders"), 9);
    assert.equal((await otherLease(ravendb, base, "orders")).Low, 10);
    await load("/");
    assert.equal(await page.evaluate((name) => order(open(name)), base), "orders/3-A");
    assert.deepEqual(problems, []);
  },
);

test(
  "numbers of a record of version 1, which has no token, are used; on dispose they are burnt, and an event reports it",
  options,
  async (t) => {
    const { base, page, problems, load } = await opened(t);
    await page.evaluate(async (name) => order(open(name)), base);
    await load("/away");
    await becomes(base, 9);
    const written = await page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const opening = indexedDB.open("raven-edge");
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => {
            const transaction = opening.result.transaction("ranges", "readwrite");
            const ranges = transaction.objectStore("ranges");
            const versions = [];
            ranges.openCursor().onsuccess = ({ target: { result } }) => {
              if (!result) return;
              if (result.value.startsWith("{")) {
                const { version, ...record } = JSON.parse(result.value);
                versions.push(version);
                const parked = record.parked.map((entry) => entry.slice(0, 4));
                result.update(JSON.stringify({ version: 1, ...record, parked }));
              }
              result.continue();
            };
            transaction.oncomplete = () => {
              opening.result.close();
              resolve(versions);
            };
          };
        }),
    );
    assert.deepEqual(written, [2]);
    await load("/");
    const { id, returns, why } = await page.evaluate(async (name) => {
      const store = open(name);
      const id = await store.hilo("orders").next();
      await store.dispose();
      const [{ error }] = seen("return");
      const returns = seen("return").map(({ low, high, applied }) => ({ low, high, applied }));
      return { id, returns, why: error.message };
    }, base);
    assert.equal(id, "orders/2-A");
    assert.deepEqual(returns, [{ low: 3, high: 9, applied: false }]);
    assert.match(why, /burnt/);
    assert.equal(await counter(ravendb, base, "orders"), 9);
    await load("/");
    assert.equal(await page.evaluate((name) => open(name).hilo("orders").next(), base), "orders/10-A");
    assert.deepEqual(problems, []);
  },
);
