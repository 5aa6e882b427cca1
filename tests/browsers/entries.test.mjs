// The other entries of the package in a page: ids alone, the module inside the script, the module from the app.
import assert from "node:assert/strict";
import { becomes, inTabs } from "../support/pages.mjs";
import { number } from "../support/server.mjs";

const page = (script) =>
  `<!doctype html><meta charset=utf-8><title>entry</title><script type=module>${script}; globalThis.loaded = true;</script>`;

const saving = (entry, more = "") =>
  page(`
  import { DocumentStore${more && ", useModule"} } from "/lib/entries/${entry}.js";
  ${more}
  globalThis.save = async (name) => {
    const store = new DocumentStore("/raven", name).initialize();
    const session = store.openSession();
    const order = { "@metadata": { "@collection": "Orders" } };
    await session.store(order);
    await session.saveChanges();
    return order.id;
  };`);

const pages = {
  "/ids": page(`
  import { HiLoStore } from "/lib/entries/hilo/web.js";
  globalThis.open = (name) => new HiLoStore("/raven", name).initialize();`),
  "/inline": saving("inline"),
  "/slim": saving("slim", 'useModule(WebAssembly.compileStreaming(fetch("/gen/raven_edge_bg.wasm")));'),
};

inTabs(
  "numbers that one entry parks are used by the other, and none is issued twice",
  async ({ base, tab, load, site }) => {
    const first = await tab();
    const taken = await first.evaluate(async (name) => [await open(name).hilo("orders").next()], base);
    const second = await tab();
    // A browser that closes may not wait for `pagehide`.
    await load(first, `${site.url}/ids`);
    await first.close();
    await becomes(base, 9);
    await load(second, `${site.url}/ids`);
    taken.push(
      ...(await second.evaluate(async (name) => {
        globalThis.store = open(name);
        const ids = globalThis.store.hilo("orders");
        return [await ids.next(), await ids.next(), await ids.next()];
      }, base)),
    );
    assert.deepEqual(taken.map(number), [1, 2, 3, 4], "the page of ids alone goes on from the pool");
    const third = await tab();
    taken.push(...(await third.evaluate((name) => take(open(name).hilo("orders"), 20), base)));
    taken.push(
      ...(await second.evaluate(() =>
        Promise.all(Array.from({ length: 20 }, () => globalThis.store.hilo("orders").next())),
      )),
    );
    assert.equal(new Set(taken).size, taken.length);
  },
  { pages },
);

inTabs(
  "`inline` fetches no module",
  async ({ base, tab, load, site }) => {
    const own = await tab();
    const asked = site.requests.length;
    await load(own, `${site.url}/inline`);
    assert.equal(await own.evaluate((name) => save(name), base), "orders/1-A");
    assert.deepEqual(
      site.requests.slice(asked).filter((path) => /\.wasm$/.test(path)),
      [],
    );
  },
  { pages },
);

inTabs(
  "`slim` takes the module from the app",
  async ({ base, tab, load, site }) => {
    const own = await tab();
    await load(own, `${site.url}/slim`);
    assert.equal(await own.evaluate((name) => save(name), base), "orders/1-A");
  },
  { pages },
);
