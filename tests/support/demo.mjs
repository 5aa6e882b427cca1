// The demo as `cargo xtask demo` serves it, with a database of its own, and its page in Chromium.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { missingChromium, profile } from "./chromium.mjs";
import { after } from "./cleanup.mjs";
import { proxy } from "./proxy.mjs";
import { database, missing, ravendb } from "./server.mjs";
import { within } from "./store.mjs";

const SERVE = fileURLToPath(new URL("../../www/dev.mjs", import.meta.url));

/** Starts the demo's Worker; returns its URL and a function that ends it and its workerd. */
export const demo = (environment) => started(SERVE, environment, "raven-edge demo");

/** Starts a script that prints its name and its URL when it serves. */
export async function started(script, environment, name) {
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const end = async () => {
    child.kill();
    await ended;
  };
  const ready = (async () => {
    for await (const line of createInterface(child.stdout)) {
      const [, url] = new RegExp(`^${name} on (\\S+)`).exec(line) ?? [];
      if (url) return url;
    }
    throw new Error(`${name} ended before it was ready`);
  })();
  try {
    return { url: await within(60_000, ready, name), end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Clicks a button of the page and waits until its action has completed. */
export async function act(page, name) {
  // The mark of an earlier action: this one may begin only after the page has looked at the device.
  await page.$eval(`#${name}`, (button) => button.removeAttribute("aria-busy"));
  await page.click(`#${name}`);
  await page.waitForSelector(`#${name}[aria-busy="false"]`, { timeout: 60_000 });
}

/** Waits until the page's buttons work. */
export async function settled(page) {
  await page.waitForSelector("body[data-ready]");
  return page;
}

/**
 * A test of the demo's page with the real RavenDB behind a proxy. It gets `tab()`, `base`, `wire`, the `context`,
 * `foreign` (requested URLs outside of the page's origin), and `refused` (errors that the browser itself reports).
 */
export function inDemo(name, body) {
  test(name, { skip: missingChromium || missing(ravendb), timeout: 120_000 }, async (t) => {
    const base = await database(t, ravendb);
    const wire = await proxy(t, ravendb.url);
    const { url, end } = await demo({ RAVENDB_URL: wire.url, DATABASE: base });
    after(t, end);
    const { context, problems, open } = await profile(t);
    const foreign = [];
    context.on("request", (request) => {
      if (new URL(request.url()).origin !== url) foreign.push(request.url());
    });
    const refused = [];
    context.on("console", (message) => message.type() === "error" && refused.push(message.text()));
    const tab = async () => settled(await open(url));
    await body({ base, wire, context, tab, foreign, refused });
    assert.deepEqual(problems, [], "no uncaught errors in any page");
  });
}
