// The hooks of `raven-edge/react` in React 19, in a page in Chromium behind the gateway, while somebody else writes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf } from "../docs/blocks.mjs";
import { changesHub } from "../support/changes-hub.mjs";
import { missingChromium, profile } from "../support/chromium.mjs";
import { pkg } from "../support/pages.mjs";
import { reactModule } from "../support/react.mjs";
import { serve } from "../support/serve.mjs";
import { missing, putDocument, ravendb } from "../support/server.mjs";

const options = { skip: missingChromium || missing(ravendb), timeout: 60_000 };

const PAGE = `<!doctype html><meta charset=utf-8><title>react</title>
<script type=importmap>{ "imports": { "react": "/react.js", "raven-edge/react": "/dist/react/hooks.js" } }</script>
<main></main>
<script type=module>
  import { createElement as h, createRoot, StrictMode, useState } from "react";
  import { DocumentStore } from "/lib/entries/web.js";
  import { offline } from "/lib/entries/offline.js";
  import { StoreProvider, useDocument, useDocuments, useOffline, useQuery, useStore } from "raven-edge/react";
  import { OpenOrders } from "/block.js";

  const options = { every: 50 };

  function App() {
    const [id, setId] = useState("orders/1-A");
    const [open, setOpen] = useState(true);
    const { data: list, connected } = useQuery(
      { named: "orders", parameters: { open } }, [], options,
    );
    const { data: order } = useDocument(id, options);
    const { data: none } = useDocument(undefined);
    const { data: both } = useDocuments(["orders/1-A", "orders/2-A"], options);
    globalThis.set = { id: setId, open: setOpen };
    globalThis.queue = useOffline();
    const store = useStore();
    const shown = {
      connected, list: list?.map(({ total }) => total), order: order?.total, none, both: both && Object.keys(both).length,
    };
    return h("pre", { title: store.database }, JSON.stringify(shown));
  }

  globalThis.begin = (url, base) => {
    globalThis.store = new DocumentStore(url, base, { offline: offline({ user: "ann" }) }).initialize();
    globalThis.tree = createRoot(document.querySelector("main"));
    tree.render(h(StrictMode, null, h(StoreProvider, { store }, h(App), h(OpenOrders))));
  };
</script>`;

test(
  "hooks show the newest documents and results, follow their arguments, and end with the component",
  options,
  async (t) => {
    const block = blocksOf("docs/live.md").find(({ code }) => code.includes("raven-edge/react"));
    const scripted = (text) => (_, response) =>
      response.writeHead(200, { "content-type": "text/javascript" }).end(text);
    const site = await serve(t, {
      folder: pkg,
      pages: { "/": PAGE },
      handlers: {
        "/react.js": scripted(await reactModule()),
        "/block.js": scripted(block.code),
      },
    });
    const { url, base } = await changesHub(t, ravendb, {
      options: {
        collections: { Orders: "write" },
        queries: {
          orders: {
            query: "from Orders where open = $open order by total",
            parameters: { open: { type: "boolean" } },
          },
        },
        origins: [new URL(site.url).origin],
      },
    });
    const write = (id, total, open = true) =>
      putDocument(ravendb, base, id, { total, open, "@metadata": { "@collection": "Orders" } });
    await write("orders/1-A", 1);
    const { open, problems } = await profile(t);
    const page = await open(site.url);
    await page.evaluate(([url, base]) => globalThis.begin(url, base), [url, base]);
    const shows = (expected) =>
      page.waitForFunction(
        (text) => document.querySelector("pre")?.textContent === text,
        JSON.stringify(expected),
      );

    await shows({ connected: true, list: [1], order: 1, both: 2 });
    await write("orders/2-A", 2);
    await shows({ connected: true, list: [1, 2], order: 1, both: 2 });
    await write("orders/1-A", 3);
    await shows({ connected: true, list: [2, 3], order: 3, both: 2 });
    await page.evaluate(() => globalThis.set.id("orders/2-A"));
    await shows({ connected: true, list: [2, 3], order: 2, both: 2 });
    await page.evaluate(() => globalThis.set.open(false));
    await shows({ connected: true, list: [], order: 2, both: 2 });
    assert.equal(await page.getAttribute("pre", "title"), base);
    // The block of docs/live.md.
    await page.waitForFunction(() => document.querySelector("p.live")?.textContent === "2 open, 0 not saved");
    assert.deepEqual(
      await page.evaluate(() => [globalThis.queue.queued, globalThis.queue.conflicts]),
      [0, 0],
    );

    // A watch of the test sees the change; had the component still one, it would have asked for the list again by then.
    await page.evaluate(() => {
      globalThis.tree.unmount();
      globalThis.store.watch("orders/1-A", (order) => (globalThis.control = order?.total), { every: 200 });
    });
    await page.waitForFunction(() => globalThis.control === 3);
    // A read that had begun before `unmount` has been sent by now.
    await page.evaluate(() => {
      globalThis.asked = [];
      globalThis.store.on("beforeRequest", ({ url }) => globalThis.asked.push(url));
    });
    await write("orders/1-A", 4);
    await page.waitForFunction(() => globalThis.control === 4);
    const asked = await page.evaluate(() => globalThis.asked.filter((url) => !url.includes("orders%2F1-A")));
    assert.deepEqual(asked, []);
    assert.deepEqual(problems, [], "no uncaught errors, no warnings of React");
  },
);
