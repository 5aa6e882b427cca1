// Documents on the device: what sessions see of them without a connection, with pending changes laid over them.
import assert from "node:assert/strict";
import { withQueue } from "../support/offline.mjs";
import { create, putDocument, ravendb, remove } from "../support/server.mjs";

/** A store that keeps documents, and has a query by name. */
const STORE = (name, given = {}) => {
  globalThis.store = open(name, { documents: {}, automatic: false, patience: 60_000, ...given });
  store.named({ queries: { all: { query: "from Orders order by total as long", wait: 30_000 } } });
};

const order = (base, id, fields) =>
  putDocument(ravendb, base, id, { ...fields, "@metadata": { "@collection": "Orders" } });

withQueue("what was loaded is there without a connection, and what was not rejects", async (tools) => {
  const { page, base, gate, load } = tools;
  await order(base, "orders/1", { total: 1, customer: "customers/1" });
  await order(base, "orders/5", { total: 5, customer: "__proto__" });
  for (const id of ["customers/1", "__proto__"])
    await putDocument(ravendb, base, id, { name: "A", "@metadata": { "@collection": "Customers" } });
  await page.evaluate(STORE, base);
  await page.evaluate(async () => {
    const session = store.openSession();
    await session.include("customer").load(["orders/1", "orders/5"]);
    await session.load(["orders/2", "orders/3"]);
    await session.advanced.loadStartingWith("customers/");
    await store.openSession({ offline: "only" }).load("orders/1");
  });
  gate.open = false;
  await load(page);
  await page.evaluate(STORE, base);
  const seen = await page.evaluate(async () => {
    const session = store.openSession();
    const order = await session.include("customer").load("orders/1");
    const { name } = await session.load("customers/1");
    await session.include("customer").load("orders/5");
    const { numberOfRequests } = session.advanced;
    await session.load("__proto__");
    const isIncluded = session.advanced.numberOfRequests === numberOfRequests;
    const listed = await session.advanced.loadStartingWith("customers/");
    const absent = await session.load(["orders/2", "orders/3"]);
    const keptAt = session.advanced.getKeptAt(order);
    const { code, message } = await session.load("orders/4").catch((error) => error);
    const [other] = await Promise.allSettled([session.advanced.loadStartingWith("orders/")]);
    return {
      id: order.id,
      total: order.total,
      vector: session.advanced.getChangeVectorFor(order) !== "",
      name,
      isIncluded,
      listed: listed.map(({ id }) => id),
      absent,
      isKept: Date.now() - keptAt.getTime() < 60_000,
      error: [code, /orders\/4 is not kept on this device/.test(message)],
      other: other.reason?.code,
      requests: session.advanced.numberOfRequests,
    };
  });
  assert.deepEqual(seen, {
    id: "orders/1",
    total: 1,
    vector: true,
    name: "A",
    isIncluded: true,
    listed: ["customers/1"],
    absent: { "orders/2": null, "orders/3": null },
    isKept: true,
    error: ["Unreachable", true],
    other: "Unreachable",
    requests: seen.requests,
  });
});

withQueue("results of a named query keep their order, with pending changes laid over them", async (tools) => {
  const { page, base, gate, load } = tools;
  for (const total of [1, 2, 3, 4]) await order(base, `orders/${total}`, { total });
  await page.evaluate(STORE, base);
  await page.evaluate(async () => {
    await store.openSession().query({ named: "all" }).all();
    await store.openSession({ offline: "only" }).load("orders/1");
  });
  gate.open = false;
  await load(page);
  await page.evaluate(STORE, base);
  const seen = await page.evaluate(async () => {
    await edit(store, "orders/2", (order) => (order.total = 20));
    const session = store.openSession();
    await session.delete("orders/3");
    await session.queueChanges();
    await queue(store, Order({ total: 5 }), "orders/5");
    const fresh = store.openSession();
    let statistics;
    const all = await fresh
      .query({ named: "all" })
      .statistics((given) => (statistics = given))
      .all();
    const [other] = await Promise.allSettled([fresh.query({ named: "all" }).take(1).all()]);
    return {
      all: all.map(({ id, total }) => [id, total]),
      pending: statistics.pending.map((document) => [document["@metadata"]["@id"], document.total]),
      keptAt: statistics.keptAt instanceof Date,
      other: other.reason?.code,
    };
  });
  assert.deepEqual(seen, {
    all: [
      ["orders/1", 1],
      ["orders/2", 20],
      ["orders/4", 4],
    ],
    pending: [["orders/5", 5]],
    keptAt: true,
    other: "Unreachable",
  });
  gate.open = true;
  const online = await page.evaluate(async () => {
    let statistics;
    const before = await store
      .openSession()
      .query({ named: "all" })
      .statistics((given) => (statistics = given))
      .all();
    const pending = statistics.pending.length;
    const flushed = await store.offline.flush();
    const after = await store.openSession().query({ named: "all" }).all();
    const kept = await store.openSession({ offline: "only" }).query({ named: "all" }).all();
    return [before, after, kept]
      .map((all) => all.map(({ id, total }) => `${id}:${total}`))
      .concat(pending, flushed);
  });
  const saved = ["orders/1:1", "orders/4:4", "orders/5:5", "orders/2:20"];
  assert.deepEqual(online, [["orders/1:1", "orders/2:20", "orders/4:4"], saved, saved, 1, true]);
});

