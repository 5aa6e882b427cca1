// How an app starts: with parked numbers, with the server unreachable, with all servers unreachable; and how soon it
// has its first id.
import assert from "node:assert/strict";
import { loadavg } from "node:os";
import { test } from "node:test";
import * as chromium from "../support/browsers/chromium.mjs";
import { after } from "../support/cleanup.mjs";
import { becomes, inPage, inTabs, pkg } from "../support/pages.mjs";
import { FILES, WORKER } from "../support/precached.mjs";
import { isLease } from "../support/proxy.mjs";
import { serve } from "../support/serve.mjs";
import { database, missing, number, ravendb } from "../support/server.mjs";

/** Number of measured starts. The times are not asserted, because the machine may be busy. */
const STARTS = 5;

inPage(
  "with parked numbers and an unreachable server, a reloaded page takes its ids from the pool",
  async (tools) => {
    const { base, page, next, gate, wire } = tools;
    await page.evaluate((name) => open(name).hilo("orders").next(), base);
    await next();
    await becomes(base, 9);
    gate.open = false;
    const leases = wire.of(isLease).length;
    await next();
    const ids = await page.evaluate((name) => take(open(name).hilo("orders"), 8), base);
    assert.deepEqual(ids.map(number), [2, 3, 4, 5, 6, 7, 8, 9]);
    assert.equal(wire.of(isLease).length, leases);
  },
);

inPage("while a reservation waits for the server, a page gets parked numbers", async (tools) => {
  const { base, page, next, gate } = tools;
  await page.evaluate((name) => open(name).hilo("orders").next(), base);
  await next();
  await becomes(base, 9);
  gate.open = false;
  await next();
  const [first, second, isSettled] = await page.evaluate(async (name) => {
    const hilo = open(name).hilo("orders");
    let isSettled = false;
    const settles = () => {
      isSettled = true;
    };
    hilo.reserve(100).then(settles, settles);
    const first = await hilo.next();
    while (!hilo.status().leasing) await new Promise((resolve) => setTimeout(resolve));
    return [first, await hilo.next(), isSettled];
  }, base);
  assert.deepEqual([first, second].map(number), [2, 3]);
  assert.equal(isSettled, false);
});

inTabs(
  "an app with a service worker starts and has an id with all servers unreachable",
  async ({ base, tab, gate, site }) => {
    const page = await tab();
    await page.evaluate(async (name) => {
      await navigator.serviceWorker.register("/worker.js");
      await navigator.serviceWorker.ready;
      await open(name).hilo("orders").next();
    }, base);
    await page.close();
    await becomes(base, 9);
    gate.nothing = true;
    const asked = site.requests.length;
    const cold = await tab();
    const ids = await cold.evaluate(async (name) => {
      const hilo = open(name).hilo("orders");
      return [await hilo.next(), await hilo.next()];
    }, base);
    assert.deepEqual(ids.map(number), [2, 3]);
    const missed = site.requests.slice(asked).filter((path) => FILES.includes(path));
    assert.deepEqual(missed, [], "all of it came from the worker's cache");
  },
  {
    handlers: {
      "/worker.js": (_, response) =>
        response.writeHead(200, { "content-type": "text/javascript" }).end(WORKER),
    },
  },
);

/** Requests an id as soon as the module is imported, before the WebAssembly is loaded. */
const eager = (
  base,
  head,
) => `<!doctype html><meta charset=utf-8><title>start</title>${head}<script type=module>
  import { DocumentStore } from "/lib/entries/web.js";
  const began = performance.now();
  globalThis.store = new DocumentStore("/raven", "${base}").initialize();
  globalThis.started = store.hilo("orders").next().then((id) => [id, performance.now() - began]);
</script>`;

const HINT = '<link rel=preload as=fetch crossorigin href="/gen/raven_edge_bg.wasm">';

for (const [how, head] of [
  ["", ""],
  [", the module preloaded", HINT],
]) {
  test(`the first id after a reload, server off${how}`, {
    skip: chromium.missing || missing(ravendb),
    timeout: 180_000,
  }, async (t) => {
    const base = await database(t, ravendb);
    const gate = { open: true };
    const { url } = await serve(t, {
      folder: pkg,
      pages: { "/": eager(base, head) },
      raven: ravendb.url,
      refuse: ({ url }) => !gate.open && url.startsWith("/raven"),
    });
    // With a profile on disk: Playwright's profiles keep IndexedDB in memory, where a strict transaction costs
    // nothing.
    const browser = await chromium.launch();
    after(t, () => browser.close());
    const tab = await browser.open(url);
    await tab.evaluate(() => globalThis.store.hilo("orders").reserve(100));
    gate.open = false;
    const times = [];
    const ids = new Set();
    for (let start = 0; start < STARTS; start++) {
      await tab.reload();
      const [id, time] = await tab.evaluate(() => globalThis.started);
      ids.add(id);
      times.push(time);
    }
    assert.equal(ids.size, STARTS);
    times.sort((a, b) => a - b);
    const median = times[(STARTS - 1) / 2];
    t.diagnostic(
      `median ${median.toFixed(1)} ms of ${STARTS} starts, ${times[0].toFixed(1)} to ${times.at(-1).toFixed(1)}; ` +
        `the machine's load ${loadavg()[0].toFixed(1)}`,
    );
  });
}

