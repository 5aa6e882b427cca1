// The queue of a page with the authority instead of RavenDB: it has the same rules about receipts (see also
// tests/conformance/cases/receipts.mjs).
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingChromium, visit } from "../support/chromium.mjs";
import { PAGE } from "../support/offline.mjs";
import { pkg } from "../support/pages.mjs";
import { proxy } from "../support/proxy.mjs";
import { serve } from "../support/serve.mjs";
import { authority, database, document, missing, putDocument, send } from "../support/server.mjs";

test("lost responses, a conflict and a chain of changes are settled by the authority's receipt", {
  skip: missingChromium || missing(authority),
  timeout: 60_000,
}, async (t) => {
  const base = await database(t, authority);
  const wire = await proxy(t, authority.url);
  const site = await serve(t, { folder: pkg, pages: { "/": PAGE }, raven: wire.url });
  const { page, problems } = await visit(t, site.url);
  await page.waitForFunction(() => globalThis.loaded);
  let losses = 2;
  wire.rule = ({ path }) => (/bulk_docs$/.test(path) && losses-- > 0 ? "lose" : undefined);
  const states = await page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false });
    globalThis.session = store.openSession();
    globalThis.order = Order({ lines: [] });
    await session.store(order, "orders/1");
    const changes = [];
    for (let line = 0; line < 4; line++) {
      order.lines.push(line);
      changes.push(await session.queueChanges());
    }
    await store.offline.flush();
    return changes.map(({ state }) => state);
  }, base);
  assert.deepEqual(states, Array(4).fill("saved"));
  assert.deepEqual((await document(authority, base, "orders/1")).lines, [0, 1, 2, 3]);

  await page.evaluate(async () => {
    order.lines.push("mine");
    await session.queueChanges();
  });
  await putDocument(authority, base, "orders/1", {
    lines: ["theirs"],
    "@metadata": { "@collection": "Orders" },
  });
  const decided = await page.evaluate(async () => {
    const asked = next(store, "conflict");
    await store.offline.flush();
    const { documents, resolve } = await asked;
    const [{ base, mine, theirs }] = documents;
    await resolve([{ ...theirs, lines: [...theirs.lines, "mine"] }]);
    return [base.lines.length, mine.lines.length, await store.offline.flush()];
  });
  assert.deepEqual(decided, [4, 5, true]);
  assert.deepEqual((await document(authority, base, "orders/1")).lines, ["theirs", "mine"]);
  const path = `/databases/${base}/docs?startsWith=Raven-Edge/Devices/&pageSize=10`;
  const { Results } = (await send(authority.url, "GET", path)).json;
  assert.deepEqual(
    Results.map(({ User }) => User),
    ["ann"],
  );
  assert.deepEqual(problems, []);
});
