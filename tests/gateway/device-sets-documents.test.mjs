// Documents of sets as sessions, queries by name and other tabs have them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bulk, note } from "../support/callers.mjs";
import { profile } from "../support/chromium.mjs";
import {
  deleted,
  followed,
  IN_FEW_FILES,
  isOpen,
  notes,
  options,
  SETS,
  sync,
  versions,
} from "../support/device-sets.mjs";
import { pkg } from "../support/pages.mjs";
import { serve } from "../support/serve.mjs";
import { database, document, ravendb } from "../support/server.mjs";

/** The results of a query by its name, on a page; the code of the error if it fails. */
const queried = (page, named, parameters, take) =>
  page.evaluate(
    async ([named, parameters, take]) => {
      const query = store.openSession().query({ named, parameters });
      if (take !== undefined) query.take(take);
      try {
        const { results, keptAt, isStale, pending = [], next } = await query.getQueryResult();
        return {
          at: results.map(({ at }) => at),
          keptAt: keptAt?.getTime(),
          isStale,
          pending: ids(pending),
          next,
        };
      } catch ({ code }) {
        return code;
      }
    },
    [named, parameters, take],
  );

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
  "without a connection a query by name is answered by its set: with all results or not at all",
  options,
  async (t) => {
    const made = (at) => note(at % 3 ? "ann" : "bob", { at, status: at % 2 ? "open" : "done" });
    const { base, page, gate, load, expected } = await followed(t, notes(12, made), { isSynced: false });
    const sets = {
      ...SETS,
      ordered: { named: "ordered", parameters: { status: "open" }, collection: "Notes" },
    };
    await load(page, { sets });
    const open = { status: "open" };
    // All documents are there, and none was compared.
    await page.route("**/sync", (route) => route.abort());
    assert.equal((await sync(page, "open")).code, "Unreachable");
    assert.equal((await page.evaluate(() => follow("open").documents())).length, 4);
    gate.open = false;
    assert.equal(await queried(page, "open", open), "Unreachable", "the set was never complete");
    gate.open = true;
    await page.unroute("**/sync");
    const { syncedAt } = await sync(page, "open");
    gate.open = false;
    await load(page, { sets });
    const shown = { keptAt: syncedAt, isStale: false, pending: [], next: null };
    const results = await queried(page, "open", open);
    assert.deepEqual({ ...results, at: results.at.sort() }, { ...shown, at: [1, 11, 5, 7] });
    assert.deepEqual((await queried(page, "open", open, 4)).at.length, 4);
    assert.equal(await queried(page, "open", open, 3), "Unreachable", "which ones are the first?");
    assert.equal(await queried(page, "open", { status: "done" }), "Unreachable");
    assert.equal(await queried(page, "ordered", open), "Unreachable", "a set of its own");
    // Pending changes are laid over them.
    await page.evaluate(async () => {
      const session = store.openSession();
      (await session.load("notes/1")).at = 100;
      session.delete("notes/5");
      const more = { owner: "ann", status: "open", at: 2, "@metadata": { "@collection": "Notes" } };
      await session.store({ ...more, status: "done" }, "notes/done");
      await session.store(more, "notes/mine");
      await session.queueChanges();
    });
    const mine = await queried(page, "open", open);
    assert.deepEqual(
      [mine.at.sort(), mine.pending],
      [
        [100, 11, 7],
        ["notes/done", "notes/mine"],
      ],
    );
    gate.open = true;
    assert.equal(await page.evaluate(() => store.offline.flush()), true);
    // Saved, and not compared yet.
    gate.open = false;
    assert.deepEqual((await queried(page, "open", open)).pending, ["notes/done", "notes/mine"]);
    gate.open = true;
    // Results that are as new as the set, or newer, are shown as the server sent them; else the set, in their order.
    assert.equal((await sync(page, "ordered")).isComplete, true);
    await bulk(ravendb, base, { "notes/30": note("ann", { at: 30, status: "open" }) });
    const ordered = await queried(page, "ordered", open);
    assert.deepEqual(ordered.at, [100, 30, 11, 7, 2]);
    await bulk(ravendb, base, { "notes/31": note("ann", { at: 31, status: "open" }) });
    gate.open = false;
    assert.deepEqual((await queried(page, "ordered", open)).at, ordered.at);
    gate.open = true;
    assert.equal((await sync(page, "ordered")).isComplete, true);
    await deleted(base, "notes/11");
    gate.open = false;
    assert.deepEqual((await queried(page, "ordered", open)).at, [...ordered.at, 31]);
    // A session finds that a document is deleted: the set may lack others, too.
    gate.open = true;
    assert.equal(await page.evaluate(() => store.openSession().load("notes/11")), null);
    await page.evaluate(() => store.offline.prefetch(["notes/11"]));
    gate.open = false;
    const stale = await queried(page, "ordered", open);
    assert.deepEqual([stale.at, stale.isStale], [[...ordered.at.filter((at) => at !== 11), 31], true]);
    gate.open = true;
    assert.equal((await sync(page, "open")).isComplete, true);
    assert.deepEqual(await versions(page, "open"), await expected(isOpen));
    gate.open = false;
    assert.deepEqual((await queried(page, "open", open)).pending, [], "the comparison knows which ones fit");
  },
);

