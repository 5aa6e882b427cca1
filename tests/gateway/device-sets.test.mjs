// Sets on a device: pages of Chromium follow them through the gateway before the real RavenDB.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bulk, note } from "../support/callers.mjs";
import { missingChromium, profile } from "../support/chromium.mjs";
import { gateway } from "../support/gateway.mjs";
import { PAGE } from "../support/offline.mjs";
import { pkg } from "../support/pages.mjs";
import { serve } from "../support/serve.mjs";
import { create, document, missing, ravendb, remove, send } from "../support/server.mjs";

const options = { skip: missingChromium || missing(ravendb), timeout: 120_000 };

const SETS = {
  all: { collection: "Notes" },
  open: { named: "open", parameters: { status: "open" }, collection: "Notes" },
};

const CONFIGURATION = {
  claims: ["name"],
  collections: { Notes: { allow: "write", rows: { owner: "$name" } } },
  queries: {
    open: {
      query: "from Notes where status = $status",
      parameters: { status: { type: "string" } },
      set: true,
      wait: 15_000,
    },
  },
  sets: { all: { collection: "Notes" } },
};

const AUTHORIZE = `authorize: (request) => {
  const name = request.headers.get("x-user");
  return name ? { name } : null;
}`;

/** What pages do with a set. */
const SCRIPT = ([name, given]) => {
  const { user = "ann", ...more } = given;
  globalThis.store = open(
    name,
    { user, automatic: false, ...more },
    { headers: () => ({ "x-user": globalThis.signedIn ?? user }) },
  );
  globalThis.told = [];
  const followed = new Set();
  globalThis.follow = (name) => {
    const set = store.offline.set(name);
    if (followed.has(set)) return set;
    followed.add(set);
    for (const event of ["change", "synced", "error"]) set.on(event, (detail) => told.push([event, detail]));
    return set;
  };
  globalThis.ids = (documents) => documents.map(({ "@metadata": { "@id": id } }) => id).sort();
  /** The documents of a set with their vectors. */
  globalThis.versions = async (set) =>
    Object.fromEntries(
      (await store.offline.set(set).documents()).map(({ "@metadata": meta }) => [
        meta["@id"],
        meta["@change-vector"],
      ]),
    );
  /** All texts of documents on the device. */
  globalThis.onDevice = async () => {
    const db = await new Promise((resolve, reject) => {
      const request = indexedDB.open("raven-edge-offline");
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const texts = await new Promise((resolve) => {
      const request = db.transaction("keptTexts").objectStore("keptTexts").getAll();
      request.onsuccess = () => resolve(request.result);
    });
    db.close();
    return texts;
  };
};

async function opened(t, { limits } = {}) {
  const made = await gateway(t, {
    options: { ...CONFIGURATION, ...(limits && { limits }) },
    functions: AUTHORIZE,
  });
  const gate = { open: true };
  const site = await serve(t, {
    folder: pkg,
    pages: { "/": PAGE },
    raven: made.url,
    refuse: ({ url }) => !gate.open && url.startsWith("/raven"),
  });
  const { problems, open, context } = await profile(t);
  const tab = async (given = { sets: SETS }) => {
    const page = await open(site.url);
    await page.waitForFunction(() => globalThis.loaded);
    await page.evaluate(SCRIPT, [made.base, given]);
    return page;
  };
  const load = async (page, given = { sets: SETS }) => {
    await page.goto(site.url);
    await page.waitForFunction(() => globalThis.loaded);
    await page.evaluate(SCRIPT, [made.base, given]);
  };
  /** The versions that the server has, of what `fits`. */
  const expected = async (fits) => {
    const { json } = await send(ravendb.url, "POST", `/databases/${made.base}/queries`, {
      Query: "from Notes",
    });
    return Object.fromEntries(
      json.Results.filter(fits).map(({ "@metadata": meta }) => [meta["@id"], meta["@change-vector"]]),
    );
  };
  return { ...made, gate, site, tab, load, problems, context, expected };
}

/** A page that has the set `all` of these documents; `given`: its options. */
async function followed(t, documents, { given, isSynced = true, ...options } = {}) {
  const made = await opened(t, options);
  await bulk(ravendb, made.base, documents);
  const page = await made.tab(given);
  if (isSynced) assert.equal((await sync(page, "all")).isComplete, true);
  return { ...made, page };
}

const isAnns = ({ owner }) => owner === "ann";
const isOpen = (one) => isAnns(one) && one.status === "open";

const notes = (count, make) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`notes/${at}`, make(at)]));

