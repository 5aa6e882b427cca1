// Attachments in a page: a file goes up with its document and comes down again, with progress, and without being held in memory.
// The code is loaded by the first call, and so is that of counters, revisions, compare-exchange values, subscriptions and bulk inserts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { missingChromium, visit } from "../support/chromium.mjs";
import { serve } from "../support/serve.mjs";
import { database, document, missing, ravendb } from "../support/server.mjs";

const pkg = fileURLToPath(new URL("../../pkg", import.meta.url));
const PAGE = "<!doctype html><meta charset=utf-8><title>raven-edge</title>";
const SIZE = (process.env.RAVEN_EDGE_FULL === "1" ? 200 : 32) << 20;

/** Only the store: other exports would bring the code of attachments along. */
const APP = `export { DocumentStore, PutAttachmentOperation } from "/lib/entries/web.js";`;

function inChromium(name, body) {
  test(name, { skip: missingChromium || missing(ravendb), timeout: 60_000 }, async (t) => {
    const name_ = await database(t, ravendb);
    const handlers = {
      "/app.js": (_, response) => response.writeHead(200, { "content-type": "text/javascript" }).end(APP),
    };
    const site = await serve(t, { folder: pkg, pages: { "/": PAGE }, handlers, raven: ravendb.url });
    await body(t, name_, await visit(t, site.url));
  });
}

inChromium(
  `a file of ${SIZE >> 20} MB goes up and down in Chromium [RavenDB]`,
  async (t, name, { page, problems }) => {
    const devtools = await page.context().newCDPSession(page);
    const held = [];
    /** Measures what the page holds: garbage is collected before. */
    await page.exposeFunction("measure", async () => {
      await devtools.send("HeapProfiler.collectGarbage");
      const {
        usedSize,
        embedderHeapUsedSize = 0,
        backingStorageSize = 0,
      } = await devtools.send("Runtime.getHeapUsage");
      held.push(usedSize + embedderHeapUsedSize + backingStorageSize);
    });
    const seen = await page.evaluate(
      async ([name, size]) => {
        const { DocumentStore } = await import("/app.js");
        const store = new DocumentStore("/raven", name).initialize();
        const session = store.openSession();
        const entity = { "@metadata": { "@collection": "Files" } };
        await session.store(entity, "files/1");
        // Random bytes, which cannot be compressed on their way.
        const random = () => new Blob([crypto.getRandomValues(new Uint8Array(1 << 16))]);
        const file = new File(Array.from({ length: size >> 16 }, random), "file.bin");
        await globalThis.measure();
        const progress = [];
        session.advanced.attachments.store(entity, {
          name: "file.bin",
          stream: file,
          contentType: "application/x-random",
          onProgress: (...given) => progress.push(given),
        });
        const saving = session.saveChanges();
        await globalThis.measure();
        await saving;
        await globalThis.measure();
        const names = session.advanced.attachments.getNames(entity);
        const found = await session.advanced.attachments.get(entity, "file.bin");
        const blob = await found.blob();
        await globalThis.measure();
        const ends = [file, blob].map((each) => each.slice(-9, -1).text());
        const part = await session.advanced.attachments.getRange(entity, "file.bin", size - 9, size - 2);
        const [sent, read, range] = await Promise.all([...ends, part.text()]);
        const isEqual = sent === read && read === range;
        await store.dispose();
        const isGrowing = progress.every(([sent], at) => at === 0 || sent >= progress[at - 1][0]);
        return {
          names,
          size: blob.size,
          type: blob.type,
          isEqual,
          isGrowing,
          last: progress.at(-1),
          steps: progress.length,
        };
      },
      [name, SIZE],
    );
    const { names, size, type, isEqual, isGrowing, last, steps } = seen;
    const grown = Math.max(...held) - held[0];
    t.diagnostic(`${grown} bytes more`);
    assert.deepEqual(
      names.map(({ name, size, contentType }) => [name, size, contentType]),
      [["file.bin", SIZE, "application/x-random"]],
    );
    assert.deepEqual([size, type, isEqual], [SIZE, "application/x-random", true]);
    assert.ok(grown < 16 << 20, `${grown} bytes more`);
    assert.deepEqual([isGrowing, last], [true, [SIZE, SIZE]]);
    assert.ok(steps > 2, `${steps} reports of progress`);
    assert.deepEqual(problems, []);
  },
);

