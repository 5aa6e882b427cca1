// Sets on a device belong to their user and to their database, in all tabs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bulk, note } from "../support/callers.mjs";
import { followed, isAnns, notes, opened, options, SETS, sync, versions } from "../support/device-sets.mjs";
import { create, ravendb, remove } from "../support/server.mjs";

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

test("a sign-out in one tab ends the set in the others, which say so at once", options, async (t) => {
  const { page, tab } = await followed(
    t,
    notes(3, (at) => note("ann", { at })),
  );
  // It does not follow the same set.
  const other = await tab();
  await sync(other, "open");
  const ended = page.evaluate(() => {
    const set = store.offline.set("all");
    return new Promise((resolve) =>
      set.on("error", async ({ code }) =>
        resolve([code, set.isComplete, set.error?.code, (await set.documents()).length]),
      ),
    );
  });
  assert.equal(await page.evaluate(() => store.offline.set("all").isComplete), true);
  await other.evaluate(() => store.offline.clear());
  assert.deepEqual(await ended, ["InvalidOperation", false, "InvalidOperation", 0]);
  assert.equal(await other.evaluate(() => store.offline.set("open").isComplete), false);
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
