// Changes that wait on the device: queued, laid over what is loaded, sent once, in order.
import assert from "node:assert/strict";
import { withQueue } from "../support/offline.mjs";
import { isSave } from "../support/proxy.mjs";
import { putDocument, ravendb } from "../support/server.mjs";

withQueue("a change is queued without a connection, and saved when there is one", async (tools) => {
  const { page, base, gate, documentOf } = tools;
  await page.evaluate((name) => {
    globalThis.store = open(name, {}, { keep: 100 });
    return store.hilo("orders").reserve(5);
  }, base);
  gate.open = false;
  const queued = await page.evaluate(async () => {
    const session = store.openSession();
    const order = Order({ total: 1 });
    await session.store(order);
    const announced = [];
    session.advanced.on("afterSaveChanges", ({ documentId }) => announced.push(documentId));
    globalThis.change = await session.queueChanges();
    const { state, documents } = change;
    const dirty = session.advanced.hasChanges();
    return { id: order.id, state, documents: [...documents], dirty, announced };
  });
  const [id, ...none] = queued.documents;
  assert.deepEqual(none, []);
  assert.deepEqual(queued, { id, state: "queued", documents: [id], dirty: false, announced: [id] });
  gate.open = true;
  const after = await page.evaluate(async () => {
    const flushed = await store.offline.flush();
    await change.saved;
    return { flushed, state: change.state, queued: store.offline.status().queued };
  });
  assert.deepEqual(after, { flushed: true, state: "saved", queued: 0 });
  assert.equal((await documentOf("orders/1-A")).total, 1);
});

withQueue("every session of the device sees what waits, and saveChanges of it is refused", async (tools) => {
  const { page, base, gate, tab, documentOf } = tools;
  await putDocument(ravendb, base, "orders/1", { total: 1, "@metadata": { "@collection": "Orders" } });
  await putDocument(ravendb, base, "orders/2", { total: 2, "@metadata": { "@collection": "Orders" } });
  const other = await tab();
  const changed = await page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false });
    await edit(store, "orders/1", (order) => (order.total = 10));
    await queue(store, Order({ total: 3 }), "orders/3");
    const session = store.openSession();
    await session.delete("orders/2");
    await session.queueChanges();
    const fresh = store.openSession();
    const all = await fresh.load(["orders/1", "orders/2", "orders/3"]);
    all["orders/1"].total++;
    const refused = await fresh.saveChanges().catch(({ code, message }) => [code, message]);
    return [all["orders/1"].total, all["orders/2"], all["orders/3"].total, refused];
  }, base);
  const [one, two, three, [code, message]] = changed;
  assert.deepEqual([one, two, three, code], [11, null, 3, "InvalidOperation"]);
  assert.match(message, /orders\/1 wait on this device: call queueChanges/);
  const seen = (where) =>
    where.evaluate(async (name) => {
      globalThis.store ??= open(name, { automatic: false });
      const session = store.openSession();
      const all = await session.load(["orders/1", "orders/2", "orders/3"]);
      const query = await session.query({ collection: "Orders" }).waitForNonStaleResults().all();
      const one = await session.load("orders/3");
      return [all["orders/1"].total, all["orders/2"], one.total, query.map(({ id }) => id).sort()];
    }, base);
  assert.deepEqual(await seen(other), [10, null, 3, ["orders/1"]], "another tab sees them too");
  gate.open = false;
  const alone = await other.evaluate(async () => (await store.openSession().load("orders/3")).total);
  assert.equal(alone, 3, "a document that was queued whole is there without a connection");
  gate.open = true;
  assert.equal(await page.evaluate(() => store.offline.flush()), true);
  assert.equal((await documentOf("orders/1")).total, 10);
  assert.equal(await documentOf("orders/2"), undefined);
  const saved = await other.evaluate(async () => {
    const session = store.openSession();
    const order = await session.load("orders/1");
    order.total++;
    await session.saveChanges();
    return order.total;
  });
  assert.equal(saved, 11, "once it is saved, sessions save it again");
});

