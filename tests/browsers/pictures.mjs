// Not a test: `node tests/browsers/pictures.mjs` renews the pictures in docs/images, after `cargo xtask build`; `… demo-light` only that
// one. A picture of the demo shows its page after a few clicks, with its own built-in authority; diagrams are SVG.
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { PLAYWRIGHT_FLAGS, path } from "../support/browsers/chromium.mjs";
import { act, demo, settled } from "../support/demo.mjs";
import { DIAGRAMS } from "../support/diagrams.mjs";

const FOLDER = fileURLToPath(new URL("../../docs/images/", import.meta.url));
const DESKTOP = { width: 1200, height: 800 };
const LARGEST = 150_000;
const GAP = 16;

/** Waits until the pool is refilled, when a burst has paused, and the map shows it. */
const refilled = (page) =>
  page.waitForFunction(() => {
    const count = (home) => document.querySelectorAll(`#map [data-home=${home}]`).length;
    return globalThis.client.status.parked === 8 && count("parked") === 8 && count("issued") >= 10;
  });

/** A killed tab leaves lost numbers, a tab that returns leaves returned ones; then a tab has some of each home. */
async function history(page) {
  await act(page, "create-ten");
  await refilled(page);
  await page.click("#kill");
  await page.waitForFunction(() => /died/.test(document.getElementById("message").textContent));
  await page.waitForSelector("#map [data-home=burnt]");
  await act(page, "create-ten");
  await act(page, "create");
}

const outboxSettled = (page) => page.waitForSelector('body[data-ready][aria-busy="false"]');

async function clickInOutbox(page, selector) {
  await page.click(selector);
  await outboxSettled(page);
}

/** A note that two have changed, and one that waits: the user decides. */
async function conflict(page) {
  await outboxSettled(page);
  await clickInOutbox(page, "#add");
  await clickInOutbox(page, "#flush");
  await clickInOutbox(page, "#offline");
  await page.locator("#notes tbody tr").first().locator("input").fill("Call the customer back on Monday");
  await page.keyboard.press("Tab");
  await outboxSettled(page);
  await clickInOutbox(page, "#elsewhere");
  await clickInOutbox(page, "#offline");
  await page.waitForSelector("#changes button[aria-label^='Keep mine']");
  await outboxSettled(page);
  await clickInOutbox(page, "#pause");
  await clickInOutbox(page, "#add");
}

/** The browser's settings and the preparation, which returns the pages to show if it is not only the first. */
const PICTURES = {
  "demo-light": { look: { viewport: DESKTOP }, before: history },
  "demo-dark": { look: { viewport: DESKTOP, colorScheme: "dark" }, before: history },
  "demo-offline": {
    look: { viewport: DESKTOP },
    before: async (page) => {
      await act(page, "create");
      await act(page, "offline");
      await act(page, "create-ten");
      await refilled(page);
    },
  },
  "demo-two-tabs": {
    look: { viewport: { width: 680, height: 820 } },
    top: ".act",
    before: async (page, another) => {
      await act(page, "create-ten");
      const second = await another();
      await act(second, "create");
      await act(second, "create-ten");
      await act(page, "create");
      return [page, second];
    },
  },
  "outbox-conflict": {
    look: { viewport: { width: 900, height: 700 } },
    path: "/outbox.html",
    part: "#changes",
    before: conflict,
  },
  "map-lease": { look: { viewport: DESKTOP }, part: "#map", before: (page) => act(page, "create") },
  "map-burnt": {
    look: { viewport: DESKTOP },
    part: "#map",
    before: async (page) => {
      await act(page, "create-ten");
      await refilled(page);
      await page.click("#kill");
      await page.waitForSelector("#map [data-home=burnt]");
    },
  },
  "map-return": {
    look: { viewport: DESKTOP },
    part: "#map",
    before: async (page) => {
      await act(page, "create");
      await act(page, "give-back");
    },
  },
};

/** Waits until nothing is moving. */
async function still(page) {
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement.blur());
  await page.waitForFunction(() => !document.querySelector("#map [data-home=moving]"));
}

/** A part of the page; or all of it from `top` to the end of its map. */
async function shot(page, { part, top }) {
  if (part) return page.locator(part).screenshot();
  const { width } = page.viewportSize();
  const from = top ? (await page.locator(top).boundingBox()).y - GAP : 0;
  const { y, height } = await page.locator(".lease-map").boundingBox();
  return page.screenshot({ fullPage: true, clip: { x: 0, y: from, width, height: y + height + GAP - from } });
}

/** The pages' pictures next to each other, like windows. */
async function beside(context, shots) {
  const page = await context.newPage();
  const images = shots.map((shot) => `<img src="data:image/png;base64,${shot.toString("base64")}">`).join("");
  await page.setContent(`<style>body { margin: 0; display: flex; gap: 12px; background: #7d8a84; padding: 12px; align-items: start }
    img { width: calc(50% - 6px); border-radius: 8px }</style>${images}`);
  await page.setViewportSize({ width: 1236, height: 400 });
  return page.screenshot({ fullPage: true });
}

async function written(name, content) {
  const file = join(FOLDER, name);
  await writeFile(file, content);
  const { size } = await stat(file);
  if (size > LARGEST) throw new Error(`${file} has ${size} bytes`);
  console.log(`${file}: ${Math.round(size / 1000)} KB`);
}

async function picture(browser, name) {
  const { look, before, path: where = "", ...what } = PICTURES[name];
  const data = await mkdtemp(join(tmpdir(), "raven-edge-pictures-"));
  const { url, end } = await demo({ RAVENDB_URL: "", DATA: data });
  const context = await browser.newContext({ ...look, reducedMotion: "reduce" });
  try {
    const open = async () => {
      const page = await context.newPage();
      await page.goto(url + where);
      return settled(page);
    };
    const page = await open();
    const pages = (await before(page, open)) ?? [page];
    const shots = [];
    for (const one of pages) {
      await still(one);
      shots.push(await shot(one, what));
    }
    await written(`${name}.png`, shots.length > 1 ? await beside(context, shots) : shots[0]);
  } finally {
    await context.close();
    await end();
    await rm(data, { recursive: true, force: true });
  }
}

const browser = await chromium.launch({ executablePath: path, args: PLAYWRIGHT_FLAGS });
try {
  const wanted = process.argv.slice(2);
  for (const name of wanted.length > 0 ? wanted : Object.keys({ ...PICTURES, ...DIAGRAMS }))
    await (DIAGRAMS[name] ? written(`${name}.svg`, DIAGRAMS[name]()) : picture(browser, name));
} finally {
  await browser.close();
}
