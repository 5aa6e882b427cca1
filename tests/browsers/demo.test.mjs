// The demo's page: its map shows the true home of every number, and the page is accessible.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { act, inDemo, settled } from "../support/demo.mjs";
import { shown, truth } from "../support/homes.mjs";
import { isLease, isSave } from "../support/proxy.mjs";
import { counter, otherLease, ravendb } from "../support/server.mjs";

const LIMIT = 10_000;

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Waits until the maps of all tabs show the actual homes, and `parked` numbers are parked if that is given: the pool is refilled when a burst
 * has paused. Returns the homes.
 */
async function agree(base, tabs, top, parked) {
  const until = performance.now() + LIMIT;
  for (;;) {
    const is = await truth(base, tabs, top);
    const maps = await Promise.all(Object.values(tabs).map(shown));
    const same = maps.every((map) => JSON.stringify(map) === JSON.stringify(is));
    const count = numbers(is.homes, "parked").length;
    if (same && (parked === undefined || count === parked)) return is;
    if (performance.now() < until) continue;
    for (const map of maps) assert.deepEqual(map, is);
    assert.equal(count, parked);
  }
}

/** The homes according to the table below the map. */
async function listed(page) {
  const rows = await page
    .locator("#ranges tbody tr")
    .evaluateAll((rows) =>
      rows.map(({ cells }) => [cells[0].textContent, cells[1].textContent, cells[2].textContent]),
    );
  const names = {
    Issued: "issued",
    "At hand": "hand",
    Parked: "parked",
    Burnt: "burnt",
    Returned: "returned",
  };
  return rows.flatMap(([span, count, home]) => {
    const [low, high = low] = span.split(" – ").map(Number);
    assert.equal(Number(count), high - low + 1);
    return Array(high - low + 1).fill(names[home]);
  });
}

const numbers = (homes, home) => homes.flatMap((is, at) => (is === home ? [at + 1] : []));
const shownMessage = (page) => page.textContent("#message");

/** Kills the process of a tab. */
async function crash(context, page) {
  const calls = await context.newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  calls.send("Page.crash").catch(() => {});
  await crashed;
}

inDemo(
  "the map shows the home of every number after orders, a kill, another tab, its crash, and a return",
  async (tools) => {
    const { base, tab, context } = tools;
    const a = await tab();
    await act(a, "create-ten");
    const first = await agree(base, { A: a }, 32, 8);
    const filled = [...Array(10).fill("issued"), ...Array(8).fill("parked"), ...Array(14).fill("hand A")];
    assert.deepEqual(first.homes, filled, "the map fills from left to right; a single tab holds the rest");
    const lost = numbers(first.homes, "hand A");

    // Not `act`, because it would wait for the page, which has died.
    await a.click("#kill");
    await a.waitForFunction(() => /died/.test(document.getElementById("message").textContent));
    const dead = await agree(base, { A: a }, 32);
    assert.deepEqual(numbers(dead.homes, "burnt"), lost, "exactly what was in its memory");
    assert.equal(dead.max, 32, "none of it was returned");
    assert.match(await shownMessage(a), /19 – 32 died with it/);

    await act(a, "create-ten");
    const again = await agree(base, { A: a }, 64, 8);
    assert.deepEqual(numbers(again.homes, "issued").slice(10), [11, 12, 13, 14, 15, 16, 17, 18, 33, 34]);
    const tail = numbers(again.homes, "hand A").length;
    const b = await tab();
    const shared = await agree(base, { A: a, B: b }, 64);
    const block = numbers(shared.homes, "hand A").length;
    assert.ok(block < tail / 2, "with another tab it parks all but the block in use");
    await act(b, "create-ten");
    await act(a, "create");
    const both = await agree(base, { A: a, B: b }, 64);
    assert.equal(numbers(both.homes, "issued").length, 31);

    await crash(context, b);
    await a.waitForFunction(() => !/Tab B/.test(document.getElementById("holders").textContent));
    const alone = await agree(base, { A: a }, 64);
    assert.deepEqual(
      numbers(alone.homes, "burnt"),
      [...numbers(both.homes, "burnt"), ...numbers(both.homes, "hand B")].sort((x, y) => x - y),
    );

    await act(a, "give-back");
    const back = await agree(base, { A: a }, 64);
    assert.ok(back.max < 64);
    assert.match(await shownMessage(a), new RegExp(`Max 64 → ${back.max}`));
    assert.equal(numbers(back.homes, "returned").length, 64 - back.max);
    await act(a, "create");
    const anew = await agree(base, { A: a }, back.max + 32);
    assert.equal(anew.homes[back.max], "issued", "returned numbers are leased again");
    await a.click("#as-table summary");
    await a.waitForSelector("#ranges tbody tr");
    assert.deepEqual(
      await listed(a),
      anew.homes.map((home) => home.split(" ")[0]),
      "and in words",
    );
  },
);

