// What comparisons and loads of sets do with first loads, stale and invalid responses, and devices that are full.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bulk, note } from "../support/callers.mjs";
import {
  deleted,
  followed,
  isAnns,
  notes,
  opened,
  options,
  SETS,
  sync,
  versions,
} from "../support/device-sets.mjs";
import { ravendb } from "../support/server.mjs";

test(
  "a document that a comparison does not list stays, unless a load finds it absent",
  options,
  async (t) => {
    const { base, tab, expected } = await opened(t);
    await bulk(
      ravendb,
      base,
      notes(3, (at) => note("ann", { at })),
    );
    const page = await tab();
    assert.equal((await sync(page, "all")).isComplete, true);
    const loads = [];
    await page.route("**/docs", (route) => {
      loads.push(route.request().postDataJSON());
      return route.continue();
    });
    // A comparison from before the document was there: it lists all others.
    const forge = async (route) => {
      const body = route.request().postDataJSON();
      const response = await route.fetch({
        postData: JSON.stringify({ ...body, Etag: null, Sums: "A".repeat(3_414) }),
      });
      const json = await response.json();
      const Differing = json.Differing.map(([bucket, ...pairs]) => [
        bucket,
        ...(pairs[0] === "notes/1" ? [] : pairs),
      ]);
      return route.fulfill({ response, json: { ...json, Etag: null, Differing } });
    };
    await page.route("**/sync", forge, { times: 1 });
    assert.equal((await sync(page, "all")).isComplete, true);
    assert.equal(loads.length, 1);
    assert.deepEqual(loads[0], { Ids: ["notes/1"], User: "ann" });
    assert.deepEqual(await versions(page, "all"), await expected(isAnns));
    const changes = await page.evaluate(() => told.filter(([event]) => event === "change").length);
    assert.equal(changes, 1, "the first load");
  },
);

test("nothing is removed while the index is stale", options, async (t) => {
  const { page } = await followed(
    t,
    notes(5, (at) => note("ann", { at })),
  );
  const before = await versions(page, "all");
  await page.route("**/sync", async (route) => {
    const response = await route.fetch();
    const json = { IsStale: true, Etag: null, Differing: Array.from({ length: 256 }, (_, at) => [at]) };
    return route.fulfill({ response, json });
  });
  const { syncedAt } = await page.evaluate(() => ({ syncedAt: follow("all").syncedAt.getTime() }));
  const seen = await sync(page, "all");
  assert.deepEqual(await versions(page, "all"), before);
  assert.equal(seen.syncedAt, syncedAt, "it is complete as of the comparison before");
});

test("the first load is one response, and nothing is complete before it is compared", options, async (t) => {
  const { page, load, site, expected } = await followed(
    t,
    notes(1_500, (at) => note(at % 3 ? "ann" : "bob", { at, large: "12345678901234567890" })),
    { isSynced: false },
  );
  const asked = (end) => site.requests.filter((path) => path.endsWith(end)).length;
  // Cut in the middle: what has come stays, and the rest is loaded by ids.
  await page.route("**/streams/**", async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    return route.fulfill({ response, body: body.slice(0, body.length * 0.6) });
  });
  let release;
  const held = new Promise((resolve) => {
    page.route("**/sync", async (route) => {
      resolve();
      await new Promise((go) => (release = go));
      return route.continue();
    });
  });
  const run = sync(page, "all").catch(() => {});
  await held;
  const seen = await page.evaluate(async () => {
    const set = follow("all");
    const { length } = await set.documents();
    return { length, complete: [set.isComplete, set.syncedAt], progress: set.progress };
  });
  assert.ok(seen.length > 300 && seen.length < 900, `${seen.length}`);
  assert.deepEqual(seen.complete, [false, null]);
  assert.deepEqual(seen.progress, { loaded: seen.length, total: undefined });
  release();
  await run;
  await page.unrouteAll({ behavior: "ignoreErrors" });
  assert.equal(await page.evaluate(() => follow("all").isComplete), true);
  assert.deepEqual(await versions(page, "all"), await expected(isAnns));
  assert.deepEqual([asked("/streams/queries/named/all"), asked("/sync")], [1, 1]);
  // The page dies in the middle.
  await page.evaluate(() => store.offline.clear());
  await load(page);
  site.requests.length = 0;
  await page.route("**/sync", (route) => route.abort());
  assert.equal((await sync(page, "all")).code, "Unreachable");
  assert.deepEqual([asked("/streams/queries/named/all"), asked("/docs")], [1, 0]);
  await page.unroute("**/sync");
  await load(page);
  assert.equal(await page.evaluate(() => follow("all").isComplete), false);
  assert.equal((await sync(page, "all")).isComplete, true);
  assert.deepEqual([asked("/streams/queries/named/all"), asked("/docs")], [1, 0], "nothing is loaded twice");
  assert.deepEqual(await versions(page, "all"), await expected(isAnns));
});

