// What sets on a device cost: requests, bytes (those of responses gzipped), time, and the CPU and memory of the gateway, for comparisons
// of 9,000 visible of 10,000 documents and of 100 visible of 100,000, in Chromium through the gateway before the real RavenDB; and how
// long a set of 9,000 documents takes to be listed at a start without a server, beside `getAll` and `JSON.parse` by hand. It fails if a
// comparison takes more requests, bytes or memory than it may. `RAVENDB_URL=… node tests/bench/device-sets.mjs`
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { bulk, note } from "../support/callers.mjs";
import { profile } from "../support/chromium.mjs";
import { gatewayProcess } from "../support/gateway-process.mjs";
import { PAGE } from "../support/offline.mjs";
import { pkg } from "../support/pages.mjs";
import { serve } from "../support/serve.mjs";
import { database, ravendb, send } from "../support/server.mjs";

const COUNT = Number(process.env.COUNT ?? 10_000);
const MANY = Number(process.env.MANY ?? 100_000);
const RUNS = 5;
const BULK = 1_000;
const TEXT = "lorem ipsum dolor sit amet ".repeat(4);
const SETS = { all: { collection: "Notes" }, few: { collection: "Plans" } };
const OWN = { allow: "read", rows: { owner: "$name" } };
/** The most memory of the gateway's module, in megabytes. */
const MEMORY = 24;

/** The most that a comparison may take. */
const LIMITS = {
  "nothing changed": { requests: 1, down: 1_024 },
  "10 changed": { requests: 3, up: 4_096, down: 4_096 },
};

const documents = (prefix, from, count, make) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}/${from + at}`, make(from + at)]));

const text = (owner, at, more) => note(owner, { at, text: TEXT, lines: [at, at + 1], ...more });
/** Nine of ten are Ann's. */
const owned = (more) => (at) => text(at % 10 ? "ann" : "bob", at, more);
const revoked = (at) => text("bob", at);
/** One of 1,000 is Ann's. */
const plan = (at) => ({
  ...text(at % 1_000 ? "bob" : "ann", at),
  "@metadata": { "@collection": "Plans" },
});

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

test("sets on a device", { timeout: 3_600_000 }, async (t) => {
  const base = await database(t, ravendb);
  // Counts requests, and keeps nothing of the responses.
  const wire = await serve(t, { raven: ravendb.url });
  const gateway = await gatewayProcess(t, {
    upstream: `${wire.url}/raven`,
    database: base,
    collections: { Notes: OWN, Plans: OWN },
    sets: SETS,
  });
  const gate = { open: true };
  const refuse = (request) => !gate.open && request.url.startsWith("/raven");
  // As apps load it: in few files.
  const pages = { "/": PAGE.replaceAll("/dist/", "/lib/") };
  const site = await serve(t, { folder: pkg, pages, raven: gateway.url, refuse });
  const fill = async (prefix, count, make) => {
    for (let from = 0; from < count; from += BULK)
      await bulk(ravendb, base, documents(prefix, from, BULK, make));
  };
  await fill("notes", COUNT, owned());
  const { open } = await profile(t);
  const page = await open(site.url);
  page.setDefaultTimeout(0);
  const begin = async () => {
    await page.goto(site.url);
    await page.waitForFunction(() => globalThis.loaded);
    await page.evaluate(
      ([name, sets]) => {
        const headers = () => ({ "x-user": "ann" });
        globalThis.store = globalThis.open(name, { automatic: false, sets }, { headers, timeout: 120_000 });
      },
      [base, SETS],
    );
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
  const compared = async (set, what) => {
    site.requests.length = wire.requests.length = 0;
    bodies = [];
    const cpu = await gateway.cpu();
    const [millis, count] = await page.evaluate(async (name) => {
      const began = performance.now();
      const set = store.offline.set(name);
      await set.sync();
      if (!set.isComplete) throw new Error("the set is not complete");
      const millis = performance.now() - began;
      return [millis, (await set.documents()).length];
    }, set);
    const requests = site.requests.filter((path) => path.startsWith("/raven")).length;
    const sizes = await Promise.all(bodies);
    const sum = (of) => sizes.reduce((all, size) => all + size[of], 0);
    const row = {
      set: `${count} ${set}`,
      what,
      requests,
      "of the gateway": wire.requests.length,
      up: sum("up"),
      down: sum("down"),
      ms: Math.round(millis),
      "CPU ms": (await gateway.cpu()) - cpu,
      "module MB": Number((await gateway.memory()).toFixed(1)),
      "process MB": Math.round(await gateway.resident()),
    };
    rows.push(row);
    for (const [of, limit] of Object.entries(LIMITS[what] ?? {}))
      assert.ok(row[of] <= limit, `${what}: ${row[of]} ${of}`);
    assert.ok(row["module MB"] <= MEMORY, `${what}: ${row["module MB"]} MB`);
    return row;
  };
  const first = await compared("all", "first load");
  const { json } = await send(ravendb.url, "POST", `/databases/${base}/queries`, {
    Query: "from Notes where owner = 'ann'",
  });
  const gzip = gzipSync(JSON.stringify(json.Results)).length;
  const share = first.down / gzip;
  console.log(`gzip of the documents: ${gzip}; first load: ${share.toFixed(2)} of it`);
  assert.ok(share <= 1.1, `${share}`);
  await compared("all", "nothing changed");
  await bulk(
    ravendb,
    base,
    // Ann's.
    Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`notes/${991 * at + 1}`, text("ann", at)])),
  );
  await compared("all", "10 changed");
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
  gate.open = true;
  await begin();
  await fill("notes", COUNT, owned({ changed: true }));
  await compared("all", "10,000 changed");
  await compared("all", "nothing changed");
  await fill("notes", COUNT, revoked);
  await compared("all", "all revoked");
  await fill("plans", MANY, plan);
  await compared("few", "first load");
  await compared("few", "nothing changed");
  await bulk(ravendb, base, { "plans/0": { ...plan(0), changed: true } });
  await compared("few", "1 changed");
  console.table(rows);
  console.table([{ listed: Math.round(median(listed)), "by hand": Math.round(median(byHand)) }]);
});