inChromium(
  "calls before the code is loaded take effect in order, or refuse the next save once [RavenDB]",
  async (_, name, { page, problems }) => {
    const seen = await page.evaluate(async (name) => {
      const { DocumentStore } = await import("/app.js");
      const store = new DocumentStore("/raven", name).initialize();
      const session = store.openSession();
      const { attachments } = session.advanced;
      const entity = { "@metadata": { "@collection": "Files" } };
      await session.store(entity, "files/1");
      attachments.store(entity, "a.txt", "alpha", "text/plain");
      attachments.store({}, "b.txt", "beta");
      attachments.store("files/1", "c.txt", new Blob(["gamma"]).stream());
      const refused = [];
      for (let tries = 0; tries < 3; tries++)
        await session.saveChanges().then(
          () => refused.push("saved"),
          ({ code }) => refused.push(code),
        );
      const text = await (await attachments.get("files/1", "a.txt")).text();
      const exists = [
        await attachments.exists("files/1", "a.txt"),
        await attachments.exists("files/1", "b.txt"),
      ];
      let later;
      try {
        session.advanced.attachments.store("files/1", "c.txt", new Blob(["gamma"]).stream());
      } catch ({ code }) {
        later = code;
      }
      const { PutAttachmentOperation } = await import("/app.js");
      const put = new PutAttachmentOperation("files/1", "c.txt", new Blob(["gamma"]).stream());
      const operation = await store.operations.send(put).catch(({ code, outcome }) => [code, outcome]);
      await store.dispose();
      return { refused, text, exists, later, operation };
    }, name);
    assert.deepEqual(seen, {
      refused: ["InvalidArgument", "Unsupported", "saved"],
      text: "alpha",
      exists: [true, false],
      later: "Unsupported",
      operation: ["Unsupported", "not saved"],
    });
    const stored = await document(ravendb, name, "files/1");
    assert.deepEqual(
      stored["@metadata"]["@attachments"].map(({ Name }) => Name),
      ["a.txt"],
    );
    assert.deepEqual(problems, []);
  },
);

inChromium(
  "counters before their code is loaded are saved, included and read [RavenDB]",
  async (_, name, { page, problems }) => {
    const seen = await page.evaluate(async (name) => {
      const { DocumentStore } = await import("/app.js");
      const store = new DocumentStore("/raven", name).initialize();
      const session = store.openSession();
      const entity = { "@metadata": { "@collection": "Files" } };
      await session.store(entity, "files/1");
      session.countersFor(entity).increment("likes", 2);
      session.countersFor("files/1").increment("likes");
      session.countersFor(entity).increment("views", 0.5);
      session.countersFor({}).increment("views");
      const refused = [];
      for (let tries = 0; tries < 3; tries++)
        await session.saveChanges().then(
          () => refused.push("saved"),
          ({ code }) => refused.push(code),
        );
      // An async function may return the object of a capability.
      const counters = await (async () => session.countersFor(entity))();
      const known = [await counters.get("likes"), session.advanced.numberOfRequests];
      const loading = store.openSession();
      await loading.load("files/1", { includes: (include) => include.includeCounters(["likes", "none"]) });
      const loaded = [await loading.countersFor("files/1").get(["likes"]), loading.advanced.numberOfRequests];
      const querying = store.openSession();
      await querying
        .query({ collection: "Files" })
        .include((include) => include.includeAllCounters())
        .all();
      const queried = [await querying.countersFor("files/1").getAll(), querying.advanced.numberOfRequests];
      const raw = store.openSession();
      await raw.advanced.rawQuery("from Files include counters('likes')").all();
      const included = [await raw.countersFor("files/1").get("likes"), raw.advanced.numberOfRequests];
      let later;
      try {
        session.countersFor({});
      } catch ({ code }) {
        later = code;
      }
      const failed = await store
        .openSession()
        .load("files/1", { includes: (include) => include.includeNothing() })
        .catch(({ code }) => code);
      await store.dispose();
      return { refused, known, loaded, queried, included, later, failed };
    }, name);
    assert.deepEqual(seen, {
      refused: ["InvalidArgument", "InvalidArgument", "saved"],
      known: [3, 1],
      loaded: [{ likes: 3 }, 1],
      queried: [{ likes: 3 }, 1],
      included: [3, 1],
      later: "InvalidArgument",
      failed: "InvalidArgument",
    });
    assert.deepEqual(problems, []);
  },
);

