// The lists of `raven-edge/precache`: a service worker that keeps the files of the lists, and no others, starts a page without a connection.
import assert from "node:assert/strict";
import { test } from "node:test";
import precache from "../../pkg/lib/precache.js";
import { missingChromium, visit } from "../support/chromium.mjs";
import { pkg } from "../support/pages.mjs";
import { serve } from "../support/serve.mjs";
import { database, missing, ravendb } from "../support/server.mjs";

const LISTS = ["raven-edge", "raven-edge/offline"].map((entry) => precache[entry]);
const FILES = LISTS.flatMap(({ start, later }) => [...start, ...Object.values(later).flat()]);
const AT_ONCE = LISTS.flatMap(({ start }) => start);

/** The block of docs/offline-start.md does the same with the addresses of a page without a bundler. */
const WORKER = `
  addEventListener("install", (event) => event.waitUntil(caches.open("app").then((cache) =>
    cache.addAll(${JSON.stringify(["/", ...new Set(FILES.map((path) => `/${path}`))])}))));
  addEventListener("activate", (event) => event.waitUntil(clients.claim()));
  addEventListener("fetch", (event) => event.respondWith(
    caches.match(event.request).then((found) => found ?? fetch(event.request))));`;

const page = (name) => `<!doctype html><meta charset=utf-8><title>start</title>
<script type=module>
  import { DocumentStore } from "/lib/entries/web.js";
  import { offline } from "/lib/entries/offline.js";

  class Order {
    total = 0;
  }

  globalThis.begin = async () => {
    const store = new DocumentStore("/raven", "${name}", {
      keep: Infinity,
      offline: offline({ user: "ann", documents: {}, sets: { orders: { collection: "Orders" } } }),
    });
    store.conventions.registerEntityType(Order);
    store.named({ queries: { all: { query: "from Orders" } } }).initialize();
    globalThis.store = store;
  };
  globalThis.use = async (total) => {
    const session = store.openSession();
    const order = Object.assign(new Order(), { total });
    await session.store(order);
    await session.queueChanges();
    const shown = await new Promise((resolve, reject) => {
      const stop = store.watch({ named: "all" }, (orders = [], { pending = [], error }) => {
        if (error?.code === "LoadFailed") reject(error);
        const totals = [...orders, ...pending].map(({ total }) => total);
        if (totals.includes(total)) resolve(totals.sort().join());
      });
    });
    const inSet = await store.offline.set("orders").documents();
    return [/^orders\\/\\d+-A$/i.test(order.id), shown, inSet.map(({ total }) => total).sort().join()];
  };
  await navigator.serviceWorker.register("/worker.js", { type: "module" });
  await navigator.serviceWorker.ready;
  document.title = "loaded";
</script>`;

test("a page whose service worker keeps the files of the lists starts without a connection, and requests no other", {
  skip: missingChromium || missing(ravendb),
  timeout: 120_000,
}, async (t) => {
  const name = await database(t, ravendb);
  const site = await serve(t, {
    folder: pkg,
    pages: { "/": page(name) },
    handlers: {
      "/worker.js": (_, response) =>
        response.writeHead(200, { "content-type": "text/javascript" }).end(WORKER),
    },
    raven: ravendb.url,
  });
  const { page: tab, problems } = await visit(t, site.url);
  const loaded = () => tab.waitForFunction(() => document.title === "loaded");
  await loaded();
  await tab.evaluate(async () => {
    await globalThis.begin();
    await globalThis.store.hilo("orders").reserve(5);
    await globalThis.use(1);
    await globalThis.store.offline.flush();
    await globalThis.store.offline.set("orders").sync();
    await globalThis.store.offline.prefetch({ named: "all" });
  });

  const requested = [];
  await tab.context().setOffline(true);
  tab.on("request", (request) => requested.push(new URL(request.url()).pathname.slice(1)));
  await tab.reload();
  await loaded();
  await tab.evaluate(() => globalThis.begin());
  const ofPackage = () => requested.filter((path) => /^(lib|gen)\//.test(path));
  const unlisted = (list) => ofPackage().filter((path) => !list.includes(path));
  assert.deepEqual(unlisted(AT_ONCE), [], "these files are not in a list `start`");
  assert.ok(ofPackage().length > 5, "the requests of the page are seen");
  assert.deepEqual(await tab.evaluate(() => globalThis.use(2)), [true, "1,2", "1,2"]);
  assert.deepEqual(unlisted(FILES), [], "these files are in no list");
  assert.deepEqual(problems, []);
});
