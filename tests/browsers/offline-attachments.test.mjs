// Attachments that wait on the device with their change: sent with its batch, once, also after a reload and a lost response.
import assert from "node:assert/strict";
import { withQueue } from "../support/offline.mjs";
import { putDocument, ravendb } from "../support/server.mjs";

const contentOf = async (base, id, name) => {
  const response = await fetch(`${ravendb.url}/databases/${base}/attachments?id=${id}&name=${name}`);
  return response.ok ? response.text() : undefined;
};

const namesOf = (document) => (document["@metadata"]["@attachments"] ?? []).map(({ Name }) => Name);

/** How many texts of changes the device has, and the bytes of their attachments. */
const stored = () =>
  new Promise((resolve) => {
    const request = indexedDB.open("raven-edge-offline");
    request.onsuccess = () => {
      const texts = request.result.transaction("texts").objectStore("texts").getAll();
      texts.onsuccess = () => {
        request.result.close();
        const contents = texts.result.flat().flatMap(({ content }) => content ?? []);
        resolve([texts.result.length, contents.reduce((sum, { size }) => sum + size, 0)]);
      };
    };
  });

withQueue("attachments survive the page, and are saved once with their change", async (tools) => {
  const { page, base, gate, wire, load, documentOf } = tools;
  await page.evaluate((name) => {
    globalThis.store = open(name);
    return store.ready();
  }, base);
  gate.open = false;
  const seen = await page.evaluate(async () => {
    const session = store.openSession();
    const order = Order({ total: 1 });
    await session.store(order, "orders/1");
    const { attachments } = session.advanced;
    attachments.store(order, "large", new File([new Uint8Array(800_000).fill(65)], "a"), "text/plain");
    attachments.store(order, "text", "alpha");
    attachments.store(order, "bytes", new Uint8Array([66, 67]));
    await session.queueChanges();
    const next = store.openSession();
    next.advanced.attachments.rename("orders/1", "text", "renamed");
    next.advanced.attachments.delete("orders/1", "bytes");
    await next.queueChanges();
    // A change after these goes on with the document.
    await edit(store, "orders/1", (found) => found.total++);
    const exported = JSON.parse(await store.offline.export());
    const bytes = exported.changes.flatMap(({ commands }) => commands.map((one) => one.contentBytes ?? 0));
    return [session.advanced.hasChanges(), store.offline.status().bytes > 800_000, bytes];
  });
  assert.deepEqual(seen, [false, true, [0, 800_000, 5, 2, 0, 0, 0]]);
  assert.deepEqual(await page.evaluate(stored), [3, 800_007]);
  await load(page);
  let losses = 2;
  wire.rule = ({ path }) => (/bulk_docs$/.test(path) && losses-- > 0 ? "lose" : undefined);
  gate.open = true;
  const after = await page.evaluate(async (name) => {
    globalThis.store = open(name);
    const flushed = await store.offline.flush();
    return [flushed, await store.offline.pending(), store.offline.status().bytes];
  }, base);
  assert.deepEqual(after, [true, 0, 0]);
  assert.deepEqual(await page.evaluate(stored), [0, 0]);
  const order = await documentOf("orders/1");
  assert.deepEqual([order.total, namesOf(order)], [2, ["large", "renamed"]]);
  assert.equal((await contentOf(base, "orders/1", "large")).length, 800_000);
  assert.equal(await contentOf(base, "orders/1", "renamed"), "alpha");
});