withQueue(
  "the change vector of what waits can be given back, until another writer has changed it",
  async (tools) => {
    const { page, base, gate, documentOf } = tools;
    gate.open = false;
    const shown = await page.evaluate(async (name) => {
      globalThis.store = open(name, { automatic: false });
      globalThis.put = async (id, changeVector, fields) => {
        const session = store.openSession();
        await session.store(Order(fields), id, { changeVector });
        return session;
      };
      const first = store.openSession();
      const order = Order({ total: 1 });
      await first.store(order, "orders/1");
      await first.queueChanges();
      const second = store.openSession();
      const loaded = await second.load("orders/1");
      globalThis.vector = loaded["@metadata"]["@change-vector"];
      // Two changes that both began with it: their members are merged.
      await (await put("orders/1", vector, { total: 2 })).queueChanges();
      await (await put("orders/1", vector, { total: 1, note: "n" })).queueChanges();
      return [vector, second.advanced.getChangeVectorFor(loaded), first.advanced.getChangeVectorFor(order)];
    }, base);
    assert.match(shown[0], /^queued:[0-9a-f]{16}$/);
    assert.deepEqual(shown, Array(3).fill(shown[0]));
    gate.open = true;
    assert.equal(await page.evaluate(() => store.offline.flush()), true);
    const { total, note } = await documentOf("orders/1");
    assert.deepEqual([total, note], [2, "n"]);

    // What was shown while it waited is saved: its change vector goes on being good.
    const vectors = await page.evaluate(async () => {
      const queued = async (id) => {
        const order = Order({ total: 1 });
        const session = store.openSession();
        await session.store(order, id);
        await session.queueChanges();
        return session.advanced.getChangeVectorFor(order);
      };
      const all = [];
      for (const id of ["orders/2", "orders/3", "orders/4", "orders/5"]) all.push(await queued(id));
      await store.offline.flush();
      return all;
    });
    await putDocument(ravendb, base, "orders/4", { total: 9, "@metadata": { "@collection": "Orders" } });
    const outcomes = await page.evaluate(async ([second, third, fourth, fifth]) => {
      await (await put("orders/2", second, { total: 2 })).queueChanges();
      const flushed = await store.offline.flush();
      const saved = await code((await put("orders/3", third, { total: 2 })).saveChanges());
      const refused = await code((await put("orders/4", fourth, { total: 2 })).saveChanges());
      const deleting = store.openSession();
      await deleting.delete("orders/5", fifth);
      await deleting.saveChanges();
      return [flushed, saved, refused];
    }, vectors);
    assert.deepEqual(outcomes, [true, undefined, "Concurrency"]);
    const totals = ["orders/2", "orders/3", "orders/4"].map(async (id) => (await documentOf(id)).total);
    assert.deepEqual([...(await Promise.all(totals)), await documentOf("orders/5")], [2, 2, 9, undefined]);
  },
);

withQueue("changes of a document are saved in order, each on what the one before left", async (tools) => {
  const { page, base, gate, wire, documentOf, receipts } = tools;
  await page.evaluate((name) => {
    globalThis.store = open(name, {}, { keep: 100 });
    return store.hilo("orders").reserve(5);
  }, base);
  gate.open = false;
  await page.evaluate(async () => {
    const session = store.openSession();
    const order = Order({ lines: [] });
    await session.store(order);
    await session.queueChanges();
    for (let line = 1; line <= 3; line++) {
      order.lines.push(line);
      await session.queueChanges();
    }
    // Another session goes on, and one that deletes a new document.
    await edit(store, order.id, (order) => order.lines.push(4));
    await queue(store, Order(), "orders/gone");
    const last = store.openSession();
    await last.delete(await last.load("orders/gone"));
    await last.queueChanges();
  });
  gate.open = true;
  assert.equal(await page.evaluate(() => store.offline.flush()), true);
  assert.deepEqual((await documentOf("orders/1-A")).lines, [1, 2, 3, 4]);
  assert.equal(await documentOf("orders/gone"), undefined);
  const [receipt, ...more] = await receipts();
  assert.equal(more.length, 0);
  assert.equal(
    receipt.Last,
    wire.of(({ path, body }) => /bulk_docs$/.test(path) && /Raven-Edge/.test(body)).length,
  );
  assert.equal(receipt.User, "ann");
  const again = await page.evaluate(async () => {
    await edit(store, "orders/1-A", (order) => order.lines.push(5));
    return store.offline.flush();
  });
  assert.equal(again, true, "the change vector of the last change is known");
  assert.deepEqual((await documentOf("orders/1-A")).lines, [1, 2, 3, 4, 5]);
});