inChromium(
  "revisions and compare-exchange values before their code is loaded; subscriptions are managed in a page, and their workers refused [RavenDB]",
  async (_, name, { page, problems }) => {
    const seen = await page.evaluate(async (name) => {
      const { DocumentStore } = await import("/app.js");
      const store = new DocumentStore("/raven", name).initialize();
      const session = store.openSession();
      const note = { text: "1", "@metadata": { "@collection": "Notes" } };
      await session.store(note, "notes/1");
      await session.saveChanges();
      note.text = "2";
      session.advanced.revisions.forceRevisionCreationFor(note);
      await session.saveChanges();
      const lazy = store.openSession().advanced.revisions.lazily.getFor("notes/1");
      const [revision] = await store.openSession().advanced.revisions.getFor("notes/1");
      const [again] = await lazy.getValue();
      const reading = store.openSession();
      const now = new Date();
      await reading.load("notes/1", { includes: (builder) => builder.includeRevisions(now) });
      const before = await reading.advanced.revisions.get("notes/1", now);
      const texts = [revision.text, again.text, before.text, reading.advanced.numberOfRequests];
      const inCluster = () => store.openSession({ transactionMode: "ClusterWide" });
      const writing = inCluster();
      const values = writing.advanced.clusterTransaction;
      const made = values.createCompareExchangeValue("k/1", "x");
      made.metadata.mine = "yes";
      values.createCompareExchangeValue("k/1", "y");
      const taken = await writing.saveChanges().catch(({ code }) => code);
      await writing.saveChanges();
      const isOne = (await writing.advanced.clusterTransaction.getCompareExchangeValue("k/1")) === made;
      const found = await inCluster()
        .advanced.clusterTransaction.lazily.getCompareExchangeValue("k/1")
        .getValue();
      const saved = [
        taken,
        isOne,
        made.index === found.index,
        found.value,
        found.metadata,
        made.hasMetadata(),
      ];
      const created = await store.subscriptions.create({ name: "notes", query: "from Notes" });
      const worker = store.subscriptions.getSubscriptionWorker(created);
      const refused = new Promise((resolve) => worker.on("error", (error) => resolve(error.code)));
      const ended = new Promise((resolve) => worker.on("end", resolve));
      worker.on("batch", () => {});
      const outcome = [await refused, await ended, worker.subscriptionName];
      await store.subscriptions.delete(created);
      await store.dispose();
      return [texts, saved, outcome];
    }, name);
    assert.deepEqual(seen, [
      ["1", "1", "1", 1],
      ["InvalidOperation", true, true, "x", { mine: "yes" }, true],
      ["Unsupported", undefined, "notes"],
    ]);
    assert.deepEqual(problems, []);
  },
);

inChromium(
  "a bulk insert of a page goes in chunks; a failure says which of them are stored [RavenDB]",
  async (_, name, { page, problems }) => {
    const sent = [];
    page.on("request", (request) => {
      if (request.url().includes("/bulk_insert")) sent.push(request.postDataBuffer()?.length ?? 0);
    });
    const seen = await page.evaluate(async (name) => {
      const { DocumentStore } = await import("/app.js");
      const store = new DocumentStore("/raven", name).initialize();
      const entity = (n) => ({ n, text: "x".repeat(1_000), "@metadata": { "@collection": "Orders" } });
      // The code of bulk inserts is loaded by the first call.
      const early = store.bulkInsert();
      const isStored = early.tryStoreSync(entity(0), "early/0");
      const counters = early.countersFor("early/1");
      await early.store(entity(1), "early/1");
      await counters.increment("likes", 3);
      await early.attachmentsFor("early/1").store("a.txt", new Blob(["alpha"]), "text/plain");
      await early.finish();
      const bulk = store.bulkInsert({ useCompression: true });
      const ids = [];
      for (let n = 0; n < 3_000; n++) {
        const made = entity(n);
        await bulk.store(made);
        ids.push(made.id);
      }
      await bulk.finish();
      const bad = store.bulkInsert();
      let error;
      try {
        for (let n = 0; n < 5_000; n++)
          await bad.store(
            { ...entity(n), "@metadata": { "@collection": n === 2_500 ? "Others" : "Orders" } },
            n === 2_500 ? "early/1" : `bad/${n}`,
          );
        await bad.finish();
      } catch ({ code, lastStoredId, storedCount }) {
        error = { code, lastStoredId, storedCount };
      }
      await store.dispose();
      return { isStored, ids: new Set(ids).size, error };
    }, name);
    assert.deepEqual([seen.isStored, seen.ids], [false, 3_000]);
    const { code, lastStoredId, storedCount } = seen.error;
    assert.equal(code, "BulkInsertAborted");
    assert.ok(storedCount > 0 && storedCount <= 2_500, `${storedCount}`);
    assert.equal(lastStoredId, `bad/${storedCount - 1}`);
    for (const id of ["early/1", lastStoredId]) assert.ok(await document(ravendb, name, id), id);
    const found = await fetch(`${ravendb.url}/databases/${name}/collections/stats`);
    assert.ok((await found.json()).Collections.Orders >= 3_001 + storedCount);
    assert.ok(sent.length >= 1 + 3 + 3, `${sent.length} chunks`);
    assert.deepEqual(
      problems.filter((problem) => !/status of 500/.test(String(problem))),
      [],
    );
  },
);
