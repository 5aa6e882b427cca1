// Headless Chromium, one per test file, without anything that uses the network.
import { after as afterAll } from "node:test";
import { chromium } from "playwright-core";
import { missing, PLAYWRIGHT_FLAGS, shell } from "./browsers/chromium.mjs";
import { after } from "./cleanup.mjs";

/** Why tests in Chromium are skipped; `false` if it is available. */
export const missingChromium = missing;

let browser;
afterAll(async () => (await browser)?.close());

/** A new profile; `problems` are the uncaught errors of its pages, `open(url)` opens a tab. */
export async function profile(t) {
  browser ??= chromium.launch({ executablePath: shell, args: PLAYWRIGHT_FLAGS });
  const context = await (await browser).newContext();
  after(t, () => context.close());
  context.setDefaultTimeout(20_000);
  const problems = [];
  context.on("weberror", (error) => problems.push(String(error.error())));
  const open = async (url) => {
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
  return { context, problems, open };
}

/** A page at this URL, in a new profile; `problems` are its uncaught errors. */
export async function visit(t, url) {
  const { problems, open } = await profile(t);
  return { page: await open(url), problems };
}
