// Renderers are killed while a page in Rust and one with the npm package take ids from the same device: no id comes twice.
import assert from "node:assert/strict";
import { distinct, inTabs } from "../support/pages.mjs";
import { number } from "../support/server.mjs";

const folder = process.env.RUST_PAGE;
const ROUNDS = process.env.RAVEN_EDGE_FULL === "1" ? 300 : 3;

inTabs(
  `no id comes twice although pages in Rust and with the npm package are killed, ${ROUNDS} times`,
  async ({ base, site, context, tab }) => {
    const taken = [];
    let wake = () => {};
    await context.exposeFunction("took", (id) => {
      taken.push(id);
      wake();
    });
    const reach = (count) =>
      new Promise((resolve) => {
        wake = () => taken.length >= count && resolve();
        wake();
      });
    // A page works until it dies; then its script ends with an error.
    const work = (page) =>
      page
        .evaluate(async (name) => {
          const hilo = globalThis.shop ?? open(name).hilo("orders");
          for (;;) await globalThis.took(await hilo.next());
        }, base)
        .catch(() => {});
    const rust = async () => {
      const page = await context.newPage();
      await page.goto(`${site.url}/rust/index.html?database=${base}`);
      await page.waitForFunction(() => globalThis.shop);
      return page;
    };
    for (let round = 0; round < ROUNDS; round++) {
      const pages = [await rust(), await tab()];
      const working = pages.map(work);
      // At another moment each time: at first while the pool is being filled, later in the middle of claims.
      await reach(taken.length + 1 + ((round * 7) % 40));
      const killed = pages.map(async (page) => {
        const died = page.waitForEvent("crash");
        const session = await context.newCDPSession(page);
        // The renderer is gone before it could respond.
        session.send("Page.crash").catch(() => {});
        await died;
      });
      await Promise.all(killed);
      await Promise.all(pages.map((page) => page.close()));
      await Promise.all(working);
    }
    const numbers = taken.map(number);
    distinct(numbers);
    assert.ok(numbers.length > ROUNDS);
  },
  {
    skip: !folder && "no RUST_PAGE",
    mounts: { "/rust/": folder },
    timeout: 30_000 + ROUNDS * 5_000,
  },
);