withQueue(
  "after lost responses the last text is shown, whichever tab has saved it, and attachments and counters take a document from no set",
  async (tools) => {
    const { page, tab, base, wire, documentOf } = tools;
    const ids = ["orders/1", "orders/2", "orders/3", "orders/4"];
    for (const id of ids)
      await putDocument(ravendb, base, id, { total: 1, "@metadata": { "@collection": "Orders" } });
    const other = await tab();
    const tabs = [page, other];
    for (const each of tabs)
      await each.evaluate(async (name) => {
        globalThis.store = open(name, { automatic: false, sets: { orders: { collection: "Orders" } } });
        store.named({});
        await store.offline.set("orders").sync();
        globalThis.shown = async () => {
          const found = await store.offline.set("orders").documents();
          return Object.fromEntries(found.map(({ total, "@metadata": { "@id": id } }) => [id, total]));
        };
        globalThis.change = async (work) => {
          const session = store.openSession({ offline: "only" });
          await work(session);
          await session.queueChanges();
        };
      }, base);
    const isBatch = ({ path }) => /bulk_docs$/.test(path);
    let losses = 0;
    wire.rule = (request) => {
      if (isBatch(request)) return losses-- > 0 ? "lose" : undefined;
      // Nothing but the receipt is read: what is shown is what the device has made of the changes.
      return /\/docs$/.test(request.path) && !/Raven-Edge/.test(request.body) ? "drop" : undefined;
    };
    for (const [at, each] of tabs.entries()) {
      const total = 10 + at;
      losses = 1;
      wire.requests.length = 0;
      await each.evaluate(async (total) => {
        await change((session) => session.store(Order({ total }), "orders/1", { changeVector: null }));
        for (const id of ["orders/2", "orders/3"])
          await change(({ advanced }) => advanced.attachments.store(id, `photo ${total}`, "a picture"));
        await change((session) => session.countersFor("orders/4").increment(`steps ${total}`));
      }, total);
      const expected = { "orders/1": total, "orders/2": 1, "orders/3": 1, "orders/4": 1 };
      assert.deepEqual(await each.evaluate(() => shown()), expected);
      assert.equal(await each.evaluate(() => store.offline.flush()), true);
      assert.ok(wire.requests.some(isBatch) && losses <= 0);
      for (const one of tabs) assert.deepEqual(await one.evaluate(() => shown()), expected);
    }
    assert.equal(await page.evaluate(() => store.offline.set("orders").isComplete), true);

    wire.rule = undefined;
    await page.evaluate(() => store.offline.set("orders").sync());
    const vectors = await page.evaluate(async () => {
      const found = await store.offline.set("orders").documents();
      return Object.fromEntries(found.map(({ "@metadata": meta }) => [meta["@id"], meta["@change-vector"]]));
    });
    for (const id of ids) assert.equal(vectors[id], (await documentOf(id))["@metadata"]["@change-vector"]);
  },
);

withQueue("a document stays shown when changes of it are saved one after the other", async (tools) => {
  const { page, base, wire } = tools;
  const shown = await page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false, documents: {} });
    const session = store.openSession();
    await session.store(Order({ total: 1 }), "orders/1");
    await session.queueChanges();
    const next = store.openSession({ offline: "only" });
    const order = await next.load("orders/1");
    order.total = 2;
    next.advanced.attachments.store(order, "photo", "a picture");
    await next.queueChanges();
    return store.offline.pending();
  }, base);
  assert.equal(shown, 2);
  // What is shown is what the device has made of the changes.
  wire.rule = ({ path, body }) => (/\/docs$/.test(path) && !/Raven-Edge/.test(body) ? "drop" : undefined);
  const after = await page.evaluate(async () => {
    const flushed = await store.offline.flush();
    const order = await store.openSession({ offline: "only" }).load("orders/1");
    return [flushed, await store.offline.pending(), order.total];
  });
  assert.deepEqual(after, [true, 0, 2]);
  assert.equal(wire.of(({ path }) => /bulk_docs$/.test(path)).length, 2, "a batch for each");
});

