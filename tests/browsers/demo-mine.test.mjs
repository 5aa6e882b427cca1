// The demo's page "my orders": a named query behind the gateway, with rows. A second user sees none of the first one's orders.
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingChromium, profile } from "../support/chromium.mjs";
import { after } from "../support/cleanup.mjs";
import { demo } from "../support/demo.mjs";
import { proxy } from "../support/proxy.mjs";
import { database, document, missing, ravendb } from "../support/server.mjs";

/** Clicks a button of the page, and waits until the page has done everything. */
async function click(page, selector) {
  await page.click(selector);
  await page.waitForSelector('body[aria-busy="false"]');
}

const shown = (page) =>
  page.locator("#orders tbody tr").evaluateAll((rows) => rows.map(({ cells }) => cells[0].textContent));

test("a page lists my orders by a named query, and a second user sees none of them", {
  skip: missingChromium || missing(ravendb),
  timeout: 120_000,
}, async (t) => {
  const base = await database(t, ravendb);
  const wire = await proxy(t, ravendb.url);
  const { url, end } = await demo({ RAVENDB_URL: wire.url, DATABASE: base });
  after(t, end);
  const { context, problems, open } = await profile(t);
  const ann = await open(`${url}/mine.html`);
  await ann.waitForSelector("body[data-ready]");
  await click(ann, "#ann");
  assert.equal(await ann.textContent("#message"), "Signed in as ann: no orders.");
  await click(ann, "#order");
  await click(ann, "#order");
  const ids = await shown(ann);
  assert.equal(new Set(ids).size, 2);
  for (const id of ids) assert.match(id, /^orders\/\d+-A$/);
  await click(ann, "#orders tbody tr:last-child button");
  assert.equal((await document(ravendb, base, ids[1])).state, "paid");
  assert.equal(await ann.locator("#orders tbody tr:last-child td:nth-child(4)").textContent(), "paid");
  if (process.env.PICTURE) await ann.screenshot({ path: process.env.PICTURE, fullPage: true });

  // The cookie of the browser is Bob's from now on, also for a request that names Ann's document.
  const bob = await open(`${url}/mine.html`);
  await bob.waitForSelector("body[data-ready]");
  await click(bob, "#bob");
  assert.equal(await bob.textContent("#message"), "Signed in as bob: no orders.");
  assert.deepEqual(await shown(bob), []);
  const status = await bob.evaluate(
    async (path) => (await fetch(path)).status,
    `/mine/databases/${base}/docs?id=${encodeURIComponent(ids[0])}`,
  );
  assert.equal(status, 404);
  await click(bob, "#order");
  assert.equal((await shown(bob)).length, 1);
  assert.ok(!ids.includes((await shown(bob))[0]));
  assert.deepEqual(problems, []);
  await context.close();
});

test("without a sign-in, or with a cookie of somebody's own making, the gateway answers 401", {
  skip: missing(ravendb),
  timeout: 60_000,
}, async (t) => {
  const base = await database(t, ravendb);
  const { url, end } = await demo({ RAVENDB_URL: ravendb.url, DATABASE: base });
  after(t, end);
  for (const Cookie of ["", `user=ann.${"0".repeat(64)}`]) {
    const response = await fetch(`${url}/mine/databases/${base}/queries/named/myOrders`, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json", Cookie },
    });
    assert.deepEqual(
      [response.status, (await response.json()).Type],
      [401, "RavenEdge.Gateway.Unauthorized"],
    );
  }
});
