// A page with an open store stays in the back/forward cache and continues when it is restored.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { browsers } from "../support/browsers.mjs";
import { after } from "../support/cleanup.mjs";
import { becomes, distinct, PAGE, pkg } from "../support/pages.mjs";
import { serve } from "../support/serve.mjs";
import { database, LIMIT, missing as none, ravendb } from "../support/server.mjs";

/** Firefox discards some pages that hold nothing at all (docs/unload.md). */
const NOT_ALWAYS = "Firefox";

/** Runs in the page before it is left: what it takes later comes from its store. */
async function begin(name) {
  // WebKit reports a page as loaded before its modules have run.
  while (!globalThis.loaded) await new Promise((resolve) => setTimeout(resolve, 1));
  globalThis.restored = new Promise((resolve) => {
    addEventListener("pageshow", ({ persisted }) => resolve(persisted));
  });
  globalThis.store = globalThis.open(name, { keep: 8 });
  const hilo = globalThis.store.hilo("orders");
  const ids = await globalThis.take(hilo, 3);
  // The burst has paused, and the pool is filled.
  while (hilo.status().parked !== 8) await new Promise((resolve) => setTimeout(resolve, 5));
  return ids;
}

for (const { name, missing, launch } of browsers.filter(({ name }) => name !== NOT_ALWAYS)) {
  test(`a page with a store stays in the back/forward cache and continues [${name}]`, {
    skip: missing || none(ravendb),
    timeout: LIMIT,
  }, async (t) => {
    const base = await database(t, ravendb);
    const away = "<!doctype html><title>away</title>";
    const { url } = await serve(t, { folder: pkg, pages: { "/": PAGE, "/away": away }, raven: ravendb.url });
    const browser = await launch();
    after(t, () => browser.close());
    const tab = await browser.open(url);
    const first = await tab.evaluate(begin, base);
    await tab.goto(`${url}/away`);
    // Three ids were issued, eight numbers stay parked.
    await becomes(base, 11);
    await tab.back();
    assert.equal(await tab.evaluate(() => globalThis.restored), true);
    const then = await tab.evaluate(() => globalThis.take(globalThis.store.hilo("orders"), 20));
    assert.equal(distinct(first, then), 23);
  });
}

for (const { name, missing, launch } of browsers) {
  test(`a page that is left while the module loads has ids when it is restored [${name}]`, {
    skip: missing || none(ravendb),
    timeout: LIMIT,
  }, async (t) => {
    const base = await database(t, ravendb);
    const away = "<!doctype html><title>away</title>";
    const module = readFileSync(`${pkg}/gen/raven_edge_bg.wasm`);
    let asked;
    const first = new Promise((resolve) => {
      asked = resolve;
    });
    const handlers = {
      // The start of the module is requested once; later requests get all of it.
      "/gen/raven_edge_bg.wasm": (_, response) => {
        response.writeHead(200, { "content-type": "application/wasm", "content-length": module.length });
        if (asked) response.write(module.subarray(0, 1_000));
        else response.end(module);
        asked?.();
        asked = undefined;
      },
    };
    const pages = { "/": PAGE, "/away": away };
    const { url } = await serve(t, { folder: pkg, pages, handlers, raven: ravendb.url });
    const browser = await launch();
    after(t, () => browser.close());
    const tab = await browser.open(url);
    await tab.evaluate(async (name) => {
      while (!globalThis.loaded) await new Promise((resolve) => setTimeout(resolve, 1));
      globalThis.store = globalThis.open(name);
      globalThis.store
        .hilo("orders")
        .next()
        .catch(() => {});
    }, base);
    await first;
    await tab.goto(`${url}/away`);
    await tab.back();
    const ids = await tab.evaluate(async (name) => {
      // Some browsers did not keep the page.
      while (!globalThis.loaded) await new Promise((resolve) => setTimeout(resolve, 1));
      globalThis.store ??= globalThis.open(name);
      return globalThis.take(globalThis.store.hilo("orders"), 3);
    }, base);
    assert.equal(distinct(ids), 3);
  });
}