test(
  "a clock that jumps, an eviction and a device that is full leave the last complete set",
  options,
  async (t) => {
    const { base, page, expected } = await followed(
      t,
      notes(6, (at) => note("ann", { at })),
      { given: { sets: SETS, documents: { maxBytes: 2_000 } } },
    );
    // Back by a year: a later comparison still counts as later.
    await page.evaluate(() => {
      const { now } = Date;
      Date.now = () => now() - 365 * 86_400_000;
    });
    await bulk(ravendb, base, { "notes/1": note("ann", { at: "changed" }) });
    await deleted(base, "notes/2");
    const back = await sync(page, "all");
    assert.equal(back.isComplete, true);
    assert.ok(back.syncedAt < Date.now() - 300 * 86_400_000, "it is shown as the device says");
    assert.deepEqual(await versions(page, "all"), await expected(isAnns));
    // What sessions have read makes room for other reads, and never documents of the set.
    await bulk(
      ravendb,
      base,
      Object.fromEntries(
        Array.from({ length: 12 }, (_, at) => [`notes/large-${at}`, note("ann", { text: "x".repeat(200) })]),
      ),
    );
    const kept = await page.evaluate(async () => {
      for (let at = 0; at < 12; at++) await store.offline.prefetch([`notes/large-${at}`]);
      return (await onDevice()).filter((text) => text.includes("notes/large")).length;
    });
    assert.ok(kept < 6, `${kept} of 12 are there`);
    assert.deepEqual(
      Object.keys(await versions(page, "all"))
        .filter((id) => !id.includes("large"))
        .sort(),
      Object.keys(await expected(isAnns))
        .filter((id) => !id.includes("large"))
        .sort(),
    );
    assert.equal((await sync(page, "all")).isComplete, true);
    // Full: nothing more is written.
    const before = await versions(page, "all");
    await page.evaluate(() => {
      const { put } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.put = function (...given) {
        if (globalThis.isFull && this.name === "keptTexts")
          throw new DOMException("full", "QuotaExceededError");
        return put.apply(this, given);
      };
      globalThis.isFull = true;
    });
    await bulk(ravendb, base, { "notes/1": note("ann", { at: 2 }), "notes/new": note("ann") });
    const full = await sync(page, "all");
    assert.deepEqual([full.code, /full/.test(full.message)], ["Storage", true]);
    assert.deepEqual(await versions(page, "all"), before);
    assert.ok(await page.evaluate(() => follow("all").syncedAt instanceof Date));
    await page.evaluate(() => (globalThis.isFull = false));
    assert.equal((await sync(page, "all")).isComplete, true);
    assert.deepEqual(await versions(page, "all"), await expected(isAnns));
  },
);

test("a set that is too large is an error, and the last complete one stays", options, async (t) => {
  const { base, page } = await followed(
    t,
    notes(3, (at) => note("ann", { at })),
    { given: { sets: { all: { collection: "Notes", maxBytes: 20_000 } } } },
  );
  const before = await versions(page, "all");
  await bulk(ravendb, base, { "notes/large": note("ann", { text: "x".repeat(20_000) }) });
  const { code, message } = await sync(page, "all");
  assert.equal(code, "Storage");
  assert.match(message, /takes more than its 20000 bytes/);
  assert.deepEqual(await versions(page, "all"), before);
  const errors = await page.evaluate(() => [
    store.offline.set("all").error.code,
    ...told.filter(([event]) => event === "error").map(([, { code }]) => code),
  ]);
  assert.deepEqual(errors, ["Storage", "Storage"]);
});

