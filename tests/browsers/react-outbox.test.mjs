// What the hooks of `raven-edge/react` show of the queue, behind the gateway: what waits, conflicts, a mark of each document, a sign-in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changesHub } from "../support/changes-hub.mjs";
import { missingChromium, profile } from "../support/chromium.mjs";
import { pkg } from "../support/pages.mjs";
import { reactModule } from "../support/react.mjs";
import { serve } from "../support/serve.mjs";
import { missing, putDocument, ravendb } from "../support/server.mjs";

const options = { skip: missingChromium || missing(ravendb), timeout: 120_000 };
/** Longer than any test: what is read again in a test was read at once. */
const EVERY = 600_000;

const PAGE = `<!doctype html><meta charset=utf-8><title>react</title>
<script type=importmap>{ "imports": { "react": "/react.js", "raven-edge/react": "/dist/react/hooks.js" } }</script>
<main></main>
<script type=module>
  import { createElement as h, createRoot, StrictMode } from "react";
  import { DocumentStore } from "/lib/entries/web.js";
  import { offline } from "/lib/entries/offline.js";
  import { hooksFor } from "raven-edge/react";

  const { StoreProvider, useConflicts, useMarks, useOffline, useOutbox, useQuery, useSet } = hooksFor();

  function App() {
    const { data, pending = [], connected, error: failure } = useQuery({ named: "orders" }, [], { every: globalThis.every });
    const { data: changes, error } = useOutbox();
    const { data: conflicts } = useConflicts();
    const { needsAuth } = useOffline() ?? {};
    const markOf = useMarks();
    globalThis.shown = {
      orders: data && [...pending, ...data].map((order) => [order.total, markOf(order)].join(" ")),
      product: markOf("Products/1"),
      edited: markOf({ id: "Products/1", $hasPendingWrites: true }) ?? "none",
      changes: changes?.map(({ state, documents }) => [state, ...documents].join(" ")),
      conflicts: conflicts?.map(({ documents: [{ mine, theirs }] }) => [mine.total, theirs.total].join(" / ")),
      connected, needsAuth, error: error?.code, failure: failure?.message,
    };
    globalThis.changes = changes;
    globalThis.conflicts = conflicts;
    return h("pre", null, JSON.stringify(globalThis.shown));
  }

  function OfSet() {
    const { data, isComplete, syncedAt, progress, error } = useSet("all");
    globalThis.shown = {
      orders: data?.map(({ id, total }) => [id, total].join(" ")).sort(),
      isComplete, isSynced: syncedAt instanceof Date, isLoading: !!progress, error: error?.code,
    };
    globalThis.wrong ??= [];
    // All that is on the server, as of the time when it is complete.
    if (isComplete && (data ?? []).length < globalThis.count) globalThis.wrong.push(globalThis.shown);
    return h("pre", null, JSON.stringify(globalThis.shown));
  }

  globalThis.begin = (url, base, options = { offline: offline({ user: "ann", documents: {}, sets: globalThis.sets }) }) => {
    const headers = () => (globalThis.user ? { authorization: globalThis.user } : {});
    globalThis.store = new DocumentStore(url, base, { headers, ...options }).initialize();
    createRoot(document.querySelector("main")).render(h(StrictMode, null, h(StoreProvider, { store }, h(globalThis.sets ? OfSet : App))));
  };
  globalThis.queued = async (id, total, collection = "Orders") => {
    const session = store.openSession();
    const found = await session.load(id).catch(() => null);
    if (found) found.total = total;
    else await session.store({ total, open: true, "@metadata": { "@collection": collection } }, id);
    await session.queueChanges();
  };
</script>`;

/** The gateway that all tests of this file share. */
async function started(t) {
  const site = await serve(t, {
    folder: pkg,
    pages: { "/": PAGE },
    handlers: {
      "/react.js": async (_, response) =>
        response.writeHead(200, { "content-type": "text/javascript" }).end(await reactModule()),
    },
  });
  const made = await changesHub(t, ravendb, {
    options: {
      collections: { Orders: "write", Products: "read" },
      sets: { all: { collection: "Orders" } },
      queries: { orders: { query: "from Orders order by total", wait: 15_000 } },
      origins: [new URL(site.url).origin],
      headers: ["Authorization"],
    },
    functions: `authorize: (request) => request.headers.has("authorization") ? { name: "ann" } : null`,
  });
  return { site, ...made };
}

/** A page in a new profile. */
async function opened(t, { site, ...made }, every) {
  const { open, problems } = await profile(t);
  const page = await open(site.url);
  await page.waitForFunction(() => globalThis.begin);
  const begin = (options) =>
    page.evaluate(
      ([url, base, every, options]) => {
        globalThis.every = every;
        globalThis.begin(url, base, options);
      },
      [made.url, made.base, every, options],
    );
  const shows = async (expected) => {
    const isShown = (expected) => {
      const { shown } = globalThis;
      const isSame = Object.entries(expected).every(
        ([name, value]) => JSON.stringify(shown?.[name]) === JSON.stringify(value),
      );
      return isSame && shown;
    };
    try {
      return await (await page.waitForFunction(isShown, expected)).jsonValue();
    } catch (cause) {
      const shown = JSON.stringify(await page.evaluate(() => globalThis.shown));
      throw new Error(`expected ${JSON.stringify(expected)}, shown: ${shown}`, { cause });
    }
  };
  return { ...made, page, problems, begin, shows };
}