inTabs(
  "the first id of a first visit takes at most one request after the module's bytes, and saving its document one more",
  async ({ base, tab }) => {
    const page = await tab();
    const [id, saved] = await page.evaluate(async (name) => {
      const order = { "@metadata": { "@collection": "Orders" } };
      const session = new DocumentStore("/raven", name).initialize().openSession();
      const requests = () => performance.getEntriesByType("resource");
      await session.store(order);
      const first = requests();
      await session.saveChanges();
      const { responseEnd } = first.find(({ name }) => /\.wasm$/.test(name));
      const after = first
        .concat(requests().slice(first.length))
        .filter((one) => one.startTime >= responseEnd);
      // Nothing waits for the list of nodes.
      const awaited = after
        .map((one) => [one, new URL(one.name).pathname])
        .filter(([, path]) => !/topology|favicon/.test(path));
      return [
        awaited.filter(([one]) => first.includes(one)).map(([, path]) => path),
        awaited.map(([, path]) => path),
      ];
    }, base);
    // None if the lease has left before they came.
    assert.deepEqual(id, [`/raven/databases/${base}/multi_get`].slice(0, id.length));
    assert.deepEqual(saved, [...id, `/raven/databases/${base}/bulk_docs`]);
  },
);

inTabs(
  "a registered class can be stored for the first time without a connection",
  async ({ base, tab, gate }) => {
    const page = await tab();
    await page.evaluate(async (name) => {
      globalThis.Visit = class {};
      globalThis.store = new DocumentStore("/raven", name);
      globalThis.store.conventions.registerEntityType(globalThis.Visit, "Visit");
      globalThis.store.initialize();
      await globalThis.store.hilo("visits").reserve(10);
    }, base);
    gate.nothing = true;
    const id = await page.evaluate(async () => {
      const visit = new globalThis.Visit();
      await globalThis.store.openSession().store(visit);
      return visit.id;
    });
    assert.match(id, /^visits\/\d+-A$/);
  },
);

inPage(
  "if the module's download hangs, callers get an error in time and dispose returns at once",
  async ({ base, page }) => {
    const codes = await page.evaluate(async (name) => {
      const begun = (timeout) => {
        const store = open(name, { timeout });
        const session = store.openSession();
        const hilo = store.hilo("orders");
        const order = { "@metadata": { "@collection": "Orders" } };
        const waiting = [
          hilo.next(),
          hilo.reserve(5),
          store.release(),
          session.store(order),
          session.load("orders/1-A"),
        ];
        return {
          store,
          codes: Promise.all(waiting.map((each) => each.catch(({ code }) => code))),
          next: waiting[0],
        };
      };
      const late = await begun(300).codes;
      const { store, next } = begun(2 ** 31 - 1);
      await new Promise((resolve) => setTimeout(resolve, 50));
      const disposed = next.catch(({ code }) => code);
      await store.dispose();
      return [...late, await disposed];
    }, base);
    assert.deepEqual(codes, [...Array(5).fill("Timeout"), "Disposed"]);
  },
  {
    handlers: {
      "/gen/raven_edge_bg.wasm": (_, response) =>
        response.writeHead(200, { "content-type": "application/wasm" }).flushHeaders(),
    },
    timeout: 20_000,
  },
);

inTabs("a frame without its own URL reaches the server by a path, like its page", async (tools) => {
  const { base, tab, load, site } = tools;
  const page = await tab();
  const ids = await page.evaluate(async (name) => {
    const first = await open(name).hilo("orders").next();
    const frame = document.createElement("iframe");
    frame.srcdoc = document.documentElement.outerHTML;
    document.body.append(frame);
    await new Promise((resolve) => frame.addEventListener("load", resolve));
    return [first, await frame.contentWindow.open(name).hilo("orders").next()];
  }, base);
  assert.deepEqual(ids.map(number), [1, 2], "the numbers that the page has parked");
  await load(page, `${site.url}/away`);
});
