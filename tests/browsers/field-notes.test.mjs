// The app of examples/field-notes as its users meet it: two devices of one user, without a connection, with a conflict, a photo, a page that
// is killed while it sends, and another user of the same device.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import * as chromium from "../support/browsers/chromium.mjs";
import * as firefox from "../support/browsers/firefox.mjs";
import { after } from "../support/cleanup.mjs";
import { fieldNotes, gate, user } from "../support/field-notes.mjs";
import { proxy } from "../support/proxy.mjs";
import { document, missing, ravendb, send } from "../support/server.mjs";

/** Before the first paint of the app: the page, its style, its script, and what that imports: esbuild writes many small files. */
const MOST_REQUESTS = 48;
const MOST_BYTES = 125_000;

const isBatch = ({ path }) => /bulk_docs$/.test(path);

/** The documents of a collection, by the prefix of its ids. */
async function documents(database, prefix) {
  const { json } = await send(ravendb.url, "GET", `/databases/${database}/docs?startsWith=${prefix}`);
  return json.Results;
}

for (const browser of [chromium, firefox])
  test(`two devices of one user work without a connection, and nothing is lost, in ${browser.name}`, {
    skip: browser.missing || missing(ravendb),
    timeout: 120_000,
  }, async (t) => {
    const wire = await proxy(t, ravendb.url);
    const app = await fieldNotes(t, wire.url, ravendb);
    const [phone, tablet] = await Promise.all([gate(t, app.url), gate(t, app.url)]);
    // A browser for each: a page in the background reads nothing.
    const [first, second] = await Promise.all([browser.launch(), browser.launch()]);
    after(t, () => Promise.all([first.close(), second.close()]));
    // Without another tab a browser may end with the one that is killed.
    await first.open("about:blank");
    let a = user(await first.open(phone.url));
    const b = user(await second.open(tablet.url));
    const clean = async (who, where) => assert.deepEqual(await who.findings(), [], where);
    await clean(a, "sign-in");
    for (const one of [a, b]) {
      await one.signIn("ann");
      await one.tab.evaluate(async () => {
        await navigator.serviceWorker.ready;
      });
    }

    await a.fill("[name=place]", "Bridge");
    await a.click("visit-list button");
    await b.see("visit-list a", "Bridge");
    await a.go("stock");
    await a.fill("[name=item]", "Bolts");
    await a.click("stock-list form button");
    await b.go("stock");
    await b.see("tbody td", "10");
    // Nothing waits there any more, so the lists are the server's.
    await a.see("#state", "everything sent");
    await a.go("visits");
    await a.see("visit-list a", "Bridge");
    await a.go("stock");
    await a.see("tbody td", "10");

    phone.set("closed");
    tablet.set("closed");
    for (const [one, notes] of [
      [a, "Rust at the joint"],
      [b, "Painted"],
    ]) {
      await one.go("stock");
      await one.click("tbody button");
      await one.see("tbody td", "1 change waiting");
      await one.go("visits");
      await one.click("visit-list li a");
      await one.see("visit-page[data-shown]");
      await one.fill("textarea", notes);
    }
    await a.attach();
    for (const one of [a, b]) {
      await one.click("visit-page button");
      await one.see("#state", "2 waiting");
    }
    await clean(a, "visit");

    // The server gets the batch, and the page dies before it hears of it.
    wire.rule = (request) => {
      if (isBatch(request)) phone.set("deaf");
    };
    const arrived = wire.next(isBatch, { responded: true });
    phone.set("open");
    await a.tab.evaluate(() => dispatchEvent(new Event("online")));
    await arrived;
    wire.rule = undefined;
    await a.tab.killRenderer();
    phone.set("open");
    a = user(await first.open(phone.url));
    await a.see("#state", "everything sent");

    tablet.set("open");
    await b.go("outbox");
    await b.click("outbox-panel button");
    await b.see("conflict-form legend", "notes");
    await b.see("conflict-form .side", "Painted");
    await b.see("conflict-form .side", "Rust at the joint");
    await clean(b, "outbox with a conflict");
    await b.click("conflict-form [value=theirs]");
    await b.click("conflict-form button");
    await b.see("#state", "everything sent");

    const [visit] = await documents(app.database, "visits/");
    assert.equal(visit.notes, "Rust at the joint");
    assert.deepEqual(
      visit["@metadata"]["@attachments"].map(({ Name }) => Name),
      ["photo"],
    );
    const [item] = await documents(app.database, "items/");
    assert.equal(item.amount, 8, "each change of the stock counts once");
    await b.go(visit["@metadata"]["@id"]);
    await b.see("visit-photo img");
    await b.go("stock");
    await b.see("tbody td", "8");
    await clean(b, "stock");

    // Every server is off: the app starts, shows what it has, and takes more.
    tablet.set("closed");
    await b.tab.reload();
    await b.go("visits");
    await b.see("visit-list a", "Bridge");
    await b.go("outbox");
    await b.click("outbox-panel button + button");
    await b.see("outbox-panel button", "Resume");
    await b.go("visits");
    await b.fill("[name=place]", "Tower");
    await b.click("visit-list button");
    await b.see("visit-list a", "Tower");
    await clean(b, "visits");

    // Ann's visit waits on the device while Bob uses it.
    tablet.set("open");
    await leave(b);
    await b.signIn("bob");
    await b.see("visit-list li", "No visits yet");
    await b.see("#state", "bob: Connected · everything sent");
    await leave(b);
    await b.signIn("ann");
    await b.go("outbox");
    await b.click("outbox-panel button + button");
    await b.see("#state", "everything sent");
    const places = (await documents(app.database, "visits/")).map(({ owner, place }) => `${owner}: ${place}`);
    assert.deepEqual(places.sort(), ["ann: Bridge", "ann: Tower"]);
    assert.equal((await document(ravendb, app.database, item["@metadata"]["@id"])).amount, 8);
    await checkBudget(app.url);
  });

/** Signs out. */
async function leave(one) {
  await one.tab.evaluate(() => {
    globalThis.confirm = () => true;
  });
  await one.click("nav button");
  await one.see("sign-in input");
}

/** The files that a page needs before it shows anything are few and small. */
async function checkBudget(url) {
  const paths = ["/", "/style.css", "/app.js"];
  let bytes = 0;
  for (const path of paths) {
    const text = await (await fetch(new URL(path, url))).text();
    bytes += gzipSync(text).length;
    if (!path.endsWith(".js")) continue;
    const imported = [...text.matchAll(/(?:\bfrom|\bimport)\s*"(\.\/[^"]+)"/g)].map(([, name]) =>
      name.slice(1),
    );
    for (const name of imported) if (!paths.includes(name)) paths.push(name);
  }
  console.log(`before the first paint: ${paths.length} requests, ${bytes} bytes gzipped`);
  assert.ok(paths.length <= MOST_REQUESTS && bytes <= MOST_BYTES, `${paths.length} requests, ${bytes} bytes`);
}