test("the hooks for the queue, behind the gateway", options, async (t) => {
  const shared = await started(t);
  // The database is empty here.
  await t.test("a store without a queue has an error in place of an outbox", async (t) => {
    const { page, begin, shows } = await opened(t, shared, 50);
    await page.evaluate(() => {
      globalThis.user = "ann";
    });
    await begin({});
    await shows({ error: "InvalidOperation", orders: [], connected: true });
  });

  await t.test(
    "a page that has nothing to send is told to sign in, and reads and connects at once afterwards",
    async (t) => {
      const { base, page, begin, shows, problems } = await opened(t, shared, EVERY);
      await putDocument(ravendb, base, "orders/1", { total: 1, "@metadata": { "@collection": "Orders" } });
      await begin();
      await shows({ needsAuth: true, changes: [] });
      await page.evaluate(() => {
        globalThis.user = "ann";
        return globalThis.store.offline.retry();
      });
      await shows({ needsAuth: false, connected: true, orders: ["1 saved"] });
      assert.deepEqual(problems, []);
    },
  );

  await t.test(
    "outbox, conflicts and marks show what waits and what the user must decide, until it is saved",
    async (t) => {
      const { base, page, begin, shows, problems } = await opened(t, shared, 50);
      await page.evaluate(() => {
        globalThis.user = "ann";
      });
      await putDocument(ravendb, base, "orders/1", { total: 1, "@metadata": { "@collection": "Orders" } });
      await begin();
      await shows({ orders: ["1 saved"], changes: [], conflicts: [], connected: true });
      // A document that waits is never shown as saved.
      await page.evaluate(() => {
        globalThis.wrong = [];
        const look = () => {
          const { changes = [], orders = [] } = globalThis.shown;
          const isWaiting = changes.some((text) => text.endsWith("orders/2"));
          if (isWaiting && orders.includes("2 saved"))
            globalThis.wrong.push(JSON.stringify(globalThis.shown));
        };
        new MutationObserver(look).observe(document.querySelector("main"), {
          subtree: true,
          childList: true,
          characterData: true,
        });
      });
      await page.evaluate(async () => {
        await globalThis.store.offline.pause();
        await globalThis.queued("orders/2", 2);
        await globalThis.queued("orders/1", 3);
      });
      const { orders } = await shows({ changes: ["queued orders/2", "queued orders/1"] });
      assert.ok(!orders.includes("2 saved"));
      await page.waitForFunction(() => [...globalThis.shown.orders].sort().join() === "2 queued,3 queued");
      await putDocument(ravendb, base, "orders/1", { total: 7, "@metadata": { "@collection": "Orders" } });
      await page.evaluate(() => globalThis.store.offline.resume());
      await shows({ changes: ["conflict orders/1"], conflicts: ["3 / 7"] });
      await page.waitForFunction(() => [...globalThis.shown.orders].sort().join() === "2 saved,3 conflict");
      await page.evaluate(() => globalThis.conflicts[0].resolve("mine"));
      await shows({ changes: [], conflicts: [], orders: ["2 saved", "3 saved"] });

      await page.evaluate(() => globalThis.queued("products/1", 1, "Products"));
      await shows({ changes: ["refused products/1"], product: "refused", edited: "refused" });
      await page.evaluate(() => globalThis.store.offline.discard(globalThis.changes[0]));
      await shows({ changes: [], product: "saved", edited: "none" });
      assert.deepEqual(await page.evaluate(() => globalThis.wrong), []);
      assert.deepEqual(problems, []);
    },
  );

  await t.test("useSet shows a set with what waits, an outage, and the end at a sign-out", async (t) => {
    const { base, page, begin, shows, problems } = await opened(t, shared, EVERY);
    for (const id of [1, 2])
      await putDocument(ravendb, base, `orders/${id}`, {
        total: id,
        "@metadata": { "@collection": "Orders" },
      });
    await page.evaluate(() => {
      Object.assign(globalThis, { user: "ann", count: 2, sets: { all: { collection: "Orders" } } });
    });
    await begin();
    const complete = { isComplete: true, isSynced: true, isLoading: false };
    await shows({ ...complete, orders: ["orders/1 1", "orders/2 2"] });
    await page.context().setOffline(true);
    const sync = () =>
      page.evaluate(() =>
        globalThis.store.offline
          .set("all")
          .sync()
          .catch(() => {}),
      );
    await Promise.all([sync(), shows({ ...complete, error: "Unreachable" })]);
    await page.evaluate(() => globalThis.queued("orders/1", 5));
    await shows({ ...complete, orders: ["orders/1 5", "orders/2 2"] });
    await page.context().setOffline(false);
    await page.evaluate(() => globalThis.store.offline.flush());
    await sync();
    await page.waitForFunction(() => globalThis.shown.error === undefined);
    assert.deepEqual(await page.evaluate(() => globalThis.wrong), []);
    await page.evaluate(() => globalThis.store.offline.clear());
    await shows({ isComplete: false, orders: [], error: "InvalidOperation" });
    assert.deepEqual(
      problems.filter((text) => !/ERR_INTERNET_DISCONNECTED/.test(text)),
      [],
    );
  });
});