test("without a gateway the values of claims and parameters decide which set answers", options, async (t) => {
  const base = await database(t, ravendb);
  const gate = { open: true };
  const site = await serve(t, {
    folder: pkg,
    pages: { "/": IN_FEW_FILES },
    raven: ravendb.url,
    refuse: ({ url }) => !gate.open && url.startsWith("/raven"),
  });
  const { open, problems } = await profile(t);
  const days = ["2026-01-01", "2026-02-01", "2026-03-01"].map((day) => `${day}T00:00:00.0000000Z`);
  await bulk(
    ravendb,
    base,
    notes(6, (at) => note(at < 3 ? "ann" : "bob", { at, on: days[at % 3] })),
  );
  const page = await open(site.url);
  await page.waitForFunction(() => globalThis.loaded);
  await page.evaluate((base) => {
    const since = new Date("2026-02-01T00:00:00Z");
    const sets = { mine: { named: "recent", parameters: { since } }, all: { named: "recent" } };
    globalThis.store = globalThis.open(base, { automatic: false, sets });
    const query = "from Notes where owner = $owner and on >= $since";
    const parameters = { since: { type: "date", default: "2020-01-01" } };
    store.named({ claims: ["owner"], queries: { recent: { query, parameters } } }, { owner: "ann" });
    globalThis.ask = (since, take) => {
      const query = store.openSession().query({ named: "recent", ...(since && { parameters: { since } }) });
      if (take) query.take(take);
      return query.all().then(
        (results) => results.map(({ at }) => at).sort(),
        ({ code }) => code,
      );
    };
  }, base);
  await page.evaluate(() => store.offline.set("mine").sync());
  gate.open = false;
  const seen = await page.evaluate(async () => {
    const day = new Date("2026-02-01T00:00:00Z");
    return [
      await ask(day),
      await ask(day, 2),
      await ask(day, 1),
      await ask(new Date("2026-02-02T00:00:00Z")),
      await ask(),
    ];
  });
  assert.deepEqual(seen, [[1, 2], [1, 2], "Unreachable", "Unreachable", "Unreachable"]);
  gate.open = true;
  await page.evaluate(() => store.offline.set("all").sync());
  gate.open = false;
  assert.deepEqual(await page.evaluate(() => ask()), [0, 1, 2]);
  assert.deepEqual(problems, []);
});

test("a tab is told what another one queues, gives up and saves, with the documents", options, async (t) => {
  const { base, page, tab, gate } = await followed(t, {
    ...notes(2, (at) => note("ann", { at })),
    "Notes/2": note("ann", { at: 2 }),
    "notes/3": note("ann", { at: 3 }),
  });
  const other = await tab();
  await other.evaluate(async () => {
    const set = follow("all");
    await set.documents();
    /** What the set tells until `fits`: the ids, with what the app shows of each document. */
    globalThis.changes = (fits) =>
      new Promise((resolve) => {
        const seen = { added: {}, changed: {}, removed: [] };
        const listen = ({ added, changed, removed }) => {
          for (const [name, list] of Object.entries({ added, changed }))
            for (const { at, id, "@metadata": meta } of list)
              seen[name][id] = [at, meta["@change-vector"].startsWith("queued:")];
          seen.removed.push(...removed);
          if (!fits(seen)) return;
          set.off("change", listen);
          resolve(seen);
        };
        set.on("change", listen);
      });
  });
  /** Listens before anything changes; resolves with how to wait for what was told. */
  const listens = async (fits) => {
    await other.evaluate(`void (globalThis.told = changes(${fits}))`);
    return () => other.evaluate(() => globalThis.told);
  };
  gate.open = false;
  const told = await listens(({ removed }) => removed.length > 0);
  const own = page.evaluate(
    () =>
      new Promise((resolve) => {
        follow("all").on("change", ({ added, changed, removed }) =>
          resolve([ids(added), ids(changed), removed]),
        );
        (async () => {
          const session = store.openSession();
          (await session.load("notes/1")).at = "mine";
          session.delete("notes/2");
          await session.store(
            { owner: "ann", at: "new", "@metadata": { "@collection": "Notes" } },
            "notes/New",
          );
          await session.queueChanges();
        })();
      }),
  );
  const expected = {
    added: { "notes/New": ["new", true] },
    changed: { "notes/1": ["mine", true] },
    removed: ["Notes/2"],
  };
  assert.deepEqual(await told(), expected);
  assert.deepEqual(await own, [["notes/New"], ["notes/1"], ["Notes/2"]], "and so is the tab itself");
  assert.deepEqual(await other.evaluate(async () => ids(await store.offline.set("all").documents())), [
    "notes/0",
    "notes/1",
    "notes/3",
    "notes/New",
  ]);
  // Given up.
  const back = await listens(({ removed }) => removed.length > 0);
  await page.evaluate(async () => {
    for (const change of await store.offline.changes()) await store.offline.discard(change);
  });
  assert.deepEqual(await back(), {
    added: { "Notes/2": [2, false] },
    changed: { "notes/1": [1, false] },
    removed: ["notes/New"],
  });
  // Saved: the same document with the server's version.
  gate.open = true;
  const saved = await listens(({ changed }) => changed["notes/3"]?.[1] === false);
  await page.evaluate(async () => {
    await edit(store, "notes/3", (note) => (note.at = "saved"));
    await store.offline.flush();
  });
  assert.deepEqual((await saved()).changed, { "notes/3": ["saved", false] });
  assert.equal((await document(ravendb, base, "notes/3")).at, "saved");
  // By others: a comparison of the other tab finds it.
  await page.close();
  await deleted(base, "notes/2");
  const lost = await listens(({ removed }) => removed.length > 0);
  await sync(other, "all");
  assert.deepEqual((await lost()).removed, ["Notes/2"]);
});