withQueue("a batch whose response is lost is not applied twice", async ({ page, base, wire, documentOf }) => {
  await putDocument(ravendb, base, "orders/1", { count: 0, "@metadata": { "@collection": "Orders" } });
  let losses = 3;
  wire.rule = ({ path }) => (/bulk_docs$/.test(path) && losses-- > 0 ? "lose" : undefined);
  const states = await page.evaluate(async (name) => {
    globalThis.store = open(name);
    const changes = [];
    for (let turn = 0; turn < 5; turn++) {
      const session = store.openSession();
      session.advanced.increment("orders/1", "count", 1);
      changes.push(await session.queueChanges());
    }
    await store.offline.flush();
    return changes.map(({ state }) => state);
  }, base);
  assert.deepEqual(states, Array(5).fill("saved"));
  assert.equal((await documentOf("orders/1")).count, 5);
});

withQueue("what waits is exported while others write it", async ({ page, base }) => {
  const exported = await page.evaluate(async (name) => {
    const [one, other] = [1, 2].map(() => open(name, { automatic: false }));
    const counts = [];
    for (let turn = 0; turn < 5; turn++) {
      await queue(other, Order({ turn }), `orders/${turn}`);
      // Each reading of what the other store has written replaces the memory.
      const [text] = await Promise.all([
        one.offline.export(),
        queue(other, Order({ turn }), `orders/more-${turn}`),
        one.offline.changes(),
      ]);
      counts.push(JSON.parse(text).changes.length);
    }
    return counts;
  }, base);
  assert.equal(exported.length, 5);
  assert.ok(exported.every((count, turn) => count > turn));
});

withQueue("what waits survives the page", async ({ page, base, gate, load, documentOf }) => {
  await page.evaluate((name) => {
    globalThis.store = open(name);
    return store.ready();
  }, base);
  gate.open = false;
  await page.evaluate(async () => {
    await queue(store, Order({ total: 1 }), "orders/x");
    await queue(store, Order({ total: 2 }), "orders/y");
  });
  await load(page);
  gate.open = true;
  const found = await page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false });
    // Nothing is known yet: an app that showed this would say that everything is saved.
    const { ready, queued } = store.offline.status();
    const first = await next(store, "offline", (status) => status.ready);
    const told = [ready, queued, first.queued];
    const changes = await store.offline.changes();
    const before = changes.map(({ state, documents }) => [state, ...documents]);
    const text = JSON.parse(await store.offline.export());
    await store.offline.flush();
    await Promise.all(changes.map(({ saved }) => saved));
    return { told, before, exported: text.changes.length, pending: await store.offline.pending() };
  }, base);
  assert.deepEqual(found.told, [false, 0, 2]);
  assert.deepEqual(found.before, [
    ["queued", "orders/x"],
    ["queued", "orders/y"],
  ]);
  assert.deepEqual([found.exported, found.pending], [2, 0]);
  assert.equal((await documentOf("orders/y")).total, 2);
});

