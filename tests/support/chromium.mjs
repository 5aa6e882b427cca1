// Headless Chromium, one per test file, without anything that wants the network.
import { existsSync } from "node:fs";
import { after as afterAll } from "node:test";
import { chromium } from "playwright-core";
import { after } from "./cleanup.mjs";

const path = process.env.CHROMIUM || "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Why tests in Chromium are skipped; `false` when it is there. */
export const missingChromium = !existsSync(path) && "no Chromium";

let browser;
afterAll(async () => (await browser)?.close());

/** A page at this address, in a profile of its own; `problems` are its uncaught errors. */
export async function visit(t, url) {
  browser ??= chromium.launch({ executablePath: path, args: FLAGS });
  const context = await (await browser).newContext();
  after(t, () => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(url);
  return { page, problems };
}