const deleted = (base, id) =>
  send(ravendb.url, "DELETE", `/databases/${base}/docs?id=${encodeURIComponent(id)}`);

const sync = (page, set) =>
  page.evaluate(
    (set) =>
      follow(set)
        .sync()
        .then(
          () => {
            const { isComplete, syncedAt, progress } = store.offline.set(set);
            return { isComplete, syncedAt: syncedAt?.getTime() ?? null, progress };
          },
          ({ code, message }) => ({ code, message }),
        ),
    set,
  );
const versions = (page, set) => page.evaluate((set) => versions(set), set);

test(
  "a set has what its user may see: new, changed, deleted and given-away documents, and nothing of others",
  options,
  async (t) => {
    const { base, tab, wire, problems, expected } = await opened(t);
    await bulk(
      ravendb,
      base,
      notes(300, (at) => note(at % 3 ? "ann" : "bob", { at, status: at % 2 ? "open" : "done" })),
    );
    const page = await tab();
    for (const [set, fits] of [
      ["all", isAnns],
      ["open", isOpen],
    ]) {
      assert.deepEqual(await versions(page, set), {}, "nothing is shown before");
      const first = await sync(page, set);
      assert.equal(first.isComplete, true, JSON.stringify(first));
      assert.deepEqual(await versions(page, set), await expected(fits));
    }
    wire.requests.length = 0;
    const again = await sync(page, "all");
    assert.equal(again.isComplete, true, JSON.stringify(again));
    assert.equal(wire.requests.length, 1, "RavenDB's ETags alone are read");
    await bulk(ravendb, base, {
      "notes/1": note("ann", { at: 1_000, status: "open" }),
      "notes/2": note("bob", { at: 2, status: "open", secret: "of bob" }),
      "notes/3": note("ann", { at: 3, status: "open" }),
      "notes/5": note("ann", { at: 5, status: "done" }),
      "notes/new": note("ann", { status: "open" }),
    });
    await deleted(base, "notes/7");
    for (const [set, fits] of [
      ["all", isAnns],
      ["open", isOpen],
    ]) {
      const { isComplete } = await sync(page, set);
      assert.equal(isComplete, true);
      assert.deepEqual(await versions(page, set), await expected(fits), set);
    }
    const texts = await page.evaluate(() => onDevice());
    assert.ok(texts.length > 100 && !texts.join().includes("bob"));
    const changes = await page.evaluate(() =>
      told
        .filter(([event]) => event === "change")
        .map(([, { added, changed, removed }]) => [ids(added), ids(changed), removed]),
    );
    assert.ok(changes.some(([added]) => added.includes("notes/new")));
    assert.ok(changes.some(([, changed]) => changed.includes("notes/1")));
    assert.ok(changes.some(([, , removed]) => removed.includes("notes/7")));
    assert.ok(changes.some(([, , removed]) => removed.includes("notes/2")));
    assert.deepEqual(await page.evaluate(() => told.filter(([event]) => event === "error")), []);
    assert.deepEqual(problems, []);
  },
);

