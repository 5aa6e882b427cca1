// Accidents of servers, networks and devices: each is reported, and nothing is lost or done twice.
import assert from "node:assert/strict";
import { profile } from "../support/chromium.mjs";
import { PAGE, withQueue } from "../support/offline.mjs";
import { isSave } from "../support/proxy.mjs";
import { create, putDocument, ravendb, remove } from "../support/server.mjs";

const isBatch = ({ path, body }) => /bulk_docs$/.test(path) && /Raven-Edge\/Devices/.test(body);

/** Everything that the page has of queues, and the way back: a copy of its database. */
const copy = () => globalThis.copyOfQueue();
const COPY = `globalThis.copyOfQueue = () => new Promise((resolve, reject) => {
  const request = indexedDB.open("raven-edge-offline");
  request.onerror = () => reject(request.error);
  request.onsuccess = () => {
    const db = request.result;
    const read = db.transaction(db.objectStoreNames);
    const rows = {};
    for (const name of db.objectStoreNames) {
      const [keys, values] = [read.objectStore(name).getAllKeys(), read.objectStore(name).getAll()];
      values.onsuccess = () => (rows[name] = keys.result.map((key, at) => [key, values.result[at]]));
    }
    read.oncomplete = () => (db.close(), resolve(JSON.stringify(rows, (_, value) =>
      value instanceof Uint32Array ? { words: [...value] } : value)));
  };
});
globalThis.writeQueue = (text) => new Promise((resolve, reject) => {
  const request = indexedDB.open("raven-edge-offline");
  request.onerror = () => reject(request.error);
  request.onsuccess = () => {
    const db = request.result;
    const write = db.transaction(db.objectStoreNames, "readwrite");
    const rows = JSON.parse(text, (_, value) => (value?.words ? Uint32Array.from(value.words) : value));
    for (const [name, list] of Object.entries(rows)) {
      const store = write.objectStore(name);
      store.clear();
      for (const [key, value] of list) store.keyPath ? store.put(value) : store.put(value, key);
    }
    write.oncomplete = () => (db.close(), resolve());
  };
});`;
/** A page has saved a document, and queued another one. */
const savedAndQueued = ({ page, base }) =>
  page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false });
    await queue(store, Order({ total: 1 }), "orders/1");
    await store.offline.flush();
    await queue(store, Order({ total: 2 }), "orders/2");
  }, base);

const pages = { "/": PAGE.replace("globalThis.loaded = true;", `${COPY}\n  globalThis.loaded = true;`) };

withQueue(
  "a change that the server refuses is parked, and does not stop others",
  async ({ page, base, documentOf }) => {
    const parked = await page.evaluate(async (name) => {
      globalThis.store = open(name, { automatic: false });
      await queue(store, Order({ total: 1 }), "orders/1");
      const session = store.openSession();
      session.advanced.patch("orders/1", "total", 2);
      session.advanced.defer({
        type: "PATCH",
        id: "orders/2",
        serialize: () => ({
          Type: "PATCH",
          Id: "orders/2",
          ChangeVector: null,
          Patch: { Script: "this is no script" },
        }),
      });
      const poison = await session.queueChanges();
      await queue(store, Order({ total: 3 }), "orders/3");
      const flushed = await store.offline.flush();
      const { refused, queued } = store.offline.status();
      const { state, error } = poison;
      await store.offline.discard(poison);
      const end = await poison.saved.catch(({ code }) => code);
      return {
        flushed,
        refused,
        queued,
        state,
        type: error.type,
        end,
        pending: await store.offline.pending(),
      };
    }, base);
    const { type, ...rest } = parked;
    assert.match(type, /Raven|Jint|Script|Exception/);
    assert.deepEqual(rest, {
      flushed: false,
      refused: 1,
      queued: 0,
      state: "refused",
      end: "Canceled",
      pending: 0,
    });
    assert.equal((await documentOf("orders/1")).total, 1);
    assert.equal((await documentOf("orders/3")).total, 3);
  },
);

