// `raven-edge/tanstack-db` over sets: two tabs of Chromium through the gateway before the real RavenDB.
import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";
import { blocksOf } from "../docs/blocks.mjs";
import { bulk, note } from "../support/callers.mjs";
import { missingChromium, profile } from "../support/chromium.mjs";
import { gateway } from "../support/gateway.mjs";
import { receiptsOf } from "../support/offline.mjs";
import { pkg } from "../support/pages.mjs";
import { root } from "../support/root.mjs";
import { serve } from "../support/serve.mjs";
import { database, document, missing, putDocument, ravendb, send } from "../support/server.mjs";

const PAGE = `<!doctype html><meta charset=utf-8><title>tanstack-db</title>
<script type=importmap>{ "imports": { "@tanstack/db": "/tanstack.js" } }</script>
<script type=module>
  import { createCollection, createLiveQueryCollection, createTransaction, eq } from "@tanstack/db";
  import { DocumentStore } from "/lib/entries/web.js";
  import { offline } from "/lib/entries/offline.js";
  import { ravenCollectionOptions } from "/lib/tanstack-db/collection-options.js";

  globalThis.begin = async (base) => {
    globalThis.store = new DocumentStore("/raven", base, {
      keep: Infinity,
      timeout: 5_000,
      headers: () => ({ "x-user": "ann" }),
      offline: offline({ user: "ann", sets: {
        notes: { named: "open", collection: "Notes" },
        comments: { collection: "Comments" },
      } }),
    }).initialize();
    globalThis.notes = createCollection(ravenCollectionOptions({ store, set: "notes", collection: "Notes" }));
    globalThis.comments = createCollection(ravenCollectionOptions({ store, set: "comments", collection: "Comments" }));
    // What the live query shows, after each of its changes.
    globalThis.live = createLiveQueryCollection((q) =>
      q.from({ note: notes }).where(({ note }) => eq(note.status, "open")).orderBy(({ note }) => note.at, "desc").limit(50));
    globalThis.emitted = {};
    live.subscribeChanges((changes) => {
      for (const { type, key, value } of changes) {
        const next = type === "delete" ? "deleted" : value.at;
        const values = (emitted[key] ??= []);
        if (values.at(-1) !== next) values.push(next);
      }
    }, { includeInitialState: true });
    await Promise.all([notes.preload(), comments.preload(), live.preload()]);
    // Ids for times without a connection.
    globalThis.reserve = () => Promise.all(["notes", "comments"].map((tag) => store.hilo(tag).reserve(10)));
  };
  globalThis.shows = (collection, key, fits) => new Promise((resolve) => {
    let subscription;
    const check = () => {
      if (!fits(collection.get(key))) return;
      subscription?.unsubscribe();
      resolve();
    };
    // Without the rows of before it would hear nothing of their deletion.
    subscription = collection.subscribeChanges(check, { includeInitialState: true });
    check();
  });
  globalThis.both = () => createTransaction({ mutationFn: notes.utils.saveAll });
  globalThis.loaded = true;
</script>`;

/** TanStack DB as one module. */
async function tanstack() {
  const { outputFiles } = await build({
    stdin: { contents: 'export * from "@tanstack/db";', resolveDir: root },
    bundle: true,
    format: "esm",
    define: { "process.env.NODE_ENV": '"development"' },
    write: false,
  });
  return outputFiles[0].text;
}