withQueue(
  "a document from the device can be changed, and a conflict is found when it is sent",
  async (tools) => {
    const { page, base, gate, load, documentOf } = tools;
    await order(base, "orders/1", { total: 1 });
    await page.evaluate(STORE, base);
    await page.evaluate(() => store.offline.prefetch(["orders/1"]));
    gate.open = false;
    await load(page);
    await page.evaluate(STORE, base);
    await page.evaluate(() => edit(store, "orders/1", (order) => (order.total = 2)));
    await order(base, "orders/1", { total: 3 });
    gate.open = true;
    const found = await page.evaluate(async () => {
      const flushed = await store.offline.flush();
      const [conflict] = await store.offline.conflicts();
      const [{ base, mine, theirs }] = conflict.documents;
      const kept = await store.openSession({ offline: "only" }).load("orders/1");
      await conflict.resolve("mine");
      await store.offline.flush();
      const after = await store.openSession({ offline: "only" }).load("orders/1");
      return [flushed, base.total, mine.total, theirs.total, kept.total, after.total];
    });
    assert.deepEqual(found, [false, 1, 2, 3, 2, 2]);
    assert.equal((await documentOf("orders/1")).total, 2);
  },
);

withQueue(
  "saves, deletions and settled changes are kept; after a patch the document is read again",
  async (tools) => {
    const { page, base, gate } = tools;
    await page.evaluate(STORE, base);
    const seen = await page.evaluate(async () => {
      const session = store.openSession();
      const [a, b, c] = [Order({ total: 1 }), Order({ total: 2 }), Order({ total: 3 })];
      await session.store(a, "orders/a");
      await session.store(b, "orders/b");
      await session.store(c, "orders/c");
      await session.saveChanges();
      a.total = 10;
      await session.delete(b);
      await session.saveChanges();
      const only = () => store.openSession({ offline: "only" });
      const saved = await only().load(["orders/a", "orders/b", "orders/c"]);
      await edit(store, "orders/a", (order) => (order.total = 11));
      await store.offline.flush();
      const settled = await only().load("orders/a");
      const vector = only();
      const kept = vector.advanced.getChangeVectorFor(await vector.load("orders/a"));
      const online = store.openSession({ offline: "never" });
      const current = online.advanced.getChangeVectorFor(await online.load("orders/a"));
      const patching = store.openSession();
      patching.advanced.increment("orders/c", "total", 1);
      await patching.saveChanges();
      return [
        saved["orders/a"].total,
        saved["orders/b"],
        saved["orders/c"].total,
        settled.total,
        kept === current,
      ];
    });
    assert.deepEqual(seen, [10, null, 3, 11, true]);
    const patched = await page.evaluate(async () => {
      for (;;) {
        const [{ value }] = await Promise.allSettled([
          store.openSession({ offline: "only" }).load("orders/c"),
        ]);
        if (value) return value.total;
      }
    });
    assert.equal(patched, 4);
    gate.open = true;
  },
);