withQueue("a change tells what it does with each document, also after a reload", async (tools) => {
  const { page, base, load } = tools;
  await putDocument(ravendb, base, "orders/1", { total: 1, "@metadata": { "@collection": "Orders" } });
  await page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false });
    const session = store.openSession();
    const order = await session.load("orders/1");
    order.total = 2;
    await session.store(Order({ total: 3 }), "orders/2");
    session.advanced.increment("orders/3", "total", 5);
    session.countersFor(order).increment("likes", 2);
    session.advanced.attachments.store("orders/4", "photo", new Blob(["a picture"]), "image/png");
    await session.queueChanges();
    await session.delete(order);
    await session.queueChanges();
  }, base);
  await load(page);
  const seen = await page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false });
    const changes = await store.offline.changes();
    const details = await Promise.all(changes.map((change) => change.details()));
    const text = await details[0].find(({ attachment }) => attachment).attachment.content.text();
    const logged = JSON.parse(JSON.stringify(changes));
    await store.offline.discard(changes[1]);
    const after = await changes[1].details();
    return { details, text, logged, id: changes[0].id, after };
  }, base);
  const [first, [deletion]] = seen.details;
  const total = (document) => document?.total;
  const told = first.map(({ kind, id, collection, before, document }) =>
    [kind, id, collection, total(before), total(document)].join(),
  );
  assert.deepEqual(told.sort(), [
    "attachment,orders/4,,,",
    "counters,orders/1,Orders,1,",
    "patch,orders/3,,,",
    "store,orders/1,Orders,1,2",
    "store,orders/2,Orders,,3",
  ]);
  const of = (wanted) => first.find(({ kind }) => kind === wanted);
  assert.match(of("patch").patch.script, /total/);
  assert.deepEqual(of("counters").counters, [{ action: "increment", name: "likes", delta: 2 }]);
  const { name, action, contentType } = of("attachment").attachment;
  assert.deepEqual([name, action, contentType, seen.text], ["photo", "store", "image/png", "a picture"]);
  assert.deepEqual(
    [deletion.kind, deletion.id, total(deletion.before), deletion.document],
    ["delete", "orders/1", 2, null],
  );
  const [{ id, documents, commands, state, queuedAt }, { commands: later }] = seen.logged;
  assert.deepEqual([id, state, documents.length, commands.length], [seen.id, "queued", 4, 5]);
  assert.deepEqual(later, [{ kind: "delete", id: "orders/1", collection: "Orders" }]);
  assert.ok(Date.parse(queuedAt) > 0);
  assert.deepEqual(seen.after, []);
});

withQueue(
  "two tabs that queue and send at once save each change once",
  async ({ page, base, tab, documentOf, receipts }) => {
    await putDocument(ravendb, base, "orders/1", { count: 0, "@metadata": { "@collection": "Orders" } });
    const other = await tab();
    const work = (where) =>
      where.evaluate(async (name) => {
        globalThis.store = open(name);
        const changes = [];
        for (let turn = 0; turn < 20; turn++) {
          const session = store.openSession();
          session.advanced.increment("orders/1", "count", 1);
          await session.store(Order());
          changes.push(await session.queueChanges());
        }
        await store.offline.flush();
        await Promise.all(changes.map(({ saved }) => saved));
        return changes.map(({ state }) => state);
      }, base);
    const states = (await Promise.all([work(page), work(other)])).flat();
    assert.deepEqual(states, Array(40).fill("saved"));
    assert.equal((await documentOf("orders/1")).count, 40);
    assert.equal((await receipts()).length, 1, "the tabs of a device share a receipt");
  },
);

withQueue("a queue is not sent as another user", async ({ page, base, wire, documentOf }) => {
  const work = await page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false });
    await queue(store, Order(), "orders/ann");
    const bob = open(name, { user: "bob" });
    await queue(bob, Order(), "orders/bob");
    const flushed = await bob.offline.flush();
    const waiting = await store.offline.pending();
    await bob.offline.clear({ user: "ann" });
    return [flushed, waiting, await store.offline.pending()];
  }, base);
  assert.deepEqual(work, [true, 1, 0], "a queue is of one user, and can be removed by another one");
  assert.equal(await documentOf("orders/ann"), undefined);
  assert.ok(await documentOf("orders/bob"));
  assert.equal(wire.of(isSave).length, 1);
});