test("responses that are none change nothing, and are named errors", options, async (t) => {
  const { base, load, page } = await followed(
    t,
    notes(4, (at) => note("ann", { at })),
    { options: { limits: { set: 5 } } },
  );
  const before = await versions(page, "all");
  await bulk(ravendb, base, { "notes/9": note("ann") });
  const html = { status: 200, contentType: "text/html", body: "<title>sign in</title>" };
  for (const [path, response, expected] of [
    ["**/sync", html, "BadAnswer"],
    ["**/sync", { status: 200, json: { Same: false } }, "BadAnswer"],
    ["**/docs", html, "BadAnswer"],
    ["**/docs", { status: 200, json: { Results: [] } }, "BadAnswer"],
    ["**/docs", { status: 200, json: {} }, "BadAnswer"],
  ]) {
    await page.route(path, (route) => route.fulfill(response));
    const { code } = await sync(page, "all");
    assert.equal(code, expected, JSON.stringify([path, response]));
    await page.unroute(path);
    assert.deepEqual(await versions(page, "all"), before);
  }
  await page.evaluate(() => (globalThis.signedIn = ""));
  assert.equal((await sync(page, "all")).code, "Unauthorized");
  await page.evaluate(() => (globalThis.signedIn = "ann"));
  await bulk(
    ravendb,
    base,
    notes(8, (at) => note("ann", { at })),
  );
  const large = await sync(page, "all");
  assert.match(large.message, /more than 5 documents/);
  for (const [sets, text] of [
    [{ all: {} }, /takes/],
    [{ all: { named: "a", size: 1 } }, /size/],
    [{ all: { collection: "Notes", parameters: {} } }, /takes/],
    [{ all: { collection: "Notes", maxBytes: 0 } }, /maxBytes/],
    [{ all: { named: "open", live: true } }, /needs the collection/],
  ])
    await assert.rejects(load(page, { sets }), text);
  await assert.rejects(load(page, { sets: SETS, documents: { collections: ["Notes"] } }), /combined/);
  await load(page);
  const unknown = await page.evaluate(() => {
    try {
      store.offline.set("opem");
    } catch ({ code, message }) {
      return [code, message];
    }
  });
  assert.deepEqual([unknown[0], /did you mean "open"/.test(unknown[1])], ["InvalidArgument", true]);
});

test("what a device has of an earlier version stays when sets come", options, async (t) => {
  const { base, context, site, load, expected } = await opened(t);
  await bulk(
    ravendb,
    base,
    notes(3, (at) => note("ann", { at })),
  );
  const page = await context.newPage();
  await page.goto(site.url);
  await page.evaluate(async () => {
    // As version 2 made it.
    await new Promise((resolve, reject) => {
      const request = indexedDB.open("raven-edge-offline", 2);
      request.onupgradeneeded = () => {
        const { result: db } = request;
        db.createObjectStore("keeps", { keyPath: "origin" });
        db.createObjectStore("kept", { keyPath: ["scope", "key"] });
        db.createObjectStore("keptTexts");
        const changes = db.createObjectStore("changes", { keyPath: ["scope", "number"] });
        changes.createIndex("documents", "keys", { multiEntry: true });
        db.createObjectStore("texts");
        db.createObjectStore("queues", { keyPath: "scope" });
      };
      request.onerror = () => reject(request.error);
      request.onsuccess = () => resolve(request.result.close());
    });
  });
  await load(page, { documents: {} });
  await page.evaluate(async () => {
    await queue(store, { owner: "ann", "@metadata": { "@collection": "Notes" } }, "notes/waits");
    await store.offline.prefetch(["notes/1"]);
  });
  await load(page);
  assert.equal((await sync(page, "all")).isComplete, true);
  const shown = await page.evaluate(async () => ids(await store.offline.set("all").documents()));
  assert.deepEqual(shown, ["notes/0", "notes/1", "notes/2", "notes/waits"]);
  assert.equal(await page.evaluate(() => store.offline.flush()), true);
  assert.equal((await sync(page, "all")).isComplete, true);
  assert.deepEqual(await versions(page, "all"), await expected(isAnns));
});