test("a set as a collection of TanStack DB: two tabs, offline, over a reload, with a conflict", {
  skip: missingChromium || missing(ravendb),
  timeout: 120_000,
}, async (t) => {
  const { url, base, wire } = await gateway(t, {
    options: {
      claims: ["name"],
      collections: {
        Notes: { allow: "write", rows: { owner: "$name" } },
        Comments: { allow: "write", rows: { owner: "$name" } },
      },
      queries: { open: { query: "from Notes where status = 'open'", set: true, wait: 15_000 } },
      sets: { comments: { collection: "Comments" } },
    },
    functions: `authorize: (request) => ({ name: request.headers.get("x-user") })`,
  });
  const code = await tanstack();
  const gate = { open: true };
  const site = await serve(t, {
    folder: pkg,
    pages: { "/": PAGE },
    handlers: {
      "/tanstack.js": (_, response) =>
        response.writeHead(200, { "content-type": "text/javascript" }).end(code),
    },
    raven: url,
    refuse: (request) => !gate.open && request.url.startsWith("/raven"),
  });
  const { open, problems } = await profile(t);
  const tab = async () => {
    const page = await open(site.url);
    await page.waitForFunction(() => globalThis.loaded);
    await page.evaluate((base) => begin(base), base);
    return page;
  };
  const saves = () => wire.requests.filter(({ path }) => path.endsWith("/bulk_docs")).length;
  const all = async (collection) => {
    const { json } = await send(ravendb.url, "POST", `/databases/${base}/queries`, {
      Query: `from ${collection}`,
    });
    return Object.fromEntries(json.Results.map((each) => [each["@metadata"]["@id"], each]));
  };
  const notes = Array.from({ length: 20 }, (_, at) => [`notes/${at}`, note("ann", { at, status: "open" })]);
  await bulk(ravendb, base, Object.fromEntries(notes));

  const [first, second] = [await tab(), await tab()];
  assert.equal(await first.evaluate(() => live.size), 20);

  await first.evaluate(() => reserve());
  // Without a connection: a transaction over two collections, and edits in both tabs.
  gate.open = false;
  const before = saves();
  const made = await first.evaluate(async () => {
    const [id, comment] = [await notes.utils.nextId(), await comments.utils.nextId()];
    const transaction = both();
    transaction.mutate(() => {
      notes.insert({ id, owner: "ann", status: "open", at: 100 });
      comments.insert({ id: comment, owner: "ann", note: id });
    });
    const key = id.toLowerCase();
    const inCall = [notes.has(key), live.has(key), comments.size];
    await transaction.when("settled");
    inCall.push(notes.utils.pending(id).length, comments.utils.pending(comment).length);
    const edit = notes.update(key, (draft) => {
      draft.at = 101;
    });
    await edit.when("settled");
    return {
      id,
      comment,
      key,
      inCall,
      waiting: notes.utils.pending(id).length,
      version: notes.utils.versionOf(id) ?? null,
    };
  });
  assert.deepEqual(
    made.inCall,
    [true, true, 1, 1, 1],
    "shown in the same call, and pending when it is on disk",
  );
  assert.deepEqual([made.waiting, made.version], [2, null]);
  await second.evaluate((key) => shows(live, key, (row) => row?.at === 101), made.key);
  await second.evaluate(async () => {
    await notes
      .update("notes/1", (draft) => {
        draft.at = 201;
      })
      .when("settled");
    await notes.delete("notes/2").when("settled");
  });
  await first.evaluate(() => shows(live, "notes/1", (row) => row?.at === 201));
  await first.evaluate(() => shows(live, "notes/2", (row) => row === undefined));
  // Somebody else changes what this device changes.
  await putDocument(ravendb, base, "notes/3", note("ann", { at: 33, status: "open" }));
  await first.evaluate(() =>
    notes
      .update("notes/3", (draft) => {
        draft.at = 303;
      })
      .when("settled"),
  );

  await first.reload();
  await first.waitForFunction(() => globalThis.loaded);
  await first.evaluate((base) => begin(base), base);
  assert.deepEqual(
    await first.evaluate(
      (key) => [live.get(key)?.at, live.get("notes/1")?.at, live.has("notes/2"), live.get("notes/3").at],
      made.key,
    ),
    [101, 201, false, 303],
  );
  assert.equal(saves(), before);

  gate.open = true;
  await first.evaluate(() => dispatchEvent(new Event("online")));
  await first.evaluate(
    () =>
      new Promise((resolve) => {
        const check = ({ conflicts, queued, sending }) =>
          conflicts === 1 && queued + sending === 0 && resolve();
        store.on("offline", check);
        check(store.offline.status());
      }),
  );
  const conflict = await first.evaluate(async () => {
    const [
      {
        documents: [{ id, mine, theirs }],
      },
    ] = await notes.utils.conflicts();
    const others = await comments.utils.conflicts();
    await notes.utils.resolve("Notes/3", { ...notes.get("notes/3"), at: 333 });
    await store.offline.flush();
    return { id, mine: mine.at, theirs: theirs.at, others: others.length };
  });
  assert.deepEqual(conflict, { id: "notes/3", mine: 303, theirs: 33, others: 0 });
  for (const page of [first, second]) {
    // A new version of an unchanged row is no change that a collection tells.
    const isSaved = (id) => live.get("notes/3")?.at === 333 && ["notes/3", id].every(notes.utils.versionOf);
    await page.waitForFunction(isSaved, made.id, { polling: 20 });
  }
  const stored = await all("Notes");
  assert.deepEqual(
    [stored[made.id].at, stored["notes/1"].at, stored["notes/2"], stored["notes/3"].at],
    [101, 201, undefined, 333],
  );
  assert.equal(Object.keys(stored).length, 20, "one more, one less");
  assert.deepEqual(Object.keys(await all("Comments")), [made.comment], "saved once");
  assert.equal((await receiptsOf(base)).length, 1);

  // Somebody else: a document that this user may no longer see, a new one, a deleted one.
  await putDocument(ravendb, base, "notes/4", note("bob", { at: 4, status: "open" }));
  await putDocument(ravendb, base, "notes/new", note("ann", { at: 400, status: "open" }));
  await send(ravendb.url, "DELETE", `/databases/${base}/docs?id=notes/5`);
  await first.evaluate(() => store.offline.set("notes").sync());
  for (const page of [first, second]) {
    await page.evaluate(() => shows(live, "notes/new", (row) => row?.at === 400));
    for (const key of ["notes/4", "notes/5"])
      await page.evaluate((key) => shows(live, key, (row) => row === undefined), key);
  }
  // Nothing was shown that was not so: no insert vanished, no row went back to an earlier version.
  const [one, other] = [await first.evaluate(() => emitted), await second.evaluate(() => emitted)];
  assert.deepEqual(other[made.key], [100, 101].slice(other[made.key][0] === 101 ? 1 : 0));
  assert.deepEqual(one[made.key], [101]);
  assert.deepEqual([one["notes/1"], other["notes/1"]], [[201], [1, 201]]);
  assert.deepEqual(other["notes/2"], [2, "deleted"]);
  assert.deepEqual(
    [one["notes/3"], other["notes/3"]],
    [
      [303, 333],
      [3, 303, 333],
    ],
  );
  assert.deepEqual(
    [one["notes/4"], one["notes/5"]],
    [
      [4, "deleted"],
      [5, "deleted"],
    ],
  );
  for (const key of ["notes/0", "notes/19"]) assert.equal(one[key].length, 1);

  // A session has loaded a newer version than the row has: other members are changed, the same ones are a conflict.
  await putDocument(ravendb, base, "notes/6", note("ann", { at: 66, status: "open" }));
  const [refused, taken] = await first.evaluate(async () => {
    await store.openSession().load("notes/6");
    const refused = await notes
      .update("notes/6", (draft) => {
        draft.at = 600;
      })
      .when("settled")
      .catch(({ code }) => code);
    await notes
      .update("notes/6", (draft) => {
        draft.text = "mine";
      })
      .when("settled");
    return [refused, [notes.get("notes/6").at, notes.get("notes/6").text]];
  });
  assert.equal(refused, "Concurrency");
  assert.deepEqual(taken, [66, "mine"]);

  // A new document that is given up is nowhere; a change that is given up shows what was before.
  await first.evaluate(() => store.offline.pause());
  gate.open = false;
  const discarded = await first.evaluate(async () => {
    await notes.insert({ id: "notes/never", owner: "ann", status: "open", at: 500 }).when("settled");
    await notes
      .update("notes/7", (draft) => {
        draft.at = 700;
      })
      .when("settled");
    const shown = [live.get("notes/never")?.at, live.get("notes/7").at];
    for (const change of await store.offline.changes())
      if (["notes/never", "notes/7"].includes(change.documents[0])) await store.offline.discard(change);
    return shown;
  });
  assert.deepEqual(discarded, [500, 700]);
  await first.evaluate(() => shows(live, "notes/never", (row) => row === undefined));
  await first.evaluate(() => shows(live, "notes/7", (row) => row.at === 7));

  // The next user of the page sees nothing of this one.
  await first.evaluate(() => store.dispose());
  assert.deepEqual(await first.evaluate(() => [notes.size, live.size]), [0, 0]);
  assert.deepEqual(problems, []);
});

