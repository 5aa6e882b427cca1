// The recipe of docs/offline-start.md for a page without a bundler, with the import map of docs/start-browser.md.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { blocksOf, textOf } from "../docs/blocks.mjs";
import { missingChromium, visit } from "../support/chromium.mjs";
import { pkg } from "../support/pages.mjs";
import { serve } from "../support/serve.mjs";
import { database, missing, ravendb } from "../support/server.mjs";

const START = "docs/offline-start.md";

const app = (name) => `
  import { DocumentStore } from "raven-edge";
  import { offline } from "raven-edge/offline";
  globalThis.store = new DocumentStore("/raven", "${name}", { keep: Infinity, offline: offline({ user: "ann", documents: {} }) });
  store.initialize();
  // What a watch of a query shows first: the code for RQL and watches is needed in any case.
  globalThis.watched = () => new Promise((resolve) => {
    store.watch((s) => s.query({ collection: "Orders" }), (orders, { error }) => {
      if (orders || error) resolve(error?.code ?? orders.length);
    });
  });
  globalThis.create = async (total) => {
    const session = store.openSession();
    const order = { total, "@metadata": { "@collection": "Orders" } };
    await session.store(order);
    await session.queueChanges();
    return order.id;
  };
  document.title = "loaded";`;

test("a page without a bundler starts without a connection by the recipe of the page", {
  skip: missingChromium || missing(ravendb),
  timeout: 120_000,
}, async (t) => {
  const name = await database(t, ravendb);
  const worker = blocksOf(START).find(({ code }) => code.includes("precache"));
  const [register] = /navigator\.serviceWorker\.register\([^)]*\)/.exec(textOf(START));
  const [map] = /<script type="importmap">[\s\S]*?<\/script>/.exec(textOf("docs/start-browser.md"));
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-by-hand-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "node_modules"));
  await symlink(pkg, join(folder, "node_modules/raven-edge"));
  await writeFile(join(folder, "sw.js"), worker.code);
  await writeFile(join(folder, "app.js"), app(name));
  const html = `<!doctype html><meta charset=utf-8><title></title>${map}<script type="module" src="/app.js"></script>
    <script type="module">globalThis.registered = ${register}</script>`;
  const site = await serve(t, { folder, pages: { "/": html }, raven: ravendb.url });
  const { page } = await visit(t, site.url);
  const loaded = () => page.waitForFunction(() => document.title === "loaded");
  await loaded();
  await page.evaluate(async () => {
    await registered;
    await navigator.serviceWorker.ready;
    await store.hilo("orders").reserve(5);
    await create(1);
    await store.offline.flush();
  });
  await page.context().setOffline(true);
  await page.goto(`${site.url}/orders/1`);
  await loaded();
  assert.match(await page.evaluate(() => create(2)), /^orders\/\d+-A$/);
  assert.notEqual(await page.evaluate(() => watched()), "LoadFailed", "queries and watches are in the cache");
});