withQueue("each mode reads from where it says", async (tools) => {
  const { page, base, gate, wire } = tools;
  await order(base, "orders/1", { total: 1 });
  await page.evaluate(STORE, base);
  await page.evaluate(() => store.offline.prefetch(["orders/1"]));
  await order(base, "orders/1", { total: 2 });
  const read = (mode) =>
    page.evaluate(async (offline) => {
      const session = store.openSession({ offline });
      try {
        return (await session.load("orders/1")).total;
      } catch ({ code }) {
        return code;
      }
    }, mode);
  // The store may still read its topology.
  const asked = () => wire.of(({ path }) => path.endsWith("/docs")).length;
  const before = asked();
  assert.equal(await read("only"), 1);
  assert.equal(asked(), before, "the server is not asked");
  assert.equal(await read("first"), 1, "what is kept");
  const refreshed = await page.evaluate(async () => {
    for (;;) {
      const { total } = await store.openSession({ offline: "only" }).load("orders/1");
      if (total === 2) return total;
    }
  });
  assert.equal(refreshed, 2, "it is refreshed behind");
  assert.equal(await read("fallback"), 2);
  assert.equal(await read("never"), 2);
  gate.open = false;
  assert.equal(await read("first"), 2);
  assert.equal(await read("never"), "Unreachable");
  assert.equal(await read("fallback"), 2);
  gate.open = true;
  wire.rule = ({ path }) => (/docs$/.test(path) ? "hole" : undefined);
  await page.evaluate(STORE, base).catch(() => {});
  await page.evaluate((name) => {
    globalThis.store = open(name, { documents: {}, patience: 50 });
  }, base);
  assert.equal(await read("fallback"), 2, "the server does not respond in time");
  const refused = await page.evaluate(async (name) => {
    const refusal = (call) => {
      try {
        call();
        return "none";
      } catch ({ code, message }) {
        return `${code}: ${message}`;
      }
    };
    const plain = new store.constructor("/raven", name).initialize();
    return [
      refusal(() => store.openSession({ offline: "frist" })),
      refusal(() => plain.openSession({ offline: "only" })),
      refusal(() => open(name).openSession({ offline: "only" })),
      await open(name)
        .offline.prefetch([])
        .catch(({ code }) => code),
    ];
  }, base);
  assert.match(refused[0], /InvalidArgument: .*did you mean "first"/);
  assert.match(refused[1], /InvalidOperation/);
  assert.match(refused[2], /InvalidOperation/);
  assert.equal(refused[3], "InvalidOperation");
});

withQueue("what is kept belongs to a user and an incarnation", async (tools) => {
  const { page, base, gate, tab, wire } = tools;
  await order(base, "orders/1", { total: 1 });
  const keep = async () => {
    await page.evaluate(STORE, base);
    await page.evaluate(() => store.offline.prefetch(["orders/1"]));
  };
  const only = (where = page, user = "ann") =>
    where.evaluate(
      async ([name, user]) => {
        const own = open(name, { user, documents: {}, automatic: false });
        const session = own.openSession({ offline: "only" });
        return session.load("orders/1").then(
          ({ total }) => total,
          ({ code }) => code,
        );
      },
      [base, user],
    );
  await keep();
  assert.equal(await only(), 1);
  // Another user opens a store in another tab: also without documents of his own, and while the first has theirs open.
  const other = await tab();
  await other.evaluate(async (name) => {
    globalThis.store = open(name, { user: "bob", automatic: false });
    await store.offline.pending();
  }, base);
  const seen = await page.evaluate(async () => {
    const codes = [];
    for (const id of ["orders/1", "orders/1"]) {
      codes.push(await code(store.openSession({ offline: "only" }).load(id)));
      await store.openSession().load(id);
    }
    return codes;
  });
  assert.deepEqual(seen, ["Unreachable", "Unreachable"], "nothing more is kept for the first user");
  assert.equal(await only(other, "bob"), "Unreachable");
  await keep();
  assert.equal(await only(), 1);
  // A response that was requested before is not kept.
  let arrive;
  const asked = new Promise((begin) => {
    wire.rule = ({ path }) =>
      /docs$/.test(path)
        ? new Promise((resolve) => {
            arrive = resolve;
            begin();
          })
        : undefined;
  });
  const loaded = page.evaluate(async () => (await store.openSession().load("orders/1")).total);
  await asked;
  await page.evaluate(() => store.offline.clear());
  arrive();
  assert.equal(await loaded, 1);
  wire.rule = undefined;
  const codes = await page.evaluate(() => code(store.openSession({ offline: "only" }).load("orders/1")));
  assert.equal(codes, "Unreachable");
  assert.equal(await only(), "Unreachable");
  await keep();
  assert.equal(await only(), 1);
  await remove(ravendb, base);
  await create(ravendb, base);
  await order(base, "orders/2", { total: 2 });
  assert.equal(await only(), 1, "the device has not heard of it");
  await page.evaluate(() => store.openSession().load("orders/2"));
  assert.equal(await only(), "Unreachable");
  gate.open = true;
});

