// The example `examples/rust-page` in Chromium: ids, sessions and queries of a page in Rust. With `--full` also `examples/rust-leptos`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingChromium, profile } from "../support/chromium.mjs";
import { becomes } from "../support/pages.mjs";
import { serve } from "../support/serve.mjs";
import { database, document, LIMIT, missing, ravendb } from "../support/server.mjs";

const folder = process.env.RUST_PAGE;
const skip = missingChromium || missing(ravendb) || (!folder && "no RUST_PAGE");
const leptos = process.env.RUST_LEPTOS;

/** A test with the example's page; `shop()` opens it again. */
function inPage(name, body) {
  test(name, { skip, timeout: LIMIT }, async (t) => {
    const base = await database(t, ravendb);
    const gate = { open: true };
    const refuse = ({ url }) => !gate.open && url.startsWith("/raven");
    const site = await serve(t, { folder, raven: ravendb.url, refuse });
    const { problems, open } = await profile(t);
    const page = await open(`${site.url}/?database=${base}`);
    const shop = async () => {
      await page.waitForFunction(() => globalThis.shop);
      return page;
    };
    await body({ base, page: await shop(), shop, gate });
    assert.deepEqual(problems, [], "no uncaught errors");
  });
}

inPage(
  "after one id and dispose() Max is 1, and the next page gets 2 to 33",
  async ({ base, page, shop }) => {
    assert.equal(await page.evaluate(() => globalThis.shop.next()), "orders/1-A");
    await page.evaluate(() => globalThis.shop.dispose());
    await becomes(base, 1);
    await page.reload();
    await shop();
    const ids = await page.evaluate(async () => {
      const all = [];
      for (let at = 0; at < 32; at++) all.push(await globalThis.shop.next());
      return all;
    });
    assert.deepEqual(
      ids,
      Array.from({ length: 32 }, (_, at) => `orders/${at + 2}-A`),
    );
  },
);

inPage("the form creates an order, which a reload lists", async ({ page, shop }) => {
  await page.fill("#customer", "Ada");
  await page.click("button");
  await page.waitForFunction(() => document.querySelector("#orders").textContent !== "");
  await page.reload();
  await shop();
  await page.waitForFunction(() => document.querySelector("#orders").textContent === "orders/1-A Ada");
  assert.equal(await page.textContent("#problem"), "");
});

inPage("a change is saved, and twenty orders at the same time get twenty ids", async ({ page }) => {
  const [ids, renamed, absent, lines] = await page.evaluate(async () => {
    const names = Array.from({ length: 20 }, (_, at) => `c${String(at).padStart(2, "0")}`);
    const ids = await Promise.all(names.map((name) => globalThis.shop.create(name)));
    const renamed = await globalThis.shop.rename(ids[0], "zz");
    const absent = await globalThis.shop.rename("orders/999-A", "zz");
    return [ids, renamed, absent, await globalThis.shop.list()];
  });
  assert.equal(new Set(ids).size, 20);
  assert.deepEqual([renamed, absent], [true, false]);
  assert.equal(lines.length, 20);
});

inPage(
  "without a connection a call fails with a message, whatever fetch is rejected with",
  async ({ page, gate }) => {
    gate.open = false;
    const failed = (rejection) =>
      page.evaluate(async (rejection) => {
        if (rejection !== undefined) {
          const values = { text: "plain text", nothing: undefined, object: { odd: true } };
          globalThis.fetch = () => Promise.reject(values[rejection]);
        }
        try {
          return await globalThis.shop.rename("orders/1-A", "x");
        } catch (error) {
          return [error instanceof Error, error.message];
        }
      }, rejection);
    for (const rejection of [undefined, "text", "nothing", "object"]) {
      const [isError, message] = await failed(rejection);
      assert.ok(isError && /cannot be reached/.test(message), `${rejection}: ${message}`);
    }
  },
);

inPage("objects of JavaScript are stored, loaded and replaced; nothing in them is lost", async ({ page }) => {
  const [id, order, replaced, again, absent] = await page.evaluate(async () => {
    const order = { customer: "Ada", lines: [{ pieces: 2, price: 1.5 }], of: new Map([["a", null]]) };
    const id = await globalThis.shop.createFrom(order);
    const loaded = await globalThis.shop.get(id);
    const replaced = await globalThis.shop.replace(id, { ...loaded, lines: [] });
    return [id, loaded, replaced, await globalThis.shop.get(id), await globalThis.shop.get("orders/999-A")];
  });
  assert.equal(id, "orders/1-A");
  assert.deepEqual(order, { customer: "Ada", lines: [{ pieces: 2, price: 1.5 }], of: { a: null } });
  assert.deepEqual([replaced, again, absent], [true, { ...order, lines: [] }, undefined]);
  const refused = await page.evaluate(async () => {
    const ring = {};
    ring.self = ring;
    const messages = [];
    const thrower = {
      get bad() {
        throw new Error("never read");
      },
    };
    const inMap = { of: new Map([["a", new Date(0)]]) };
    const orders = [
      { at: [new Date(0)] },
      inMap,
      thrower,
      ring,
      5,
      { "@metadata": {} },
      { large: 2n ** 70n },
    ];
    for (const order of orders)
      messages.push(await globalThis.shop.createFrom(order).catch(({ message }) => message));
    return messages;
  });
  assert.match(refused[0], /InvalidDocument.*at\.0.*toJSON/);
  assert.match(refused[1], /InvalidDocument.*of\.a.*toJSON/);
  assert.match(refused[2], /InvalidDocument.*throws/);
  assert.match(refused[3], /InvalidDocument.*self\.self.*ring/);
  for (const message of refused.slice(4)) assert.match(message, /^InvalidDocument/);
});

// Built with `--full` alone: Leptos has many dependencies.
if (process.env.RAVEN_EDGE_FULL === "1")
  test("a page with Leptos lists orders, creates them, and shows why a save has failed", {
    skip: missingChromium || missing(ravendb) || (!leptos && "no RUST_LEPTOS"),
    timeout: LIMIT,
  }, async (t) => {
    const base = await database(t, ravendb);
    const gate = { open: true };
    const refuse = ({ url }) => !gate.open && url.startsWith("/raven");
    const site = await serve(t, { folder: leptos, raven: ravendb.url, refuse });
    const { problems, open } = await profile(t);
    const page = await open(`${site.url}/?database=${base}`);
    const lists = (lines) =>
      page.waitForFunction(
        (lines) => [...document.querySelectorAll("#orders li")].map((li) => li.textContent).join() === lines,
        lines.join(),
      );
    const create = async (customer) => {
      await page.fill("#customer", customer);
      await page.click("button");
    };
    await page.waitForSelector("#customer");
    await create("Cleo");
    await lists(["orders/1-A Cleo"]);
    await create("Ada");
    await lists(["orders/2-A Ada", "orders/1-A Cleo"]);
    assert.equal(await page.inputValue("#customer"), "");
    assert.equal((await document(ravendb, base, "orders/2-A")).customer, "Ada");
    gate.open = false;
    await create("Bob");
    await page.waitForFunction(() => /reach/.test(document.querySelector("#problem").textContent));
    gate.open = true;
    await page.reload();
    await lists(["orders/2-A Ada", "orders/1-A Cleo"]);
    assert.deepEqual(problems, [], "no uncaught errors");
  });