test(
  "without a connection a set is there at start, with pending changes; a new document stays when it is saved",
  options,
  async (t) => {
    const { base, tab, load, gate, expected, problems } = await opened(t);
    await bulk(
      ravendb,
      base,
      notes(6, (at) => note("ann", { at, status: "open" })),
    );
    const page = await tab();
    for (const set of ["all", "open"]) assert.equal((await sync(page, set)).isComplete, true);
    gate.open = false;
    await load(page);
    const shown = await page.evaluate(async () => {
      const set = follow("all");
      await set.ready;
      const session = store.openSession();
      const first = await session.load("notes/1");
      first.at = "mine";
      session.delete("notes/2");
      await session.store(
        { owner: "ann", status: "open", "@metadata": { "@collection": "Notes" } },
        "notes/mine",
      );
      await session.queueChanges();
      // Both are saved in one batch, and removed from the queue in one transaction.
      await queue(
        store,
        { owner: "ann", status: "open", "@metadata": { "@collection": "Notes" } },
        "notes/next",
      );
      const found = await set.documents();
      const { code, outage } = await set.sync().catch((error) => error);
      return {
        ids: ids(found),
        mine: found.find((one) => one["@metadata"]["@id"] === "notes/1").at,
        open: ids(await follow("open").documents()),
        complete: [set.isComplete, set.syncedAt instanceof Date, set.error?.code, code, outage],
        errors: told.filter(([event]) => event === "error").length,
      };
    });
    const ids = ["notes/0", "notes/1", "notes/3", "notes/4", "notes/5", "notes/mine", "notes/next"];
    assert.deepEqual(shown, {
      ids,
      mine: "mine",
      open: ids,
      complete: [true, true, "Unreachable", "Unreachable", true],
      errors: 0,
    });
    gate.open = true;
    const after = await page.evaluate(async () => {
      const isSent = await store.offline.flush();
      // Before the next comparison.
      const shown = [ids(await follow("all").documents()), ids(await follow("open").documents())];
      await follow("all").sync();
      await follow("open").sync();
      return [isSent, ...shown, follow("all").isComplete];
    });
    assert.deepEqual(after, [true, ids, ids, true]);
    assert.deepEqual(await versions(page, "all"), await expected(isAnns));
    assert.deepEqual(await versions(page, "open"), await expected(isOpen));
    assert.equal((await document(ravendb, base, "notes/1")).at, "mine");
    assert.deepEqual(problems, []);
  },
);

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

test("a sign-out during a comparison writes nothing, also from another tab", options, async (t) => {
  const { base, tab } = await opened(t);
  await bulk(
    ravendb,
    base,
    notes(20, (at) => note("ann", { at })),
  );
  for (const isOther of [false, true]) {
    const page = await tab();
    const other = isOther ? await tab() : page;
    let release;
    const held = new Promise((resolve) => {
      page.route("**/streams/**", async (route) => {
        resolve();
        await new Promise((go) => (release = go));
        return route.continue();
      });
    });
    const run = sync(page, "all");
    await held;
    await other.evaluate(() => store.offline.clear());
    release();
    const { code } = await run;
    assert.equal(code, "InvalidOperation");
    assert.deepEqual(await page.evaluate(() => onDevice()), []);
    const again = await sync(page, "all");
    assert.equal(again.code, "InvalidOperation", "nor does this page begin again");
    assert.deepEqual(await page.evaluate(() => onDevice()), []);
    await page.close();
    if (isOther) await other.close();
  }
});