withQueue("what was not used for longest is evicted, and what pending changes need is not", async (tools) => {
  const { page, base, gate } = tools;
  const text = "x".repeat(1_000);
  for (let number = 1; number <= 40; number++) await order(base, `orders/${number}`, { number, text });
  await page.evaluate(STORE, base);
  await page.evaluate(() => store.offline.prefetch(["orders/1"]));
  const there = await page.evaluate(async (name) => {
    const small = open(name, { documents: { maxBytes: 50_000 }, automatic: false });
    small.offline.pause();
    const session = small.openSession();
    session.advanced.increment("orders/1", "number", 1);
    await session.queueChanges();
    const only = () => small.openSession({ offline: "only" });
    for (let number = 2; number <= 40; number++) {
      await small.openSession().load(`orders/${number}`);
      // Used again and again.
      await only()
        .load("orders/3")
        .catch(() => {});
    }
    const ids = [];
    for (let number = 1; number <= 40; number++)
      await only()
        .load(`orders/${number}`)
        .then(
          () => ids.push(number),
          () => {},
        );
    return ids;
  }, base);
  assert.ok(there.includes(1), "a pending patch needs it");
  assert.ok(there.includes(3), "it was used");
  assert.ok(there.includes(40), "it came last");
  assert.ok(!there.includes(2));
  assert.ok(there.length >= 10 && there.length <= 24, `${there}`);
  gate.open = true;
});

withQueue("only documents of the named collections are kept", async ({ page, base }) => {
  await order(base, "orders/1", { total: 1 });
  await putDocument(ravendb, base, "secrets/1", { "@metadata": { "@collection": "Secrets" } });
  await page.evaluate(STORE, base);
  const seen = await page.evaluate(async (name) => {
    const own = open(name, { documents: { collections: ["Orders"] }, automatic: false });
    await own.offline.prefetch(["orders/1", "secrets/1"]);
    const session = own.openSession();
    const secret = Order();
    secret["@metadata"]["@collection"] = "Secrets";
    await session.store(secret, "secrets/2");
    await session.saveChanges();
    const only = (id) => code(own.openSession({ offline: "only" }).load(id));
    return [await only("orders/1"), await only("secrets/1"), await only("secrets/2")];
  }, base);
  assert.deepEqual(seen, [undefined, "Unreachable", "Unreachable"]);
});

withQueue(
  "without IndexedDB sessions read from the server, and the app is told once",
  async ({ page, base, gate }) => {
    await order(base, "orders/1", { total: 1 });
    const reported = await page.evaluate(async (name) => {
      Object.defineProperty(globalThis, "indexedDB", { value: undefined });
      const own = open(name, { documents: {} });
      const read = () => own.openSession().load("orders/1");
      const [one] = [await read(), await read()];
      await own.openSession().load("orders/2");
      const prefetched = await code(own.offline.prefetch(["orders/1"]));
      // Numbers have an event of their own.
      const told = seen("storage").filter(({ error }) => /^documents/.test(error.message));
      return [one.total, prefetched, told.map(({ error }) => error.code)];
    }, base);
    assert.deepEqual(reported, [1, "Storage", ["Storage"]]);
    gate.open = false;
    const alone = await page.evaluate(
      (name) => code(open(name, { documents: {} }).openSession().load("orders/1")),
      base,
    );
    assert.equal(alone, "Unreachable");
  },
);

/** From now on the device is full, until a kept text is deleted; `always`: whatever is deleted. */
const FILL = (always) => {
  globalThis.isFull = true;
  const { put, delete: remove } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (...given) {
    if (globalThis.isFull && /texts$/i.test(this.name)) throw new DOMException("full", "QuotaExceededError");
    return put.apply(this, given);
  };
  IDBObjectStore.prototype.delete = function (...given) {
    if (this.name === "keptTexts" && !always) globalThis.isFull = false;
    return remove.apply(this, given);
  };
};

