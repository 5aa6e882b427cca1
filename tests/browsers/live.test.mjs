// A page in Chromium and one in Firefox that show a list through the gateway and its hub, and a writer that they do not know: what
// they show, and how soon.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browsers } from "../support/browsers.mjs";
import { changesHub } from "../support/changes-hub.mjs";
import { after } from "../support/cleanup.mjs";
import { pkg } from "../support/pages.mjs";
import { serve } from "../support/serve.mjs";
import { missing, putDocument, ravendb, send } from "../support/server.mjs";

const DISCONNECTS = process.env.RAVEN_EDGE_FULL === "1" ? 200 : 4;
const used = browsers.filter(({ name, missing }) => name !== "WebKitGTK" && !missing);
const options = { skip: (used.length === 0 && "no browser") || missing(ravendb), timeout: 600_000 };

const LIMIT = 60_000;

/** The page keeps the time at which it first showed each version. */
const PAGE = `<!doctype html><meta charset=utf-8><script type=module>
  import { DocumentStore } from "/lib/entries/web.js";
  globalThis.begin = (url, base) => {
    globalThis.shownAt = {};
    globalThis.problems = [];
    for (const type of ["error", "unhandledrejection"])
      addEventListener(type, ({ message, reason }) => globalThis.problems.push(String(reason ?? message)));
    const store = new DocumentStore(url, base).initialize();
    store.watch({ named: "orders" }, (orders = [], { connected }) => {
      const { version } = orders[0] ?? {};
      globalThis.shown = { version, connected };
      globalThis.shownAt[version] ??= Date.now();
    }, { collections: ["Orders"] });
  };
</script>`;

test(
  "pages of two browsers show a foreign writer's changes, and after disconnects the newest one",
  options,
  async (t) => {
    const site = await serve(t, { folder: pkg, pages: { "/": PAGE } });
    const { origin } = new URL(site.url);
    const { url, base, wire, front } = await changesHub(t, ravendb, {
      options: {
        collections: { Orders: "write" },
        queries: { orders: { query: "from Orders" } },
        origins: [origin],
      },
    });
    const write = (version) =>
      putDocument(ravendb, base, "orders/1-A", { version, "@metadata": { "@collection": "Orders" } });
    await write(0);
    const pages = [];
    for (const { launch } of used) {
      const browser = await launch();
      after(t, () => browser.close());
      const page = await browser.open(site.url);
      await page.evaluate((url, base) => globalThis.begin(url, base), url, base);
      pages.push(page);
    }
    const shows = async (page, version, connected) => {
      for (const end = Date.now() + LIMIT; Date.now() < end; ) {
        const shown = await page.evaluate(() => globalThis.shown ?? {});
        if (shown.version === version && (!connected || shown.connected)) return;
      }
      throw new Error(`version ${version} was not shown`);
    };
    const all = (version, connected) => Promise.all(pages.map((page) => shows(page, version, connected)));
    await all(0, true);

    const times = [];
    for (let version = 1; version <= 10; version++) {
      const began = Date.now();
      await write(version);
      await all(version);
      for (const page of pages)
        times.push((await page.evaluate((version) => globalThis.shownAt[version], version)) - began);
    }
    const median = times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
    t.diagnostic(
      `${used.map(({ name }) => name)}: shown after ${median} ms (median), ${times.at(-1)} ms at most`,
    );

    for (let count = 1; count <= DISCONNECTS; count++) {
      // Of the pages, or of RavenDB.
      (count % 2 ? front : wire).cut();
      await write(10 + count);
      await all(10 + count, true);
    }
    for (const page of pages) assert.deepEqual(await page.evaluate(() => globalThis.problems), []);
    assert.equal(
      (await send(ravendb.url, "GET", `/databases/${base}/docs?id=orders/1-A`)).json.Results[0].version,
      10 + DISCONNECTS,
    );
  },
);