test(
  "a page asks as its own user only: after another one has signed in it stops, and shows what it has",
  options,
  async (t) => {
    const { base, page, site, expected } = await followed(
      t,
      notes(9, (at) => note(at % 2 ? "ann" : "bob", { at })),
    );
    const before = await versions(page, "all");
    const refused = async () => {
      const { code, message } = await sync(page, "all");
      assert.deepEqual([code, /another user/.test(message)], ["Unauthorized", true]);
      assert.deepEqual(await versions(page, "all"), before);
      assert.ok(!(await page.evaluate(() => onDevice())).join().includes("bob"));
    };
    await page.evaluate(() => (globalThis.signedIn = "bob"));
    await refused();
    // In the middle: what ann has lost would be removed, if the load said so.
    await page.evaluate(() => (globalThis.signedIn = "ann"));
    await bulk(ravendb, base, { "notes/1": note("ann", { at: 100 }), "notes/30": note("ann", { at: 30 }) });
    site.requests.length = 0;
    await page.route("**/docs", async (route) => {
      const headers = { ...route.request().headers(), "x-user": "bob" };
      return route.continue({ headers });
    });
    await refused();
    assert.ok(
      site.requests.some((path) => path.endsWith("/docs")),
      "the comparison was ann's",
    );
    await page.unroute("**/docs");
    assert.equal((await sync(page, "all")).isComplete, true);
    assert.deepEqual(await versions(page, "all"), await expected(isAnns));
  },
);

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
  "a document of a set becomes an entity without a request, as a load would make it",
  options,
  async (t) => {
    const { base, page, gate } = await followed(
      t,
      notes(4, (at) => note("ann", { at })),
    );
    gate.open = false;
    const asked = [];
    page.on("request", (request) => asked.push(decodeURIComponent(request.url()) + request.postData()));
    const seen = await page.evaluate(async () => {
      const set = follow("all");
      const of = (id) => set.documents().then((all) => all.find((one) => one["@metadata"]["@id"] === id));
      const [first, second, third] = [await of("notes/0"), await of("notes/1"), await of("notes/2")];
      const session = store.openSession();
      const entity = await store.offline.adopt(session, first);
      const isOne =
        (await store.offline.adopt(session, first)) === entity && (await session.load("notes/0")) === entity;
      entity.at = "adopted";
      await session.queueChanges();
      const other = store.openSession();
      // The change that waits is laid over what the app had before.
      const { at } = await store.offline.adopt(other, first);
      const removing = store.openSession();
      removing.delete(await store.offline.adopt(removing, second));
      await removing.queueChanges();
      const errors = [
        await code(store.offline.adopt(other, second)),
        await code(
          store.offline.adopt(other, {
            ...third,
            "@metadata": { ...third["@metadata"], "@change-vector": "A:1-old" },
          }),
        ),
        await code(store.offline.adopt(other, { at: 1 })),
        await code(store.offline.adopt(store.openSession({ noTracking: true }), third)),
      ];
      return { id: session.advanced.getDocumentId(entity), isOne, at, errors, own: first.at };
    });
    assert.deepEqual(seen, {
      id: "notes/0",
      isOne: true,
      at: "adopted",
      errors: ["InvalidOperation", "InvalidOperation", "InvalidArgument", "InvalidOperation"],
      own: 0,
    });
    assert.ok(!asked.join().includes("notes/"), "no document is asked for");
    gate.open = true;
    assert.equal(await page.evaluate(() => store.offline.flush()), true);
    assert.equal((await document(ravendb, base, "notes/0")).at, "adopted");
    assert.equal(await document(ravendb, base, "notes/1"), undefined);
  },
);

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

test("a set is never shown to another user, and goes when one signs in", options, async (t) => {
  const { base, tab, expected } = await opened(t);
  await bulk(
    ravendb,
    base,
    notes(9, (at) => note(at % 2 ? "ann" : "bob", { at })),
  );
  const first = await tab();
  assert.equal((await sync(first, "all")).isComplete, true);
  const second = await tab({ sets: SETS, user: "bob" });
  await second.evaluate(() => store.offline.pending());
  assert.deepEqual(await versions(second, "all"), {});
  assert.equal((await sync(second, "all")).isComplete, true);
  assert.deepEqual(await versions(second, "all"), await expected(({ owner }) => owner === "bob"));
  assert.deepEqual(await versions(first, "all"), {}, "the first user's tab shows nothing any more");
  const { code } = await sync(first, "all");
  assert.equal(code, "Storage");
  assert.ok(!(await second.evaluate(() => onDevice())).join().includes("ann"));
});

test("another tab is told what a comparison has changed, and does not repeat it", options, async (t) => {
  const { base, tab, site } = await opened(t);
  await bulk(
    ravendb,
    base,
    notes(4, (at) => note("ann", { at })),
  );
  const [first, second] = [await tab(), await tab()];
  await second.evaluate(async () => {
    const set = follow("all");
    await set.documents();
    globalThis.heard = new Promise((resolve) => set.on("change", resolve));
    globalThis.synced = new Promise((resolve) => set.on("synced", resolve));
  });
  const before = site.requests.filter((path) => /\/sync$/.test(path)).length;
  assert.equal((await sync(first, "all")).isComplete, true);
  const seen = await second.evaluate(async () => {
    const { added } = await heard;
    await synced;
    return [ids(added), store.offline.set("all").isComplete];
  });
  assert.deepEqual(seen, [["notes/0", "notes/1", "notes/2", "notes/3"], true]);
  assert.equal(site.requests.filter((path) => /\/sync$/.test(path)).length, before + 1);
  // At once in both.
  await bulk(
    ravendb,
    base,
    notes(4, (at) => note("ann", { at, again: true })),
  );
  await Promise.all([sync(first, "all"), sync(second, "all")]);
  assert.deepEqual(await versions(first, "all"), await versions(second, "all"));
});