withQueue("a user who is not signed in pauses the queue, and goes on after signing in", async (tools) => {
  const { page, base, wire, documentOf } = tools;
  const body = JSON.stringify({ Type: "RavenEdge.Gateway.Unauthorized", Message: "sign in" });
  wire.rule = (request) => (isBatch(request) ? { status: 401, body } : undefined);
  const before = await page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false });
    globalThis.change = await queue(store, Order({ total: 1 }), "orders/1");
    const asked = next(store, "needsAuth");
    const flushed = await store.offline.flush();
    const { needsAuth, queued, paused } = store.offline.status();
    return [flushed, needsAuth, paused, queued, change.state, await asked];
  }, base);
  assert.deepEqual(before, [false, true, false, 1, "queued", { user: "ann" }]);
  const again = await page.evaluate(async () => {
    const asked = next(store, "needsAuth");
    await store.offline.retry();
    await store.offline.flush();
    return [await asked, seen("needsAuth").length];
  });
  assert.deepEqual(again, [{ user: "ann" }, 2], "one event for each sign-in that is needed");
  wire.rule = undefined;
  const after = await page.evaluate(async () => {
    await store.offline.retry();
    return [await store.offline.flush(), store.offline.status().needsAuth];
  });
  assert.deepEqual(after, [true, false]);
  assert.equal((await documentOf("orders/1")).total, 1);
});

withQueue(
  "a user who is signed out before the first request of a device is asked to sign in, also by the next page",
  async ({ page, base, wire, load, documentOf }) => {
    wire.rule = () => ({ status: 401, body: "" });
    const before = await page.evaluate(async (name) => {
      globalThis.store = open(name, { automatic: false });
      await queue(store, Order({ total: 1 }), "orders/1");
      const flushed = await store.offline.flush();
      const { needsAuth, online } = store.offline.status();
      return [flushed, needsAuth, online];
    }, base);
    assert.deepEqual(before, [false, true, true]);
    await load(page);
    const asked = await page.evaluate(async (name) => {
      globalThis.store = open(name);
      const { user } = await next(store, "needsAuth");
      return [user, store.offline.status().needsAuth];
    }, base);
    assert.deepEqual(asked, ["ann", true], "tried once");
    // The user signs in on a page of the server, which leads back here.
    wire.rule = undefined;
    await load(page);
    const after = await page.evaluate(async (name) => {
      globalThis.store = open(name);
      await until(store, ({ ready, queued, sending }) => ready && queued + sending === 0);
      return store.offline.status().needsAuth;
    }, base);
    assert.equal(after, false);
    assert.equal((await documentOf("orders/1")).total, 1);
  },
);

withQueue(
  "what a proxy finds too large is sent apart, and what is too large alone is parked",
  async (tools) => {
    const { page, base, wire, documentOf } = tools;
    wire.rule = (request) =>
      isBatch(request) && request.body.length > 20_000 ? { status: 413, body: "<html>" } : undefined;
    const sizes = await page.evaluate(async (name) => {
      globalThis.store = open(name, { automatic: false });
      const changes = [];
      for (const size of [8_000, 8_000, 8_000, 30_000])
        changes.push(await queue(store, Order({ text: "x".repeat(size) }), `orders/${changes.length}`));
      await store.offline.flush();
      return changes.map(({ state, error }) => [state, error?.status]);
    }, base);
    assert.deepEqual(sizes, [
      ["saved", undefined],
      ["saved", undefined],
      ["saved", undefined],
      ["refused", 413],
    ]);
    assert.equal((await documentOf("orders/2")).text.length, 8_000);
  },
);

for (const isChanged of [false, true])
  withQueue(
    `a refused change is corrected by a later one, once the first is discarded; ${isChanged ? "another writer" : "alone"}`,
    async ({ page, base, wire, documentOf }) => {
      wire.rule = (request) =>
        isBatch(request) && request.body.length > 20_000 ? { status: 413, body: "<html>" } : undefined;
      const order = { text: "", total: 1, "@metadata": { "@collection": "Orders" } };
      await putDocument(ravendb, base, "orders/1", order);
      const before = await page.evaluate(async (name) => {
        globalThis.store = open(name, { automatic: false });
        globalThis.refused = await edit(store, "orders/1", (order) =>
          Object.assign(order, { text: "x".repeat(30_000), total: 2 }),
        );
        await store.offline.flush();
        globalThis.good = await edit(store, "orders/1", (order) => (order.text = "short"));
        return [refused.state, good.state, await store.offline.flush()];
      }, base);
      assert.deepEqual(before, ["refused", "queued", false]);
      if (isChanged) await putDocument(ravendb, base, "orders/1", { ...order, text: "theirs" });
      const after = await page.evaluate(async () => {
        await store.offline.discard(refused);
        const isAll = await store.offline.flush();
        const [conflict] = await store.offline.conflicts();
        const { base, mine } = conflict?.documents[0] ?? {};
        return [isAll, good.state, base?.text ?? null, mine?.total ?? null];
      });
      assert.deepEqual(after, isChanged ? [false, "conflict", "", 2] : [true, "saved", null, null]);
      // What the user saw when the correction was saved is saved, as a whole.
      const { text, total } = await documentOf("orders/1");
      assert.deepEqual([text, total], isChanged ? ["theirs", 1] : ["short", 2]);
    },
  );