test("a change that waits costs the same, however many wait; a tab shows what a session or another tab queues", {
  skip: missingChromium || missing(ravendb),
  timeout: 120_000,
}, async (t) => {
  const base = await database(t, ravendb);
  await bulk(
    ravendb,
    base,
    Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`notes/${at}`, note("ann", { at, status: "open" })]),
    ),
  );
  const code = await tanstack();
  const page = PAGE.replace('user: "ann",', 'user: "ann", automatic: false,').replace(
    'named: "open", collection',
    "collection",
  );
  const handlers = {
    "/tanstack.js": (_, response) => response.writeHead(200, { "content-type": "text/javascript" }).end(code),
  };
  const site = await serve(t, { folder: pkg, pages: { "/": page }, handlers, raven: ravendb.url });
  const { open, problems } = await profile(t);
  const tab = async () => {
    const page = await open(site.url);
    await page.waitForFunction(() => globalThis.loaded);
    await page.evaluate(async (base) => {
      const begun = begin(base);
      store.named({});
      await Promise.all(["notes", "comments"].map((set) => store.offline.set(set).sync()));
      await begun;
      globalThis.put = (key, at) =>
        notes
          .update(key, (draft) => {
            draft.at = at;
          })
          .when("settled");
      globalThis.counted = 0;
      for (const [type, ...names] of [
        [IDBDatabase, "transaction"],
        [IDBObjectStore, "get", "getAll", "put"],
        [IDBIndex, "get", "getAll", "count"],
      ])
        for (const name of names) {
          const real = type.prototype[name];
          type.prototype[name] = function (...values) {
            counted++;
            return real.apply(this, values);
          };
        }
    }, base);
    return page;
  };
  const [first, second] = [await tab(), await tab()];
  const costs = await first.evaluate(async () => {
    const costs = [];
    for (let at = 0; at < 30; at++) {
      const before = counted;
      await put(`notes/${at}`, 100 + at);
      costs.push(counted - before);
    }
    return costs;
  });
  // Two transactions. One reads the document and what waits for it, the other one the queue, and writes three records.
  assert.deepEqual(costs.slice(-10), Array(10).fill(9), `${costs}`);
  await second.evaluate(() => shows(live, "notes/29", (row) => row?.at === 129));

  // Changes of sessions, and of the other tab between two of this one.
  await second.evaluate(async () => {
    const session = store.openSession({ offline: "only" });
    (await session.load("notes/0")).at = 1_000;
    await session.queueChanges();
    await shows(live, "notes/0", (row) => row?.at === 1_000);
    await put("notes/1", 1_001);
  });
  await first.evaluate(() => put("notes/2", 1_002));
  await first.evaluate(() => shows(live, "notes/1", (row) => row?.at === 1_001));
  await second.evaluate(() => put("notes/2", 1_003));
  await first.evaluate(() => shows(live, "notes/2", (row) => row?.at === 1_003));
  assert.deepEqual(await first.evaluate(() => [0, 1, 2, 3].map((at) => emitted[`notes/${at}`])), [
    [0, 100, 1_000],
    [1, 101, 1_001],
    [2, 102, 1_002, 1_003],
    [3, 103],
  ]);
  assert.deepEqual(problems, []);
});

