// What sets on a device cost: requests, bytes (those of responses gzipped) and times of comparisons through the gateway before the real
// RavenDB, the first load beside the gzip of its documents, and how long a set of 9,000 documents takes to be listed at a start without a server, beside `getAll` and `JSON.parse` by hand. `RAVENDB_URL=… node
// tests/bench/device-sets.mjs`
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { bulk, note } from "../support/callers.mjs";
import { profile } from "../support/chromium.mjs";
import { gateway } from "../support/gateway.mjs";
import { PAGE } from "../support/offline.mjs";
import { pkg } from "../support/pages.mjs";
import { serve } from "../support/serve.mjs";
import { ravendb, send } from "../support/server.mjs";

const COUNT = 10_000;
const RUNS = 5;
const TEXT = "lorem ipsum dolor sit amet ".repeat(4);

const CONFIGURATION = {
  claims: ["name"],
  collections: { Notes: { allow: "read", rows: { owner: "$name" } } },
  sets: { all: { collection: "Notes" } },
};

const made = (from, count, more) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `notes/${from + at}`,
      note((from + at) % 10 ? "ann" : "bob", { at: from + at, text: TEXT, lines: [at, at + 1], ...more }),
    ]),
  );

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

test("sets on a device", { timeout: 600_000 }, async (t) => {
  const functions = `authorize: (request) => ({ name: request.headers.get("x-user") })`;
  const { url, base, wire } = await gateway(t, { options: CONFIGURATION, functions });
  const gate = { open: true };
  const refuse = (request) => !gate.open && request.url.startsWith("/raven");
  // As apps load it: in few files.
  const pages = { "/": PAGE.replaceAll("/dist/", "/lib/") };
  const site = await serve(t, { folder: pkg, pages, raven: url, refuse });
  for (let from = 0; from < COUNT; from += 1_000) await bulk(ravendb, base, made(from, 1_000));
  const { open } = await profile(t);
  const page = await open(site.url);
  page.setDefaultTimeout(0);
  const begin = async () => {
    await page.goto(site.url);
    await page.waitForFunction(() => globalThis.loaded);
    await page.evaluate((name) => {
      const headers = () => ({ "x-user": "ann" });
      const sets = { all: { collection: "Notes" } };
      globalThis.store = globalThis.open(name, { automatic: false, sets }, { headers });
    }, base);
  };
  await begin();
  const rows = [];
  let bodies = [];
  page.on("requestfinished", (request) => {
    if (new URL(request.url()).pathname.startsWith("/raven"))
      bodies.push(
        request.response().then(async (response) => {
          const up = request.postData()?.length ?? 0;
          return { up, down: gzipSync(await response.body()).length };
        }),
      );
  });
  const compared = async (what) => {
    site.requests.length = wire.requests.length = 0;
    bodies = [];
    const millis = await page.evaluate(async () => {
      const began = performance.now();
      await store.offline.set("all").sync();
      return performance.now() - began;
    });
    const requests = site.requests.filter((path) => path.startsWith("/raven")).length;
    const sizes = await Promise.all(bodies);
    const sum = (of) => sizes.reduce((all, size) => all + size[of], 0);
    const bytes = { up: sum("up"), down: sum("down") };
    rows.push({ what, requests, "of the gateway": wire.requests.length, ...bytes, ms: Math.round(millis) });
  };
  await compared("first load");
  const { json } = await send(ravendb.url, "POST", `/databases/${base}/queries`, {
    Query: "from Notes where owner = 'ann'",
  });
  const documents = gzipSync(JSON.stringify(json.Results)).length;
  console.log(
    `gzip of the documents: ${documents}; first load: ${(rows[0].down / documents).toFixed(2)} of it`,
  );
  await compared("nothing changed");
  await bulk(ravendb, base, made(1, 9, { changed: true }));
  await compared("9 changed");
  await compared("nothing changed");
  console.table(rows);
  gate.open = false;
  const [listed, byHand] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    await begin();
    const times = await page.evaluate(async () => {
      const began = performance.now();
      const { length } = await store.offline.set("all").documents();
      const listed = performance.now() - began;
      const start = performance.now();
      const db = await new Promise((resolve) => {
        indexedDB.open("raven-edge-offline").onsuccess = ({ target }) => resolve(target.result);
      });
      const texts = await new Promise((resolve) => {
        const request = db.transaction("keptTexts").objectStore("keptTexts").getAll();
        request.onsuccess = () => resolve(request.result);
      });
      const all = texts.map((text) => JSON.parse(text));
      db.close();
      return { length, listed, byHand: performance.now() - start, all: all.length };
    });
    listed.push(times.listed);
    byHand.push(times.byHand);
    if (times.length !== times.all) throw new Error(JSON.stringify(times));
  }
  console.table([{ listed: Math.round(median(listed)), "by hand": Math.round(median(byHand)) }]);
});