withQueue("a proxy that does not reach the server leaves a page without a connection", async (tools) => {
  const { page, wire, documentOf } = tools;
  await savedAndQueued(tools);
  const failures = [
    { status: 502, body: "<html>Bad Gateway" },
    { status: 502, body: JSON.stringify({ Type: "RavenEdge.Gateway.UpstreamUnreachable", Message: "m" }) },
  ];
  for (const failure of failures) {
    wire.rule = (request) => (isBatch(request) ? failure : undefined);
    const told = await page.evaluate(async () => {
      const isAll = await store.offline.flush({ timeout: 1_000 });
      return [isAll, store.offline.status().online];
    });
    assert.deepEqual(told, [false, false], failure.body);
  }
  wire.rule = undefined;
  const after = await page.evaluate(async () => [await store.offline.flush(), store.offline.status().online]);
  assert.deepEqual(after, [true, true]);
  assert.equal((await documentOf("orders/2")).total, 2);
});

withQueue(
  "the page of a network that wants a sign-in is no response",
  async ({ page, base, wire, documentOf }) => {
    let pages = 3;
    const portal = {
      status: 200,
      body: "<html>Welcome to our hotel",
      headers: { "content-type": "text/html" },
    };
    wire.rule = ({ path }) => (/\/(bulk_docs|docs)$/.test(path) && pages-- > 0 ? portal : undefined);
    const saved = await page.evaluate(async (name) => {
      globalThis.store = open(name, { automatic: false });
      const change = await queue(store, Order({ total: 1 }), "orders/1");
      const flushed = await store.offline.flush();
      return [flushed, change.state];
    }, base);
    assert.deepEqual(saved, [true, "saved"]);
    assert.equal((await documentOf("orders/1")).total, 1);
  },
);

withQueue("a clock that is set back changes no order", async ({ page, base, documentOf }) => {
  await page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false });
    await queue(store, Order({ turns: [1] }), "orders/1");
    const now = Date.now;
    Date.now = () => now() - 86_400_000;
    await edit(store, "orders/1", (order) => order.turns.push(2));
    await edit(store, "orders/1", (order) => order.turns.push(3));
    await store.offline.flush();
  }, base);
  assert.deepEqual((await documentOf("orders/1")).turns, [1, 2, 3]);
});