test("the example of docs/tanstack-db.md", {
  skip: missingChromium || missing(ravendb),
  timeout: 60_000,
}, async (t) => {
  const base = await database(t, ravendb);
  const [example] = blocksOf("docs/tanstack-db.md");
  const code = example.code.replaceAll('"Shop"', JSON.stringify(base));
  const imports = {
    "@tanstack/db": "/tanstack.js",
    "raven-edge": "/lib/entries/web.js",
    "raven-edge/offline": "/lib/entries/offline.js",
    "raven-edge/tanstack-db": "/lib/tanstack-db/collection-options.js",
  };
  const page = `<!doctype html><meta charset=utf-8><title>example</title>
    <script type=importmap>${JSON.stringify({ imports })}</script>
    <script type=module>globalThis.example = await import("/example.js");</script>`;
  const script = (text) => (_, response) =>
    response.writeHead(200, { "content-type": "text/javascript" }).end(text);
  const site = await serve(t, {
    folder: pkg,
    pages: { "/": page },
    handlers: { "/tanstack.js": script(await tanstack()), "/example.js": script(code) },
    raven: ravendb.url,
  });
  const { open, problems } = await profile(t);
  const tab = await open(site.url);
  await tab.waitForFunction(() => globalThis.example);
  const shown = await tab.evaluate(async () => {
    const { newest, notes, comments, add } = example;
    await Promise.all([newest.preload(), comments.preload()]);
    await add("first");
    await notes.utils.pending("notes/1-A").at(0)?.saved;
    return [
      newest.toArray.map(({ id, status }) => [id, status]),
      comments.toArray.map(({ note, text }) => [note, text]),
    ];
  });
  assert.deepEqual(shown, [[["notes/1-A", "open"]], [["notes/1-A", "first"]]]);
  assert.equal((await document(ravendb, base, "comments/1-A")).note, "notes/1-A");
  assert.deepEqual(problems, []);
});
