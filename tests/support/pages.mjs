// Pages with the package in Chromium, as tabs of one profile; the real RavenDB behind a proxy that can hold requests.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { missingChromium, profile } from "./chromium.mjs";
import { proxy } from "./proxy.mjs";
import { serve } from "./serve.mjs";
import { counter, database, missing, number, ravendb } from "./server.mjs";

export const pkg = fileURLToPath(new URL("../../pkg", import.meta.url));

/** The page's module defines functions for the scripts of tests, so that several scripts can use one store. */
export const PAGE = `<!doctype html><meta charset=utf-8><title>raven-edge</title><script type=module>
  import { DocumentStore } from "/lib/entries/web.js";
  globalThis.DocumentStore = DocumentStore;
  globalThis.events = [];
  globalThis.seen = (name) => globalThis.events.filter(([event]) => event === name).map(([, detail]) => detail);
  globalThis.open = (name, options) => {
    const store = new DocumentStore("/raven", name, options).initialize();
    for (const event of ["lease", "return", "regression", "storage"])
      store.on(event, (detail) => globalThis.events.push([event, detail]));
    return store;
  };
  globalThis.order = async (store) => {
    const session = store.openSession();
    const order = { "@metadata": { "@collection": "Orders" } };
    await session.store(order);
    await session.saveChanges();
    return order.id;
  };
  globalThis.take = async (hilo, count) => {
    const ids = [];
    while (ids.length < count) ids.push(await hilo.next());
    return ids;
  };
  globalThis.loaded = true;
</script>`;

/**
 * A test with tabs of one profile on a database of its own. It gets `tab()` (a new tab with the package loaded),
 * `load(page, url)` (navigates; by default to the site's own page), `wire` (all requests to the server, which can be
 * held), `gate` (`open: false`: the server is unreachable; `nothing: true`: the site too), `base` (the database) and
 * the `context`.
 */
export function inTabs(name, body, { pages, handlers, mounts, skip, timeout = 60_000 } = {}) {
  test(name, { skip: skip || missingChromium || missing(ravendb), timeout }, async (t) => {
    const base = await database(t, ravendb);
    const wire = await proxy(t, ravendb.url);
    const gate = { open: true };
    const site = await serve(t, {
      folder: pkg,
      pages: { "/": PAGE, "/away": "<!doctype html><title>away</title>", ...pages },
      handlers,
      mounts,
      raven: wire.url,
      refuse: ({ url }) => (!gate.open && url.startsWith("/raven")) || gate.nothing,
    });
    const { context, problems, open } = await profile(t);
    const loaded = async (page) => {
      await page.waitForFunction(() => globalThis.loaded);
      return page;
    };
    const tab = async () => loaded(await open(site.url));
    const load = async (page, url = site.url) => {
      await page.goto(url);
      if (url === site.url) await loaded(page);
    };
    await body({ t, base, wire, gate, site, context, problems, tab, load });
    assert.deepEqual(problems, [], "no uncaught errors in any page");
  });
}

/** A test with one tab, `page`, and `next()` to reload it or navigate. */
export function inPage(name, body, options) {
  inTabs(
    name,
    async (tools) => {
      const page = await tools.tab();
      await body({ ...tools, page, next: (url) => tools.load(page, url) });
    },
    options,
  );
}

/** Waits until the counter has this value: a return at unload is not awaited. */
export async function becomes(base, expected, tag = "orders") {
  const end = performance.now() + 20_000;
  while (performance.now() < end) {
    if ((await counter(ravendb, base, tag)) === expected) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.equal(await counter(ravendb, base, tag), expected);
}

/** Fails if an id occurs twice; returns the number of ids. */
export function distinct(...lists) {
  const ids = lists.flat();
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
  assert.deepEqual(twice, [], "no id twice");
  return ids.length;
}

/** Takes twelve ids and saves a document in this page; returns the ids and the events that the page has reported. */
export function work(page, name) {
  return page.evaluate(async (name) => {
    globalThis.store ??= open(name, { timeout: 10_000 });
    const hilo = store.hilo("orders");
    const ids = [...(await take(hilo, 12)), await order(store)];
    const storage = seen("storage").map(({ error }) => [error.constructor.name, error.code]);
    return {
      ids,
      storage,
      leases: seen("lease"),
      regressions: seen("regression").length,
      parked: hilo.status().parked,
    };
  }, name);
}

/** Fails if an id occurs twice or was not in a lease of these results of {@link work}, or if a page reported a regression. */
export function assertGranted(...works) {
  const leases = works.flatMap((work) => work.leases);
  const ids = works.flatMap((work) => work.ids);
  distinct(ids);
  for (const id of ids) {
    const granted = leases.some(({ low, high }) => low <= number(id) && number(id) <= high);
    assert.ok(granted, `${id} was never granted`);
  }
  assert.equal(
    works.reduce((sum, { regressions }) => sum + regressions, 0),
    0,
  );
}

/** `storage` in the result of {@link work}, if the page has reported once that its device failed. */
export const STORAGE_REPORTED = [["RavenEdgeError", "Storage"]];