withQueue(
  "a full device: sent at once with a connection, else refused, and the session keeps its changes",
  async (tools) => {
    const { page, base, gate, site, context, wire, documentOf } = tools;
    const devtools = await context.newCDPSession(page);
    // Before the page uses IndexedDB: Chromium remembers for half a minute how much room there is.
    await devtools.send("Storage.overrideQuotaForOrigin", {
      origin: new URL(site.url).origin,
      quotaSize: 500_000,
    });
    await page.evaluate(async (name) => {
      globalThis.store = open(name, { automatic: false });
      // What can be compressed takes less room.
      const random = () => Math.random().toString(36)[5] ?? "0";
      globalThis.text = Array.from({ length: 2_000_000 }, random).join("");
      // Loads the code of attachments.
      await store.openSession().advanced.attachments.exists("orders/0", "a");
      await queue(store, Order(), "orders/0");
    }, base);
    gate.open = false;
    await context.setOffline(true);
    const refused = await page.evaluate(async () => {
      globalThis.session = store.openSession();
      await session.store(Order({ text }), "orders/1");
      const failed = await code(session.queueChanges());
      globalThis.other = store.openSession();
      other.advanced.attachments.store("orders/1", "a", new Blob([text]));
      const alsoFailed = await code(other.queueChanges());
      return [failed, alsoFailed, session.advanced.hasChanges(), await store.offline.pending()];
    });
    assert.deepEqual(refused, ["Storage", "Storage", true, 1]);
    await context.setOffline(false);
    gate.open = true;
    const sent = await page.evaluate(async () => {
      const change = await session.queueChanges();
      await other.queueChanges();
      return [change.state, session.advanced.hasChanges(), seen("storage").length > 0];
    });
    assert.deepEqual(sent, ["saved", false, true]);
    const saved = await documentOf("orders/1");
    assert.deepEqual([saved.text.length, saved["@metadata"]["@attachments"][0].Size], [2_000_000, 2_000_000]);
    assert.equal(wire.of(isSave).length, 1);
    // What was queued before is sent, or waits until there is room: to send a batch, the device must record it first.
    const [isSent, pending] = await page.evaluate(async () => [
      await store.offline.flush({ timeout: 3_000 }),
      await store.offline.pending(),
    ]);
    // It may be sent a moment after the time of `flush` is over.
    assert.ok(pending <= (isSent ? 0 : 1), `${pending} pending`);
    if (pending === 0) assert.ok(await documentOf("orders/0"));
  },
);

withQueue(
  "a page without IndexedDB: sent at once with a connection, else refused, and the session keeps its changes",
  async ({ page, base, gate, context, documentOf, receipts }) => {
    await page.evaluate((name) => {
      Object.defineProperty(globalThis, "indexedDB", { value: undefined });
      globalThis.store = open(name);
    }, base);
    const sent = await page.evaluate(async () => {
      const change = await queue(store, Order({ total: 1 }), "orders/1");
      await change.saved;
      return [change.state, seen("storage").length > 0];
    });
    assert.deepEqual(sent, ["saved", true]);
    assert.equal((await documentOf("orders/1")).total, 1);
    gate.open = false;
    await context.setOffline(true);
    const refused = await page.evaluate(async () => {
      const session = store.openSession();
      await session.store(Order(), "orders/2");
      return [await code(session.queueChanges()), session.advanced.hasChanges()];
    });
    assert.deepEqual(refused, ["Storage", true]);
    assert.deepEqual(await receipts(), []);
  },
);

withQueue("cleared site data make a new device: what was saved is not doubled", async (tools) => {
  const { page, base, load, site, context, documentOf, receipts } = tools;
  await page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false });
    await queue(store, Order({ total: 1 }), "orders/1");
    await store.offline.flush();
    globalThis.change = await queue(store, Order({ total: 2 }), "orders/2");
  }, base);
  const devtools = await context.newCDPSession(page);
  const origin = new URL(site.url).origin;
  await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  const told = await page.evaluate(async () => [
    await store.offline.pending(),
    await change.saved.catch(({ code, message }) => [code, message]),
  ]);
  assert.equal(told[0], 0);
  assert.equal(told[1][0], "Storage");
  await load(page);
  await page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false });
    await queue(store, Order({ total: 3 }), "orders/3");
    await store.offline.flush();
  }, base);
  assert.equal((await receipts()).length, 2);
  assert.equal((await documentOf("orders/1")).total, 1);
  assert.equal((await documentOf("orders/3")).total, 3);
});

withQueue(
  "a cloned profile is found: each device goes on with a receipt of its own, and nothing is lost",
  async ({ t, page, base, site, documentOf, receipts }) => {
    await putDocument(ravendb, base, "orders/1", { count: 0, "@metadata": { "@collection": "Orders" } });
    await page.evaluate(async (name) => {
      globalThis.store = open(name, { automatic: false });
      await queue(store, Order({ total: 1 }), "orders/a");
      await store.offline.flush();
    }, base);
    const text = await page.evaluate(copy);
    const { open: openTab } = await profile(t);
    const clone = await openTab(site.url);
    await clone.waitForFunction(() => globalThis.loaded);
    await clone.evaluate(
      async ([name, text]) => {
        globalThis.store = open(name, { automatic: false });
        await store.offline.pending();
        await writeQueue(text);
      },
      [base, text],
    );
    const work = (where, id) =>
      where.evaluate(async (id) => {
        const session = store.openSession();
        session.advanced.increment("orders/1", "count", 1);
        await session.store(Order(), id);
        const change = await session.queueChanges();
        await store.offline.flush();
        return [change.state, seen("regression").map(({ offline }) => offline)];
      }, id);
    const first = await work(page, "orders/b");
    const second = await work(clone, "orders/c");
    assert.deepEqual(first, ["saved", []]);
    assert.deepEqual(second[1], ["cloned"]);
    // The counter of the clone expects nothing, so nobody knows whether it was carried out: the app decides.
    if (second[0] === "unknown")
      await clone.evaluate(async () => {
        await store.offline.retry();
        await store.offline.flush();
      });
    assert.equal((await documentOf("orders/1")).count, 2);
    assert.ok(await documentOf("orders/c"));
    assert.equal((await receipts()).length, 2);
  },
  { pages },
);

