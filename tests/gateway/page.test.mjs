// The unchanged client in a page of Chromium: one Worker serves the page and the gateway.
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingChromium, visit } from "../support/chromium.mjs";
import { gateway } from "../support/gateway.mjs";
import { becomes, PAGE, pkg } from "../support/pages.mjs";
import { isReturn } from "../support/proxy.mjs";
import { serve } from "../support/serve.mjs";
import { counter, document, missing, otherLease, ravendb } from "../support/server.mjs";

const options = { skip: missingChromium || missing(ravendb), timeout: 60_000 };
const collections = { Orders: "write" };

async function opened(t) {
  const made = await gateway(t, { options: { collections } });
  const site = await serve(t, { folder: pkg, pages: { "/": PAGE }, raven: made.url });
  const { page, problems } = await visit(t, site.url);
  await page.waitForFunction(() => globalThis.loaded);
  return { ...made, page, problems };
}

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

test("on dispose numbers that an earlier page parked stay parked", options, async (t) => {
  const { base, page, problems } = await opened(t);
  await page.evaluate(async (name) => order(open(name)), base);
  await page.reload();
  await page.waitForFunction(() => globalThis.loaded);
  await becomes(base, 9);
  const { id, returns } = await page.evaluate(async (name) => {
    const store = open(name);
    const id = await order(store);
    await store.dispose();
    return { id, returns: seen("return") };
  }, base);
  assert.equal(id, "orders/2-A");
  assert.deepEqual(
    returns.map(({ low, high, applied }) => [low, high, applied]),
    [[3, 9, false]],
    "the page that was left has changed the counter since the lease, so they stay parked, and the app is told",
  );
  assert.equal(await counter(ravendb, base, "orders"), 9);
  assert.equal((await otherLease(ravendb, base, "orders")).Low, 10);
  assert.equal(await page.evaluate(async (name) => order(open(name)), base), "orders/3-A");
  assert.deepEqual(problems, []);
});