withQueue(
  "on a full device what is kept makes room, and is never older than what was seen",
  async (tools) => {
    const { page, base, gate, load, tab } = tools;
    for (const total of [1, 2]) await order(base, `orders/${total}`, { total });
    const totals = (where = page) =>
      where.evaluate(async () => {
        const load = (id) => store.openSession({ offline: "only" }).load(id);
        const all = await Promise.allSettled([load("orders/1"), load("orders/2")]);
        return all.map(({ value, reason }) => value?.total ?? reason.code);
      });
    await page.evaluate(STORE, base);
    await page.evaluate(() => store.offline.prefetch(["orders/1", "orders/2"]));
    await order(base, "orders/1", { total: 10 });
    await page.evaluate(FILL, false);
    await page.evaluate(() => store.openSession().load("orders/1"));
    assert.deepEqual(await totals(), [10, "Unreachable"], "what came last has taken the room of the rest");
    await page.evaluate(() => (globalThis.isFull = true));
    const queued = await page.evaluate(async () => {
      const change = await queue(store, Order({ total: 3 }), "orders/3");
      return [change.state, await store.offline.pending()];
    });
    assert.deepEqual(queued, ["queued", 1], "a change is worth more than what is kept");
    await load(page);
    await page.evaluate(STORE, base);
    await page.evaluate(() => store.offline.prefetch(["orders/1", "orders/2"]));
    await order(base, "orders/1", { total: 100 });
    await page.evaluate(FILL, true);
    await page.evaluate(() => store.openSession().load("orders/1"));
    assert.deepEqual(await totals(), ["Unreachable", "Unreachable"]);
    const told = await page.evaluate(() => seen("storage").map(({ error }) => error.message));
    assert.deepEqual(told, ["documents cannot be kept on this device: it is full"]);
    const next = await tab();
    await next.evaluate(STORE, base);
    assert.deepEqual(await totals(next), ["Unreachable", "Unreachable"]);
    gate.open = true;
  },
);

withQueue("a watch shows what is kept at once, and pending changes when they are queued", async (tools) => {
  const { page, base, gate, load } = tools;
  for (const total of [1, 2]) await order(base, `orders/${total}`, { total });
  await page.evaluate(STORE, base);
  await page.evaluate(() => store.offline.prefetch({ named: "all" }));
  gate.open = false;
  await load(page);
  await page.evaluate(STORE, base);
  const seen = await page.evaluate(async () => {
    globalThis.calls = [];
    let wake = () => {};
    globalThis.shows = async (fits) => {
      while (!fits(calls.at(-1) ?? [])) await new Promise((resolve) => (wake = resolve));
      return calls.at(-1)[0];
    };
    const callback = (results, state) => {
      calls.push([results?.map(({ id, total }) => `${id}:${total}`).join(" "), state]);
      wake();
    };
    globalThis.stop = store.watch({ named: "all" }, callback, { collections: ["Orders"], every: 3_600_000 });
    await shows(([results]) => results);
    const [first, { kept, connected }] = calls[0];
    await edit(store, "orders/1", (order) => (order.total = 10));
    const changed = await shows(([results]) => results?.includes(":10"));
    // A new document is not among the results: only the server runs the query.
    await queue(store, Order({ total: 3 }), "orders/3");
    await shows(([, state]) => state?.pending);
    const [results, { pending }] = calls.at(-1);
    const made = pending.map(({ id, total }) => `${id}:${total}`);
    return [first, kept, connected, changed, results, made];
  });
  const changed = "orders/1:10 orders/2:2";
  assert.deepEqual(seen, ["orders/1:1 orders/2:2", true, false, changed, changed, ["orders/3:3"]]);
  gate.open = true;
  const after = await page.evaluate(async () => {
    stop();
    await store.offline.flush();
    const ids = [];
    await new Promise((resolve) => {
      const end = store.watch(
        { named: "all" },
        (results, { kept }) => {
          ids.push(...results.map(({ id, total }) => `${id}:${total}`));
          if (!kept) resolve(end);
        },
        { collections: ["Orders"] },
      );
    }).then((end) => end());
    return ids.slice(-3);
  });
  assert.deepEqual(after, ["orders/2:2", "orders/3:3", "orders/1:10"], "the server's, when they have come");
});