test("documents leave the device with the last set that has them", options, async (t) => {
  const { load, expected, page } = await followed(
    t,
    notes(10, (at) => note("ann", { at, status: at % 2 ? "open" : "done" })),
    { isSynced: false },
  );
  for (const set of ["all", "open"]) await sync(page, set);
  const sets = { ...SETS, open: { ...SETS.open, parameters: { status: "done" } } };
  await load(page, { sets });
  assert.deepEqual(await versions(page, "open"), {}, "another declaration is another set");
  assert.equal((await sync(page, "open")).isComplete, true);
  assert.deepEqual(await versions(page, "open"), await expected(({ status }) => status === "done"));
  assert.equal((await page.evaluate(() => onDevice())).length, 10);
  await load(page, { sets: { open: sets.open } });
  await page.evaluate(() => follow("open").documents());
  const left = await page.evaluate(() => onDevice());
  assert.equal(left.length, 5, "those of a set that is not declared any more are removed");
});

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
    { limits: { set: 5 } },
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

test("another incarnation of the database discards the set, and no pending change", options, async (t) => {
  const { base, page } = await followed(
    t,
    notes(5, (at) => note("ann", { at })),
  );
  await page.evaluate(async () => {
    await queue(store, { owner: "ann", "@metadata": { "@collection": "Notes" } }, "notes/pending");
  });
  await remove(ravendb, base);
  await create(ravendb, base);
  await bulk(ravendb, base, { "notes/other": note("ann") });
  const seen = await sync(page, "all");
  assert.equal(seen.isComplete, true, JSON.stringify(seen));
  assert.deepEqual(Object.keys(await versions(page, "all")).sort(), ["notes/other", "notes/pending"]);
  assert.equal(await page.evaluate(() => store.offline.pending()), 1);
});

test("a set with `live` follows what others change, without a call", options, async (t) => {
  const site = await serve(t, { folder: pkg, pages: { "/": PAGE } });
  const { origin } = new URL(site.url);
  const configuration = { ...CONFIGURATION, live: true, origins: [origin], headers: ["x-user"] };
  const { url, base } = await gateway(t, { options: configuration, functions: AUTHORIZE });
  const { problems, open } = await profile(t);
  const page = await open(site.url);
  await page.waitForFunction(() => globalThis.loaded);
  await page.evaluate(
    async ([url, base]) => {
      const [{ DocumentStore }, { offline }] = await Promise.all([
        import("/dist/entries/web.js"),
        import("/dist/entries/offline.js"),
      ]);
      const headers = () => ({ "x-user": "ann" });
      const sets = { all: { collection: "Notes", live: true } };
      const made = new DocumentStore(url, base, { headers, offline: offline({ user: "ann", sets }) });
      globalThis.store = made.initialize();
      globalThis.told = [];
      const set = store.offline.set("all");
      globalThis.wait = (fits) =>
        new Promise((resolve) => {
          const look = async () => {
            const found = (await set.documents()).map(({ "@metadata": { "@id": id } }) => id).sort();
            if (set.isComplete && fits(found.join())) resolve(found);
          };
          set.on("change", look).on("synced", look);
          look();
        });
      set.on("error", ({ message }) => told.push(message));
      await set.ready;
      await store.changes().forDocumentsInCollection("Notes").ensureSubscribedNow();
    },
    [url, base],
  );
  await bulk(ravendb, base, { "notes/1": note("ann"), "notes/2": note("bob") });
  assert.deepEqual(await page.evaluate(() => wait((ids) => ids === "notes/1")), ["notes/1"]);
  await bulk(ravendb, base, { "notes/1": note("bob"), "notes/2": note("ann") });
  assert.deepEqual(await page.evaluate(() => wait((ids) => ids === "notes/2")), ["notes/2"]);
  await deleted(base, "notes/2");
  assert.deepEqual(await page.evaluate(() => wait((ids) => ids === "")), []);
  assert.deepEqual(await page.evaluate(() => told), []);
  assert.deepEqual(problems, []);
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