withQueue("a trace shows the batches of the queue as parents of their requests", async ({ page, base }) => {
  const spans = await page.evaluate(async (name) => {
    const store = open(name, { automatic: false });
    const ended = [];
    store.on("trace", () => ({ end: (span) => ended.push(span) }));
    await store.ready();
    await queue(store, Order(), "orders/one");
    await queue(store, Order(), "orders/two");
    await store.offline.flush();
    return ended;
  }, base);
  assert.equal(spans.filter(({ name }) => name === `queueChanges ${base}`).length, 2);
  const saves = spans.filter(({ name }) => name === "POST bulk_docs");
  const batch = spans.find(({ name }) => name === `queue ${base}`);
  assert.deepEqual(
    saves.map((span) => [span.parentSpanId, span.traceId, span.attributes["http.response.status_code"]]),
    [[batch.spanId, batch.traceId, 201]],
  );
  assert.equal(batch.attributes["db.operation.batch.size"], 3, "two documents and the receipt");
});

withQueue("the status follows the browser's connection, without a request", async ({ page, base }) => {
  await page.evaluate(async (name) => {
    globalThis.store = open(name);
    globalThis.told = [];
    store.on("offline", ({ online }) => told.push(online));
    await store.offline.flush();
  }, base);
  for (const online of [false, true]) {
    await page.context().setOffline(!online);
    await page.waitForFunction((last) => told.at(-1) === last, online);
    assert.equal(await page.evaluate(() => store.offline.status().online), online);
  }
});

withQueue("without a connection the error says to reserve numbers", async ({ page, base }) => {
  await page.context().setOffline(true);
  const { code, message } = await page.evaluate(async (name) => {
    globalThis.store = open(name, {}, { timeout: 300 });
    const { code, message } = await store
      .openSession()
      .store(Order())
      .catch((error) => error);
    return { code, message };
  }, base);
  assert.equal(code, "Timeout");
  assert.match(
    message,
    /no numbers were leased for "orders" .*; reserve\(\) more while there is a connection$/,
  );
});

withQueue(
  "a tab whose changes another tab has saved is connected as soon as the browser is",
  async (tools) => {
    const { page: background, base, gate, tab } = tools;
    const other = await tab();
    await other.evaluate((name) => {
      globalThis.store = open(name, { automatic: false });
    }, base);
    gate.open = false;
    await background.evaluate(async (name) => {
      globalThis.store = open(name);
      globalThis.change = await queue(store, Order({ total: 1 }), "orders/1");
      await until(store, ({ online }) => !online);
      // Until the other tab has saved, this one reaches nothing.
      const send = globalThis.fetch;
      globalThis.fetch = () => Promise.reject(new TypeError("no connection"));
      globalThis.connect = () => (globalThis.fetch = send);
    }, base);
    gate.open = true;
    assert.equal(await other.evaluate(() => store.offline.flush()), true);
    const status = await background.evaluate(async () => {
      await change.saved;
      connect();
      const before = store.offline.status().online;
      dispatchEvent(new Event("online"));
      await until(store, ({ online }) => online);
      return [before, change.state, store.offline.status().queued];
    });
    assert.deepEqual(status, [false, "saved", 0]);
  },
);

withQueue("a response to another request ends the pauses of the queue and of sets", async (tools) => {
  const { page, base, gate } = tools;
  await putDocument(ravendb, base, "orders/2", { total: 2, "@metadata": { "@collection": "Orders" } });
  await page.evaluate(async (name) => {
    // Pauses are half a minute at least.
    Object.defineProperty(navigator, "onLine", { value: false });
    globalThis.store = open(name, { documents: {}, sets: { orders: { collection: "Orders" } } });
    store.named({});
    globalThis.set = store.offline.set("orders");
    await set.ready;
  }, base);
  gate.open = false;
  await page.evaluate(async () => {
    globalThis.change = await queue(store, Order({ total: 1 }), "orders/1");
    await code(store.offline.flush({ timeout: 1 }));
    await code(set.sync());
  });
  gate.open = true;
  const seen = await page.evaluate(async () => {
    const synced = new Promise((resolve) => set.on("synced", resolve));
    await store.openSession({ offline: "never" }).load("orders/2");
    await change.saved;
    await synced;
    return [change.state, set.error];
  });
  assert.deepEqual(seen, ["saved", undefined]);
});
