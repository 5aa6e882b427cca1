// A service worker sends what a page has queued: in a `sync` event, after the page was closed.
import assert from "node:assert/strict";
import { blocksOf } from "../docs/blocks.mjs";
import { withQueue } from "../support/offline.mjs";
import { putDocument, ravendb } from "../support/server.mjs";

/** The worker of `docs/outbox.md`, with the database of its address. */
const WORKER = blocksOf("docs/outbox.md")
  .find(({ code }) => code.includes('"sync"'))
  .code.replace("raven-edge/complete", "/lib/entries/complete.js")
  .replace("raven-edge/offline", "/lib/entries/offline.js")
  .replace('"Shop"', 'new URL(location.href).searchParams.get("database")');

const handlers = {
  "/worker.js": (_, response) => response.writeHead(200, { "content-type": "text/javascript" }).end(WORKER),
};

withQueue(
  "what a page has queued is sent by its service worker after the page was closed, once",
  async ({ context, page, base, gate, tab, documentOf, receipts }) => {
    await putDocument(ravendb, base, "orders/1", { count: 0, "@metadata": { "@collection": "Orders" } });
    const away = await context.newPage();
    const devtools = await context.newCDPSession(page);
    const registered = new Promise((resolve) => {
      devtools.on(
        "ServiceWorker.workerRegistrationUpdated",
        ({ registrations: [one] }) => one && resolve(one),
      );
    });
    await devtools.send("ServiceWorker.enable");
    await page.evaluate(async (name) => {
      await navigator.serviceWorker.register(`/worker.js?database=${name}`, { type: "module" });
      await navigator.serviceWorker.ready;
      globalThis.store = open(name);
    }, base);
    const { registrationId } = await registered;
    gate.open = false;
    await page.evaluate(async () => {
      for (let turn = 0; turn < 3; turn++) {
        const session = store.openSession();
        session.advanced.increment("orders/1", "count", 1);
        await session.queueChanges();
      }
      await store.offline.flush({ timeout: 300 });
    });
    await page.close();
    gate.open = true;
    const browser = await context.newCDPSession(away);
    await browser.send("ServiceWorker.enable");
    const origin = page.url().replace(/\/$/, "");
    await browser.send("ServiceWorker.dispatchSyncEvent", {
      origin,
      registrationId,
      tag: "outbox",
      lastChance: false,
    });
    const next = await tab();
    const left = await next.evaluate(async (name) => {
      globalThis.store = open(name, { automatic: false });
      await store.offline.pending();
      await until(store, ({ queued, sending }) => queued + sending === 0);
      return store.offline.pending();
    }, base);
    assert.equal(left, 0);
    assert.equal((await documentOf("orders/1")).count, 3);
    const [receipt, ...others] = await receipts();
    assert.deepEqual([receipt.User, others], ["ann", []], "the worker and the page share a receipt");
  },
  { handlers },
);
