// Sets on a device: pages of Chromium follow them through the gateway before the real RavenDB.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bulk, note } from "../support/callers.mjs";
import { profile } from "../support/chromium.mjs";
import {
  AUTHORIZE,
  CONFIGURATION,
  deleted,
  followed,
  IN_FEW_FILES,
  isAnns,
  isOpen,
  notes,
  opened,
  options,
  SETS,
  sync,
  versions,
} from "../support/device-sets.mjs";
import { gateway } from "../support/gateway.mjs";
import { pkg } from "../support/pages.mjs";
import { serve } from "../support/serve.mjs";
import { document, ravendb } from "../support/server.mjs";

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

test("a set with `live` follows what others change, without a call", options, async (t) => {
  const site = await serve(t, { folder: pkg, pages: { "/": IN_FEW_FILES } });
  const { origin } = new URL(site.url);
  const configuration = { ...CONFIGURATION, live: true, origins: [origin], headers: ["x-user"] };
  const { url, base } = await gateway(t, { options: configuration, functions: AUTHORIZE });
  const { problems, open } = await profile(t);
  const page = await open(site.url);
  await page.waitForFunction(() => globalThis.loaded);
  await page.evaluate(
    async ([url, base]) => {
      const [{ DocumentStore }, { offline }] = await Promise.all([
        import("/lib/entries/web.js"),
        import("/lib/entries/offline.js"),
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
