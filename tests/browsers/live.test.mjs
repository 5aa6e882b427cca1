// Two pages that show a list through the gateway, and a writer that they do not know: what they show, and how soon.
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingChromium, visit } from "../support/chromium.mjs";
import { gateway } from "../support/gateway.mjs";
import { pkg } from "../support/pages.mjs";
import { serve } from "../support/serve.mjs";
import { missing, putDocument, ravendb, send } from "../support/server.mjs";

const DISCONNECTS = process.env.RAVEN_EDGE_FULL === "1" ? 200 : 5;
const options = { skip: missingChromium || missing(ravendb), timeout: 600_000 };

const ORDERS = { query: "from Orders", page: { max: 1_024 } };

/** The page keeps the time at which it first showed each version. */
const PAGE = `<!doctype html><meta charset=utf-8><script type=module>
  import { DocumentStore } from "/dist/entries/web.js";
  globalThis.begin = (url, base) => {
    globalThis.shownAt = {};
    const store = new DocumentStore(url, base).initialize();
    store.watch({ named: "orders" }, (orders = [], { connected }) => {
      const { version } = orders[0] ?? {};
      globalThis.shown = { version, connected };
      globalThis.shownAt[version] ??= Date.now();
    }, { collections: ["Orders"] });
  };
  globalThis.loaded = true;
</script>`;

test(
  "two pages show a foreign writer's changes, and after disconnects the newest one",
  options,
  async (t) => {
    const site = await serve(t, { folder: pkg, pages: { "/": PAGE } });
    const { origin } = new URL(site.url);
    const { url, base, wire } = await gateway(t, {
      options: {
        live: true,
        collections: { Orders: "write" },
        queries: { orders: ORDERS },
        origins: [origin],
      },
    });
    const write = (version) =>
      putDocument(ravendb, base, "orders/1-A", { version, "@metadata": { "@collection": "Orders" } });
    await write(0);
    const pages = [];
    for (let count = 0; count < 2; count++) pages.push(await visit(t, site.url));
    for (const { page } of pages) {
      await page.waitForFunction(() => globalThis.loaded);
      await page.evaluate(([url, base]) => globalThis.begin(url, base), [url, base]);
    }
    const all = (version, connected) =>
      Promise.all(
        pages.map(({ page }) =>
          page.waitForFunction(
            ([version, connected]) =>
              globalThis.shown?.version === version && (!connected || globalThis.shown.connected),
            [version, connected],
            { timeout: 60_000 },
          ),
        ),
      );
    await all(0, true);

    const times = [];
    for (let version = 1; version <= 10; version++) {
      const began = Date.now();
      await write(version);
      await all(version);
      for (const { page } of pages)
        times.push((await page.evaluate((version) => globalThis.shownAt[version], version)) - began);
    }
    const median = times.sort((a, b) => a - b)[times.length / 2];
    t.diagnostic(`shown after ${median} ms (median), ${times.at(-1)} ms at most`);

    for (let count = 1; count <= DISCONNECTS; count++) {
      wire.cut();
      await write(10 + count);
      await all(10 + count, true);
    }
    for (const { problems } of pages) assert.deepEqual(problems, []);
    assert.equal(
      (await send(ravendb.url, "GET", `/databases/${base}/docs?id=orders/1-A`)).json.Results[0].version,
      10 + DISCONNECTS,
    );
  },
);
