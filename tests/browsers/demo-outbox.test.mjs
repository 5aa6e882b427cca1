// The demo's outbox: notes that are written without a connection, what waits, and what the user decides.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { missingChromium, profile } from "../support/chromium.mjs";
import { after } from "../support/cleanup.mjs";
import { demo } from "../support/demo.mjs";

const FOLDER = process.env.PICTURES;

/** Clicks a button of the page, and waits until the page has done everything. */
async function click(page, selector) {
  await page.click(selector);
  await settled(page);
}

const settled = (page) => page.waitForSelector('body[aria-busy="false"]');
const picture = (page, name) =>
  FOLDER && page.screenshot({ path: `${FOLDER}/outbox-${name}.png`, fullPage: true });

async function write(page, at, text) {
  await page.locator("#notes tbody tr").nth(at).locator("input").fill(text);
  await page.keyboard.press("Tab");
  await settled(page);
}

const figure = (page, term) =>
  page
    .locator("#status div")
    .filter({ has: page.getByText(term, { exact: true }) })
    .locator("dd")
    .textContent();

test("notes are written offline, wait in the outbox, and are saved; a conflict is decided by the user", {
  skip: missingChromium,
  timeout: 120_000,
}, async (t) => {
  // The demo's own authority.
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-outbox-"));
  after(t, () => rm(folder, { recursive: true, force: true }));
  const { url, end } = await demo({ DATA: folder, RAVENDB_URL: "" });
  after(t, end);
  const { context, problems, open } = await profile(t);
  const said = [];
  context.on("console", (message) => {
    // The browser reports the conflict, and each document that a load did not find.
    const isExpected = /Failed to load resource.* (404|409) /.test(message.text());
    if (message.type() === "error" && !isExpected) said.push(message.text());
  });
  const page = await open(`${url}/outbox.html`);
  await page.waitForSelector("body[data-ready]");
  await click(page, "#add");
  await click(page, "#flush");
  assert.equal(await page.textContent("#message"), "Everything is saved.");
  await picture(page, "online");

  await click(page, "#offline");
  await write(page, 0, "Written without a connection");
  await click(page, "#add");
  await click(page, "#elsewhere");
  const waiting = await page
    .locator("#changes tbody tr")
    .evaluateAll((rows) => rows.map(({ cells }) => cells[0].textContent));
  const ids = await page
    .locator("#notes tbody tr")
    .evaluateAll((rows) => rows.map(({ cells }) => cells[0].textContent));
  assert.deepEqual(waiting, ids);
  assert.equal(await figure(page, "queued"), "2");
  await picture(page, "offline");

  await click(page, "#offline");
  await page.waitForSelector("#changes button[aria-label^='Keep mine']");
  await settled(page);
  assert.equal(await figure(page, "conflicts"), "1");
  assert.equal(await page.locator("#changes tbody tr").count(), 1, "the other note is saved");
  await picture(page, "conflict");
  await click(page, "#export");
  const { changes } = JSON.parse(await page.textContent("#exported"));
  assert.deepEqual(
    changes.map(({ state, commands: [{ id }] }) => [state, id]),
    [["conflict", ids[0]]],
  );
  await click(page, "#changes button[aria-label^='Keep mine']");
  assert.equal(await page.textContent("#no-changes"), "Everything is saved.");
  assert.ok(await page.isVisible("#no-changes"));

  // Nothing is sent while the queue is paused, not even by the next page.
  await click(page, "#pause");
  await write(page, 1, "Paused");
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  assert.equal(await figure(page, "queued"), "1");
  assert.equal(await page.textContent("#pause"), "Resume");
  await click(page, "#changes button[aria-label^='Discard']");
  await click(page, "#pause");
  const texts = await page.locator("#notes input").evaluateAll((inputs) => inputs.map(({ value }) => value));
  assert.deepEqual(texts, ["Written without a connection", "New note"]);
  assert.deepEqual([problems, said], [[], []]);
});
