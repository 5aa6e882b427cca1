// What `queueChanges` refuses, each with an error that says what to do; the session stays as it was.
import assert from "node:assert/strict";
import { withQueue } from "../support/offline.mjs";
import { document, ravendb, shardedDatabase } from "../support/server.mjs";

withQueue(
  "what cannot be queued is refused by name, and the session stays as it was",
  async ({ page, base }) => {
    const refused = await page.evaluate(async (name) => {
      const { DocumentStore } = await import("/lib/entries/web.js");
      globalThis.store = open(name, { automatic: false });
      const refusal = async (prepare, options) => {
        const session = store.openSession(options);
        await prepare(session);
        const before = session.advanced.hasChanges();
        const error = await session.queueChanges().catch((error) => error);
        return [error.code, error.message, before && session.advanced.hasChanges()];
      };
      const plain = new DocumentStore("/raven", name).initialize().openSession();
      await plain.store(Order(), "orders/1");
      return {
        // The first `queueChanges` asks the server whether the database is sharded.
        meanwhile: await refusal(async (session) => {
          await session.store(Order(), "orders/1");
          store.once("beforeRequest", () => session.advanced.setTransactionMode("ClusterWide"));
        }),
        made: await refusal((session) => session.store(Order(), "orders/")),
        cluster: await refusal((session) => session.store(Order(), "orders/1"), {
          transactionMode: "ClusterWide",
        }),
        waits: await refusal(async (session) => {
          await session.store(Order(), "orders/1");
          session.advanced.waitForIndexesAfterSaveChanges();
        }),
        command: await refusal((session) =>
          session.advanced.defer({
            type: "ForceRevisionCreation",
            serialize: () => ({ Type: "ForceRevisionCreation" }),
          }),
        ),
        series: await refusal(async (session) => {
          await session.timeSeriesFor("orders/1", "Heart").get();
          session.timeSeriesFor("orders/1", "Heart").append(new Date(), 60);
        }),
        option: await plain.queueChanges().catch(({ code, message }) => [code, message, true]),
        pending: await store.offline.pending(),
      };
    }, base);
    const { pending, option, ...others } = refused;
    for (const [name, [code, message, kept]] of Object.entries(others)) {
      assert.equal(code, "Unsupported", `${name}: ${message}`);
      assert.ok(kept, `${name}: the session has its changes`);
    }
    assert.equal(option[0], "InvalidOperation");
    assert.match(option[1], /`offline`/);
    assert.equal(pending, 0);
  },
);

withQueue(
  "a document whose class the next page could not find is refused, and taken once the class is registered",
  async ({ page, base, load, documentOf }) => {
    const refused = await page.evaluate(async (name) => {
      class Invoice {
        total = 1;
      }
      globalThis.store = open(name, { automatic: false });
      const session = store.openSession();
      await session.store(new Invoice(), "invoices/1");
      const error = await session.queueChanges().catch((error) => error);
      store.conventions.registerEntityType(Invoice);
      await session.queueChanges();
      return [error.code, error.message, await store.offline.pending()];
    }, base);
    assert.deepEqual([refused[0], refused[2]], ["Unsupported", 1]);
    assert.match(
      refused[1],
      /invoices\/1: its class Invoice is not registered.*registerEntityType\(Invoice\)/,
    );
    await load(page);
    const found = await page.evaluate(async (name) => {
      class Invoice {}
      globalThis.store = open(name, { automatic: false });
      store.conventions.registerEntityType(Invoice);
      const session = store.openSession();
      const invoice = await session.load("invoices/1");
      const isWhole = invoice instanceof Invoice;
      invoice.total = 2;
      await session.queueChanges();
      // A class that only `load` names is not registered either.
      class Other {}
      const other = store.openSession();
      (await other.load("invoices/1", Other)).total = 3;
      const code = await other.queueChanges().catch(({ code }) => code);
      await store.offline.flush();
      return [isWhole, code];
    }, base);
    assert.deepEqual(found, [true, "Unsupported"]);
    assert.equal((await documentOf("invoices/1")).total, 2);
  },
);

withQueue("a class that findJsType finds can be queued", async ({ page, base }) => {
  const codes = await page.evaluate(async (name) => {
    class Invoice {}
    const { DocumentStore } = await import("/lib/entries/web.js");
    const { offline } = await import("/lib/entries/offline.js");
    const store = new DocumentStore("/raven", name, { offline: offline({ user: "ann", automatic: false }) });
    store.conventions.findJsType = (id) => (id.startsWith("invoices/") ? Invoice : null);
    store.initialize();
    const codes = [];
    for (const id of ["invoices/1", "others/1"]) codes.push(await code(queue(store, new Invoice(), id)));
    return codes;
  }, base);
  assert.deepEqual(codes, [undefined, "Unsupported"]);
});

withQueue("a sharded database is refused before anything is queued", async ({ t, page }) => {
  const sharded = await shardedDatabase(t);
  const [error, pending, saved] = await page.evaluate(async (name) => {
    // The queue waits a second for its first response; here as long as it takes.
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (work, ms) => setTimeout(work, ms === 1_000 ? 30_000 : ms);
    globalThis.store = open(name, { automatic: false });
    const session = store.openSession();
    await session.store(Order({ total: 1 }), "orders/1");
    const { code, message } = await session.queueChanges().catch((error) => error);
    const pending = await store.offline.pending();
    await session.saveChanges();
    return [[code, message], pending, session.advanced.hasChanges()];
  }, sharded);
  assert.equal(error[0], "Unsupported");
  assert.match(error[1], /sharded.*use saveChanges\(\)/);
  assert.deepEqual([pending, saved], [0, false]);
  assert.equal((await document(ravendb, sharded, "orders/1")).total, 1);
});

withQueue(
  "what was queued without a connection is not sent to a sharded database, and the app is told",
  async ({ t, page, gate, wire }) => {
    const sharded = await shardedDatabase(t);
    gate.open = false;
    await page.evaluate(async (name) => {
      globalThis.store = open(name);
      globalThis.changes = [];
      for (const id of ["orders/1", "orders/2"]) changes.push(await queue(store, Order(), id));
    }, sharded);
    gate.open = true;
    const told = await page.evaluate(async () => {
      const flushed = await store.offline.flush();
      const [{ state, error }] = changes;
      const again = await code(queue(store, Order(), "orders/3"));
      await store.offline.retry();
      await store.offline.flush();
      const { refused, queued } = store.offline.status();
      return { flushed, state, error: error.code, again, refused, queued };
    });
    assert.deepEqual(told, {
      flushed: false,
      state: "refused",
      error: "Unsupported",
      again: "Unsupported",
      refused: 2,
      queued: 0,
    });
    assert.equal(wire.of(({ path }) => /bulk_docs$/.test(path)).length, 0);
  },
);