inDemo("the map shows what a closed tab has returned", async ({ base, tab }) => {
  const a = await tab();
  const b = await tab();
  await act(b, "create-ten");
  await agree(base, { A: a, B: b }, 32);
  await a.close();
  // The remaining tab leases for itself and holds the rest, which it returns when it closes.
  for (let turn = 0; turn < 3; turn++) await act(b, "create-ten");
  const top = (await shown(b)).homes.length;
  const alone = await agree(base, { B: b }, top);
  assert.ok(numbers(alone.homes, "hand B").length > 0);
  const c = await tab();
  await act(c, "create");
  await b.close();
  await c.waitForFunction(() => !/Tab B/.test(document.getElementById("holders").textContent));
  await agree(base, { A: c }, top);
});

inDemo(
  "offline, ids continue until the numbers are used up, the page sends nothing, and later one request saves all",
  async (tools) => {
    const { base, tab, wire } = tools;
    const page = await tab();
    await act(page, "create");
    await agree(base, { A: page }, 32, 8);
    await act(page, "offline");
    const before = wire.requests.length;
    for (let turn = 0; turn < 3; turn++) await act(page, "create-ten");
    assert.match(await shownMessage(page), /10 orders, with final ids without asking/);
    await act(page, "create-ten");
    assert.match(await shownMessage(page), /^1 order, /, "31 were left");
    await act(page, "create");
    assert.match(await shownMessage(page), /No number is left on this device/);
    await act(page, "give-back");
    await act(page, "reserve");
    await assert.rejects(
      page.evaluate(() => globalThis.client.save()),
      /this page is offline/,
    );
    assert.equal(wire.requests.length, before, "nothing reached the server");
    assert.deepEqual(
      (await shown(page)).homes,
      Array(32).fill("issued"),
      "issued numbers include unsaved ones",
    );
    assert.equal(await page.locator("#orders .waits").count(), 8);
    await act(page, "offline");
    assert.match(await shownMessage(page), /31 orders saved in one request/);
    assert.equal(wire.of(isSave).length, 2, "one before, and one for all pending orders");
    assert.equal(wire.of(isLease).length, 1);
    await agree(base, { A: page }, 32);
    assert.deepEqual(
      await page.locator("#issued, #leases, #saved").allTextContents(),
      ["32", "1", "31"],
      "the figures show the same counts as the proxy",
    );
  },
);

inDemo(
  "while the server is unreachable, orders are pending and the page shows that; later they are saved",
  async ({ base, tab, wire }) => {
    const page = await tab();
    await act(page, "create");
    await agree(base, { A: page }, 32);
    await wire.off();
    await act(page, "create-ten");
    await page.waitForSelector("#problem:not([hidden])");
    assert.match(await page.textContent("#problem"), /The server does not respond/);
    assert.equal(await page.locator("#orders .waits").count(), 8);
    await wire.on();
    await page.waitForSelector("#problem", { state: "hidden" });
    await page.waitForFunction(() =>
      /10 orders that waited/.test(document.getElementById("message").textContent),
    );
    const { homes } = await agree(base, { A: page }, 32);
    assert.equal(numbers(homes, "issued").length, 11);
  },
);

inDemo("the comparison measures both ways, and its counts are those of the proxy", async ({ tab, wire }) => {
  const page = await tab();
  await act(page, "compare");
  const leases = wire.of(({ path, body }) => isLease({ path, body }) && /tag=comparisons/.test(body));
  const asked = wire.of(({ path }) => /\/identity\/next$/.test(path));
  const [leased, identities] = await page.locator("#leased-requests, #asked-requests").allTextContents();
  assert.equal(asked.length, 100);
  assert.deepEqual([Number(identities), Number(leased) <= leases.length], [100, true]);
  assert.ok(Number(leased) >= 1 && Number(leased) < 10, `${leased} leases for 100 ids`);
  for (const time of await page.locator("#leased-ms, #asked-ms").allTextContents())
    assert.match(time, /^\d+\.\d ms$/);
  assert.match(await page.textContent("#compared"), /Measured just now in this browser/);
});

