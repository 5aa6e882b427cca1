// An app that was used once starts while every server is off, and shows its documents with pending changes laid over them.
import assert from "node:assert/strict";
import { loadavg } from "node:os";
import { test } from "node:test";
import * as chromium from "../support/browsers/chromium.mjs";
import * as firefox from "../support/browsers/firefox.mjs";
import { after } from "../support/cleanup.mjs";
import { pkg } from "../support/pages.mjs";
import { WORKER } from "../support/precached.mjs";
import { serve } from "../support/serve.mjs";
import { database, missing, order, putDocument, ravendb } from "../support/server.mjs";

/** Number of measured starts. The times are not asserted, because the machine may be busy. */
const STARTS = 5;

/** Shows a list and a document as soon as it runs. */
const page = (
  base,
) => `<!doctype html><meta charset=utf-8><title>app</title><ul></ul><p></p><script type=module>
  import { DocumentStore } from "/lib/entries/web.js";
  import { offline } from "/lib/entries/offline.js";
  const began = performance.now();
  globalThis.store = new DocumentStore("/raven", "${base}", { offline: offline({ user: "ann", documents: {} }) }).initialize();
  store.named({ queries: { all: { query: "from Orders order by total as long", wait: 30_000 } } });
  globalThis.start = async () => {
    const session = store.openSession({ offline: "first" });
    let statistics;
    const orders = await session.query({ named: "all" }).statistics((given) => (statistics = given)).all();
    document.querySelector("ul").textContent = orders.map(({ id, total }) => id + ":" + total).join(" ");
    const time = performance.now() - began;
    const { total } = await session.load("orders/1");
    document.querySelector("p").textContent = total;
    const shown = [...document.querySelectorAll("ul, p")].map(({ textContent }) => textContent);
    const pending = (statistics.pending ?? []).map((order) => order["@metadata"]["@id"]);
    return { shown, pending, time, absent: await session.load("orders/3") };
  };
  globalThis.started = start();
</script>`;

for (const browser of [chromium, firefox])
  test(`an app shows its list and documents with every server off, in ${browser.name}`, {
    skip: browser.missing || missing(ravendb),
    timeout: 120_000,
  }, async (t) => {
    const base = await database(t, ravendb);
    for (const total of [1, 2, 3]) await putDocument(ravendb, base, `orders/${total}`, order({ total }));
    const gate = { server: true, site: true };
    const worker = (request, response) => {
      if (!gate.site) return request.socket.destroy();
      response.writeHead(200, { "content-type": "text/javascript" }).end(WORKER);
    };
    const site = await serve(t, {
      folder: pkg,
      pages: { "/": page(base) },
      handlers: { "/worker.js": worker },
      raven: ravendb.url,
      refuse: ({ url }) => !gate.site || (!gate.server && url.startsWith("/raven")),
    });
    const program = await browser.launch();
    after(t, () => program.close());
    const first = await program.open(site.url);
    const used = await first.evaluate(async () => {
      await navigator.serviceWorker.register("/worker.js");
      await navigator.serviceWorker.ready;
      return globalThis.started;
    });
    assert.deepEqual(used.shown, ["orders/1:1 orders/2:2 orders/3:3", "1"]);
    gate.server = false;
    await first.evaluate(async () => {
      const session = store.openSession();
      const changed = await session.load("orders/1");
      changed.total = 10;
      await session.queueChanges();
      await session.store({ total: 4, "@metadata": { "@collection": "Orders" } }, "orders/4");
      await session.queueChanges();
      await session.delete("orders/3");
      await session.queueChanges();
    });
    gate.site = false;
    const times = [];
    for (let start = 0; start < STARTS; start++) {
      await first.reload();
      const seen = await first.evaluate(() => globalThis.started);
      assert.deepEqual(seen.shown, ["orders/1:10 orders/2:2", "10"]);
      assert.deepEqual([seen.pending, seen.absent], [["orders/4"], null]);
      times.push(seen.time);
    }
    times.sort((a, b) => a - b);
    t.diagnostic(
      `first content after ${times.map((time) => time.toFixed(0)).join(", ")} ms in ${program.version}; ` +
        `the machine's load ${loadavg()[0].toFixed(1)}`,
    );
    gate.site = true;
    gate.server = true;
    const saved = await first.evaluate(async () => {
      const isSaved = await store.offline.flush();
      const orders = await store.openSession().query({ named: "all" }).all();
      return [isSaved, orders.map(({ id, total }) => `${id}:${total}`).join(" ")];
    });
    assert.deepEqual(saved, [true, "orders/2:2 orders/4:4 orders/1:10"]);
  });