test(
  "documents that an older version of the app has kept are shown as the new one reads them",
  options,
  async (t) => {
    const { base, page, gate, load } = await followed(
      t,
      notes(4, (at) => note(at < 3 ? "ann" : "bob", { at, name: `n${at}` })),
    );
    await bulk(ravendb, base, { "notes/9": note("ann", { name: "n9" }) });
    await page.evaluate(() => store.offline.prefetch(["notes/9"]));
    const before = await versions(page, "all");
    const upgrade = `({ name, ...rest }, { id, version }) => ({
    title: name + " of " + version + " " + id, ...rest, "@metadata": { "@collection": "Notes", "@id": "other" },
  })`;
    gate.open = false;
    await load(page, { sets: SETS, version: 2, upgrade });
    const titles = () =>
      page.evaluate(async () => {
        const found = await store.offline.set("all").documents();
        return Object.fromEntries(
          found.map(({ title, name, "@metadata": meta }) => [meta["@id"], title ?? name]),
        );
      });
    const old = (at) => `n${at} of 0 notes/${at}`;
    assert.deepEqual(await titles(), { "notes/0": old(0), "notes/1": old(1), "notes/2": old(2) });
    assert.deepEqual(await versions(page, "all"), before, "versions stay");
    // Sessions are shown the same, and a change of it is a change of that version.
    const seen = await page.evaluate(async () => {
      const session = store.openSession();
      const [first, kept] = [await session.load("notes/1"), await session.load("notes/9")];
      const isChanged = session.advanced.hasChanges();
      first.at = "changed";
      await session.queueChanges();
      const [change] = await store.offline.changes();
      const [{ before }] = await change.details();
      return [first.title, kept.title, isChanged, before.title];
    });
    assert.deepEqual(seen, [old(1), old(9), false, old(1)]);
    gate.open = true;
    assert.equal(await page.evaluate(() => store.offline.flush()), true);
    const { at, title, name } = await document(ravendb, base, "notes/1");
    assert.deepEqual([at, title, name], ["changed", old(1), undefined]);
    // What the new version keeps is not rewritten.
    await bulk(ravendb, base, { "notes/2": note("ann", { at: 2, name: "by another" }) });
    assert.equal((await sync(page, "all")).isComplete, true);
    const now = await titles();
    assert.deepEqual([now["notes/0"], now["notes/1"], now["notes/2"]], [old(0), old(1), "by another"]);
    // A function that fails is reported, and nothing is lost.
    gate.open = false;
    await load(page, { sets: SETS, version: 3, upgrade: `() => { throw new TypeError("no title"); }` });
    const failed = await page.evaluate(async () => {
      const shown = ({ code, message }) => [code, message];
      return [
        await store.offline.set("all").documents().catch(shown),
        await store.openSession().load("notes/0").catch(shown),
      ];
    });
    for (const [code, message] of failed) {
      assert.equal(code, "InvalidOperation");
      assert.match(
        message,
        /upgrade of notes\/\d, which version [02] of the app has kept: TypeError: no title/,
      );
    }
    await load(page, { sets: SETS });
    assert.deepEqual(Object.values(await titles()).sort(), [old(1), "by another", "n0", "n9"].sort());
  },
);