withQueue(
  "what cannot wait is refused; a conflict shows attachments, mine stores them, theirs gives them up",
  async (tools) => {
    const { page, base, documentOf } = tools;
    for (const id of ["orders/1", "orders/2", "orders/3"])
      await putDocument(ravendb, base, id, { total: 1, "@metadata": { "@collection": "Orders" } });
    const refused = await page.evaluate(async (name) => {
      globalThis.store = open(name, { automatic: false });
      const refusals = [];
      for (const change of [
        (one) => one.store("orders/1", { name: "a", stream: "x", changeVector: "" }),
        (one) => one.move("orders/1", "a", "orders/2", "a"),
      ]) {
        const session = store.openSession();
        change(session.advanced.attachments);
        const error = await session.queueChanges().catch(({ code, message }) => [code, message]);
        refusals.push([...error, session.advanced.hasChanges()]);
      }
      const session = store.openSession();
      (await session.load("orders/1")).total = 7;
      session.advanced.attachments.rename("orders/1", "a", "b");
      refusals.push([await code(session.queueChanges()), "attachment a use saveChanges", true]);
      for (const id of ["orders/1", "orders/2", "orders/3"]) {
        const session = store.openSession();
        const order = await session.load(id);
        order.total = id === "orders/3" ? 5 : 10;
        session.advanced.attachments.store(order, "a", "mine", "text/plain");
        await session.queueChanges();
      }
      return refusals;
    }, base);
    for (const [code, message, hasChanges] of refused)
      assert.deepEqual(
        [code, /attachment a .*use saveChanges$/.test(message), hasChanges],
        ["Unsupported", true, true],
      );
    for (const id of ["orders/1", "orders/2", "orders/3"])
      await putDocument(ravendb, base, id, { total: 5, "@metadata": { "@collection": "Orders" } });
    const shown = await page.evaluate(async () => {
      await store.offline.flush();
      const conflicts = await store.offline.conflicts();
      const all = [];
      for (const { documents, resolve } of conflicts) {
        const [{ id, attachments }] = documents;
        const [{ action, name, content, contentType }] = attachments;
        all.push([id, action, name, await content.text(), contentType]);
        await resolve(id === "orders/1" ? "mine" : "theirs");
      }
      await store.offline.flush();
      return [all, await store.offline.pending()];
    });
    const attachment = ["store", "a", "mine", "text/plain"];
    assert.deepEqual(shown, [
      [
        ["orders/1", ...attachment],
        ["orders/2", ...attachment],
      ],
      0,
    ]);
    const ends = [];
    for (const id of ["orders/1", "orders/2", "orders/3"]) {
      const { total, ...order } = await documentOf(id);
      ends.push([total, namesOf(order)]);
    }
    // Both sides have written the same into the third document: its attachment is stored all the same.
    assert.deepEqual(ends, [
      [10, ["a"]],
      [5, []],
      [5, ["a"]],
    ]);
    // A name that is taken is no conflict that merging could end.
    const taken = await page.evaluate(async () => {
      const session = store.openSession();
      session.advanced.attachments.store("orders/1", "b", "second");
      await session.queueChanges();
      session.advanced.attachments.rename("orders/1", "a", "b");
      const change = await session.queueChanges();
      await store.offline.flush();
      return [change.state, change.error.code];
    });
    assert.deepEqual(taken, ["refused", "Concurrency"]);
  },
);

withQueue(
  "a page that was served over plain http sends attachments",
  async ({ page, base, site, documentOf }) => {
    await page.goto(site.url.replace("127.0.0.1", "app.test"));
    await page.waitForFunction(() => globalThis.loaded);
    const seen = await page.evaluate(async (name) => {
      globalThis.store = open(name);
      const session = store.openSession();
      const write = async (id) => {
        const order = Order({ total: 1 });
        await session.store(order, id);
        session.advanced.attachments.store(order, "photo", new Blob(["a"]));
      };
      await write("orders/1");
      const change = await session.queueChanges();
      await write("orders/2");
      const isFlushed = await store.offline.flush();
      await session.saveChanges();
      return [
        isSecureContext,
        typeof crypto.randomUUID,
        isFlushed,
        change.state,
        store.offline.status().online,
      ];
    }, base);
    assert.deepEqual(seen, [false, "undefined", true, "saved", true]);
    for (const id of ["orders/1", "orders/2"]) assert.deepEqual(namesOf(await documentOf(id)), ["photo"]);
  },
);

/** Takes the content of an attachment away that waits on the device, as a browser may that has lost a file. */
const loseContent = () =>
  new Promise((resolve) => {
    const request = indexedDB.open("raven-edge-offline");
    request.onsuccess = () => {
      const transaction = request.result.transaction("texts", "readwrite");
      const all = transaction.objectStore("texts").openCursor();
      all.onsuccess = () => {
        const cursor = all.result;
        if (!cursor) return;
        cursor.update(cursor.value.map(({ content: _, ...texts }) => texts));
        cursor.continue();
      };
      transaction.oncomplete = () => {
        request.result.close();
        resolve();
      };
    };
  });

withQueue("a change that cannot be sent is refused, and the others go on", async (tools) => {
  const { page, base, documentOf } = tools;
  await page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false });
    const session = store.openSession();
    const order = Order({ total: 1 });
    await session.store(order, "orders/1");
    session.advanced.attachments.store(order, "photo", new Blob(["a"]));
    globalThis.change = await session.queueChanges();
  }, base);
  await page.evaluate(loseContent);
  const seen = await page.evaluate(async () => {
    await queue(store, Order({ total: 2 }), "orders/2");
    const isFlushed = await store.offline.flush();
    const { code, message } = change.error;
    const { online, refused, queued } = store.offline.status();
    await store.offline.discard(change);
    return { isFlushed, code, message, online, refused, queued, left: await store.offline.pending() };
  });
  const message = "it cannot be sent: what it writes cannot be read on this device any more";
  assert.deepEqual(seen, {
    isFlushed: false,
    code: "Storage",
    message,
    online: true,
    refused: 1,
    queued: 0,
    left: 0,
  });
  assert.deepEqual([(await documentOf("orders/2")).total, await documentOf("orders/1")], [2, undefined]);
});