inDemo(
  "the page can be used by keyboard: buttons in order, arrow keys in the map, a message for each action",
  async (tools) => {
    const page = await tools.tab();
    await act(page, "create-ten");
    await page.evaluate(() => document.activeElement.blur());
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.role);
    const order = [];
    await page.focus("#create");
    for (let stop = 0; stop < 10; stop++) {
      order.push(await focused());
      await page.keyboard.press("Tab");
    }
    assert.deepEqual(order.slice(0, 6), ["create", "create-ten", "reserve", "give-back", "offline", "kill"]);
    assert.equal(order[7], "option", "after the link to another tab one stop for the whole map");
    assert.notEqual(order[8], "option");

    await page.evaluate(axe);
    await page.focus("#map [tabindex='0']");
    const label = () =>
      page.evaluate(() =>
        [...document.activeElement.children]
          .map((part) => (part.ariaHidden ? "" : part.textContent))
          .join(""),
      );
    await page.keyboard.press("Home");
    assert.match(await label(), /^1: issued, by tab A$/);
    await page.keyboard.press("ArrowRight");
    assert.match(await label(), /^2: issued, by tab A$/);
    assert.equal(await page.textContent("#chosen"), await label());
    await page.keyboard.press("End");
    assert.match(await label(), /^Max 32 on the server/);
    await page.keyboard.press("ArrowUp");
    assert.match(await label(), /^\d+: /);
    await page.setViewportSize({ width: 700, height: 800 });
    await page.waitForFunction(
      () => getComputedStyle(document.getElementById("map")).gridTemplateColumns.split(" ").length === 16,
    );
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    assert.match(await label(), /^17: /, "one row down, however wide the page is");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.equal(outline, "solid", "the focus is visible");

    await page.focus("#create");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /^1 order, /.test(document.getElementById("message").textContent));
    assert.equal(await focused(), "create", "a button that was pressed keeps the focus");
  },
);

inDemo("the map announces each change once", async ({ tab }) => {
  const page = await tab();
  await page.evaluate(() => {
    globalThis.spoken = [];
    for (const region of document.querySelectorAll("[role=status], [role=alert], [aria-live]"))
      new MutationObserver(() => globalThis.spoken.push(region.textContent)).observe(region, {
        childList: true,
        characterData: true,
        subtree: true,
      });
  });
  await act(page, "create-ten");
  await act(page, "create");
  assert.equal((await page.evaluate(() => globalThis.spoken)).length, 2, "one sentence for each click");
});

for (const colorScheme of ["light", "dark"]) {
  inDemo(`axe finds nothing wrong, ${colorScheme}`, async ({ tab }) => {
    const page = await tab();
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const check = async (when) => {
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      const found = violations.map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map(({ html }) => html)
            .join(" ")}`,
      );
      assert.deepEqual(found, [], when);
    };
    await check("before the first order");
    await act(page, "create-ten");
    await page.click("#kill");
    await page.waitForFunction(() => /died/.test(document.getElementById("message").textContent));
    await settled(page);
    await page.waitForSelector("#map [data-home=burnt]");
    await act(page, "create-ten");
    await act(page, "give-back");
    await page.waitForSelector("#map [data-home=returned]");
    await act(page, "create");
    await act(page, "compare");
    await page.click("#as-table summary");
    await check("with all homes");
    await act(page, "offline");
    await act(page, "create");
    await check("offline");
  });
}

inDemo(
  "from 320 pixels to wide nothing is cut off, and only the page's own origin is requested",
  async (tools) => {
    const { tab, foreign, refused } = tools;
    const page = await tab();
    await act(page, "create-ten");
    await act(page, "reserve");
    await act(page, "compare");
    await page.click("#as-table summary");
    for (const width of [320, 375, 600, 768, 1024, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      const wide = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        const over = [...document.querySelectorAll("body *")].filter(
          (one) => one.getBoundingClientRect().right > clientWidth + 0.5,
        );
        return [scrollWidth, over.map(({ id, className }) => id || className)];
      });
      assert.deepEqual(wide, [width, []], `at ${width}`);
    }
    assert.deepEqual(foreign, []);
    assert.deepEqual(refused, [], "no violations of the content security policy");
  },
);

inDemo(
  "thousands of numbers need a few cells, and those of other clients are distinguished",
  async ({ base, tab }) => {
    await otherLease(ravendb, base, "orders");
    const page = await tab();
    await page.waitForSelector("#map [data-home=elsewhere]");
    await page.evaluate(() => globalThis.client.reserve(5_000));
    for (let turn = 0; turn < 12; turn++) await act(page, "create-ten");
    const max = await counter(ravendb, base, "orders");
    assert.ok(max > 5_000);
    await page.waitForFunction(
      (max) => document.querySelector("#map [data-home=max]").dataset.low === String(max),
      max,
    );
    const { homes } = await shown(page);
    assert.equal(homes.length, max);
    assert.deepEqual(new Set(homes.slice(0, 32)), new Set(["elsewhere"]));
    assert.equal(numbers(homes, "issued").length, 120);
    assert.ok((await page.locator("#map .cell").count()) < 100);
  },
);