withQueue(
  "a damaged entry is set aside, and the others go on",
  async ({ page, base, documentOf }) => {
    const found = await page.evaluate(async (name) => {
      globalThis.store = open(name, { automatic: false });
      await queue(store, Order({ total: 1 }), "orders/1");
      await queue(store, Order({ total: 2 }), "orders/2");
      await queue(store, Order({ total: 3 }), "orders/3");
      const rows = JSON.parse(await copyOfQueue());
      rows.changes[1][1].commands = "?";
      rows.queues[0][1].revision++;
      await writeQueue(JSON.stringify(rows));
      await store.offline.flush();
      const { damaged, queued } = store.offline.status();
      const { damaged: kept } = JSON.parse(await store.offline.export());
      return { damaged, queued, kept: kept.length };
    }, base);
    assert.deepEqual(found, { damaged: 1, queued: 0, kept: 1 });
    assert.equal((await documentOf("orders/1")).total, 1);
    assert.equal(await documentOf("orders/2"), undefined);
    assert.equal((await documentOf("orders/3")).total, 3);
  },
  { pages },
);

withQueue(
  "the queue of a newer version of the app is left alone, and that is told",
  async ({ page, base }) => {
    const told = await page.evaluate(async (name) => {
      await new Promise((resolve, reject) => {
        const request = indexedDB.open("raven-edge-offline", 999);
        request.onsuccess = () => {
          request.result.close();
          resolve();
        };
        request.onerror = reject;
      });
      globalThis.store = open(name, { automatic: false });
      return store.offline.pending().catch(({ code, message }) => [code, message]);
    }, base);
    assert.equal(told[0], "Storage");
    assert.match(told[1], /newer version of the app/);
  },
);

withQueue("a database that was made anew gets nothing before the app says so", async (tools) => {
  const { page, base, documentOf } = tools;
  await savedAndQueued(tools);
  await remove(ravendb, base);
  await create(ravendb, base);
  const paused = await page.evaluate(async () => {
    const flushed = await store.offline.flush();
    const { paused, queued } = store.offline.status();
    return [flushed, paused, queued, seen("regression").find(({ offline }) => offline)];
  });
  assert.deepEqual(paused, [false, true, 1, { offline: "incarnation", unsaved: ["orders/2"] }]);
  assert.equal(await documentOf("orders/2"), undefined);
  const resumed = await page.evaluate(async () => {
    await store.offline.resume();
    return store.offline.flush();
  });
  assert.equal(resumed, true);
  assert.equal((await documentOf("orders/2")).total, 2);
});

withQueue(
  "what an older version of the app has queued is rewritten before it is sent",
  async ({ page, base, load, documentOf }) => {
    await page.evaluate(async (name) => {
      globalThis.store = open(name, { automatic: false });
      await queue(store, Order({ sum: 1 }), "orders/1");
      await edit(store, "orders/1", (order) => (order.sum = 2));
    }, base);
    await load(page);
    const flushed = await page.evaluate(async (name) => {
      const upgrade = ({ sum, ...rest }, { version }) => ({ ...rest, total: sum, from: version });
      globalThis.store = open(name, { version: 1, upgrade });
      return store.offline.flush();
    }, base);
    assert.equal(flushed, true);
    const { "@metadata": _, ...order } = await documentOf("orders/1");
    assert.deepEqual(order, { total: 2, from: 0 });
  },
);
