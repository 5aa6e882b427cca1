// The queue of a page behind the gateway: its receipts pass, and nothing is sent as another user.
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingChromium, visit } from "../support/chromium.mjs";
import { gateway } from "../support/gateway.mjs";
import { PAGE } from "../support/offline.mjs";
import { pkg } from "../support/pages.mjs";
import { serve } from "../support/serve.mjs";
import { document, missing, putDocument, ravendb } from "../support/server.mjs";

const options = { skip: missingChromium || missing(ravendb), timeout: 60_000 };
const rows = { owner: "$name" };
const collections = {
  Orders: { allow: ["write", "attach"], rows },
  Counts: "create",
  Notes: ["create", "change"],
};
const patches = {
  count: { collection: "Counts", script: "this.count += $by", parameters: { by: { type: "number" } } },
};
const queries = {
  mine: {
    query: "from Orders where owner = $name and total >= $from order by total as long",
    parameters: { from: { type: "number", default: 0 } },
    wait: 30_000,
  },
};

async function opened(t) {
  const functions = `authorize: (request) => {
    const name = request.headers.get("x-user");
    return name ? { name } : null;
  }`;
  const made = await gateway(t, { options: { collections, patches, queries, claims: ["name"] }, functions });
  const site = await serve(t, { folder: pkg, pages: { "/": PAGE }, raven: made.url });
  const { page, problems } = await visit(t, site.url);
  await page.waitForFunction(() => globalThis.loaded);
  await page.evaluate((name) => {
    globalThis.user = "ann";
    const headers = () => (globalThis.user ? { "x-user": globalThis.user } : {});
    globalThis.store = open(name, { automatic: false }, { headers });
  }, made.base);
  return { ...made, page, problems };
}

test("changes are saved once through the gateway, also when responses are lost", options, async (t) => {
  const { base, page, wire, problems } = await opened(t);
  await putDocument(ravendb, base, "counts/1", { count: 0, "@metadata": { "@collection": "Counts" } });
  // The first responses to batches are lost, but for every second one.
  let batches = 0;
  wire.rule = ({ path }) => (/bulk_docs$/.test(path) && [0, 2, 4].includes(batches++) ? "lose" : undefined);
  const states = await page.evaluate(async () => {
    const changes = [await queue(store, Order({ owner: "ann", total: 1 }), "orders/1")];
    for (const name of ["a", "b"]) {
      // The first is sent in the batch that creates the document; before the second the gateway reads it.
      const session = store.openSession();
      session.advanced.attachments.store("orders/1", name, "content");
      changes.push(await session.queueChanges());
      await store.offline.flush();
    }
    for (let turn = 0; turn < 3; turn++) {
      const session = store.openSession();
      session.advanced.patch("counts/1", { named: "count", parameters: { by: 2 } });
      changes.push(await session.queueChanges());
    }
    changes.push(await edit(store, "orders/1", (order) => (order.total = 2)));
    await store.offline.flush();
    return changes.map(({ state, error }) => error?.message ?? state);
  });
  assert.deepEqual(states, Array(7).fill("saved"));
  assert.equal((await document(ravendb, base, "counts/1")).count, 6);
  const order = await document(ravendb, base, "orders/1");
  assert.deepEqual(
    [order.total, order["@metadata"]["@attachments"].map(({ Name }) => Name)],
    [2, ["a", "b"]],
  );
  assert.deepEqual(problems, []);
});

test("the changes of a user wait while nobody, or somebody else, is signed in", options, async (t) => {
  const { base, page, wire } = await opened(t);
  const waits = await page.evaluate(async () => {
    await queue(store, Order({ owner: "ann" }), "orders/1");
    const seen = [];
    for (const user of ["", "bob"]) {
      globalThis.user = user;
      await store.offline.retry();
      const flushed = await store.offline.flush();
      const { needsAuth, queued } = store.offline.status();
      seen.push([flushed, needsAuth, queued]);
    }
    globalThis.user = "ann";
    await store.offline.retry();
    return [
      ...seen,
      [await store.offline.flush(), store.offline.status().needsAuth, store.offline.status().queued],
    ];
  });
  assert.deepEqual(waits, [
    [false, true, 1],
    [false, true, 1],
    [true, false, 0],
  ]);
  assert.equal(wire.of(({ path }) => /bulk_docs$/.test(path)).length, 1, "RavenDB was asked once");
  assert.equal((await document(ravendb, base, "orders/1")).owner, "ann");
});

test(
  "a conflict is told also if the change patches a document that its user may not read",
  options,
  async (t) => {
    const { base, page } = await opened(t);
    const theirs = { owner: "ann", total: 1, "@metadata": { "@collection": "Orders" } };
    await putDocument(ravendb, base, "orders/1", theirs);
    await putDocument(ravendb, base, "counts/1", { count: 0, "@metadata": { "@collection": "Counts" } });
    await page.evaluate(async () => {
      const session = store.openSession();
      const order = await session.load("orders/1");
      order.total = 2;
      session.advanced.patch("counts/1", { named: "count", parameters: { by: 1 } });
      await session.queueChanges();
    });
    await putDocument(ravendb, base, "orders/1", { ...theirs, total: 3 });
    const told = await page.evaluate(async () => {
      await store.offline.flush({ timeout: 5_000 });
      const { conflicts, online } = store.offline.status();
      const [conflict] = await store.offline.conflicts();
      await conflict?.resolve("mine");
      return [conflicts, online, await store.offline.flush()];
    });
    assert.deepEqual(told, [1, true, true]);
    assert.equal((await document(ravendb, base, "orders/1")).total, 2);
    assert.equal((await document(ravendb, base, "counts/1")).count, 1);
  },
);

test("a conflict about a document that its user may not read stops no other change", options, async (t) => {
  const { base, page } = await opened(t);
  const states = await page.evaluate(async () => {
    const session = store.openSession();
    const note = { text: "mine", "@metadata": { "@collection": "Notes" } };
    await session.store(note, "notes/1");
    globalThis.first = await session.queueChanges();
    await store.offline.flush();
    note.text = "mine again";
    globalThis.second = await session.queueChanges();
    return [first.state, second.state];
  });
  assert.deepEqual(states, ["saved", "queued"]);
  await putDocument(ravendb, base, "notes/1", { text: "theirs", "@metadata": { "@collection": "Notes" } });
  const left = await page.evaluate(async () => {
    const other = await queue(store, Order({ owner: "ann" }), "orders/1");
    await store.offline.flush({ timeout: 5_000 });
    const { conflicts, online } = store.offline.status();
    const told = await store.offline.conflicts();
    const states = [other.state, second.state];
    await store.offline.discard(second);
    return [states, conflicts, online, told, await store.offline.flush()];
  });
  assert.deepEqual(left, [["saved", "conflict"], 1, true, [], true]);
  assert.equal((await document(ravendb, base, "notes/1")).text, "theirs");
});

for (const merge of [undefined, { Orders: "lastWriter" }])
  test(
    `mine of a document that is no longer the user's ends under a new id; merge: ${JSON.stringify(merge)}`,
    options,
    async (t) => {
      const { base, page, wire } = await opened(t);
      const order = { owner: "ann", total: 1, "@metadata": { "@collection": "Orders" } };
      await putDocument(ravendb, base, "orders/900", order);
      const change = (owner) => putDocument(ravendb, base, "orders/900", { ...order, owner, total: 3 });
      await page.evaluate(
        async ([name, merge]) => {
          await store.dispose();
          const headers = () => ({ "x-user": "ann" });
          globalThis.store = open(name, { automatic: false, ...(merge && { merge }) }, { headers });
          globalThis.change = await edit(store, "orders/900", (order) => (order.total = 2));
        },
        [base, merge],
      );
      await change("bob");
      const told = await page.evaluate(async () => {
        const shown = ({ documents }) => documents.map(({ theirs, hidden }) => [theirs, !!hidden]);
        const seen = [];
        let renamed = {};
        for (let turn = 0; turn < 3 && change.state !== "saved"; turn++) {
          await store.offline.flush({ timeout: 10_000 });
          const [conflict] = await store.offline.conflicts();
          if (!conflict) break;
          seen.push(...shown(conflict));
          if (conflict.documents[0].hidden)
            await code(conflict.resolve([{ total: 5 }])).then((is) => seen.push(is));
          renamed = await conflict.resolve("mine");
        }
        return [seen, renamed, await store.offline.flush(), change.state];
      });
      const [seen, renamed, isAll, state] = told;
      const hidden = [[null, true], "InvalidOperation"];
      // Without a rule the user is asked first what to do about a document that is gone.
      assert.deepEqual(seen, merge ? hidden : [[null, false], ...hidden]);
      assert.deepEqual([isAll, state], [true, "saved"]);
      const theirs = await document(ravendb, base, "orders/900");
      assert.deepEqual([theirs.owner, theirs.total], ["bob", 3]);
      const mine = await document(ravendb, base, renamed["orders/900"]);
      assert.deepEqual([mine.owner, mine.total], ["ann", 2]);
      assert.ok(wire.of(({ path }) => /bulk_docs$/.test(path)).length < 10, "it is not sent time and again");
    },
  );

test("what the gateway does not permit is parked with its reason", options, async (t) => {
  const { base, page } = await opened(t);
  const parked = await page.evaluate(async () => {
    const change = await queue(store, Order({ owner: "bob" }), "orders/1");
    await queue(store, Order({ owner: "ann" }), "orders/2");
    await store.offline.flush();
    return [change.state, change.error?.type];
  });
  assert.deepEqual(parked, ["refused", "RavenEdge.Gateway.DocumentRefused"]);
  assert.equal(await document(ravendb, base, "orders/1"), undefined);
  assert.ok(await document(ravendb, base, "orders/2"));
});

test(
  "results of named queries are kept by name, parameters and page, for a time without RavenDB",
  options,
  async (t) => {
    const { base, page, wire } = await opened(t);
    for (const total of [1, 2, 3]) {
      const order = { owner: total < 3 ? "ann" : "bob", total, "@metadata": { "@collection": "Orders" } };
      await putDocument(ravendb, base, `orders/${total}`, order);
    }
    const read = () =>
      page.evaluate(async (name) => {
        const headers = () => ({ "x-user": "ann" });
        globalThis.keeping ??= open(name, { automatic: false, documents: {} }, { headers });
        const query = (from, take) => {
          const made = keeping.openSession().query({ named: "mine", parameters: { from } });
          return (take ? made.take(take) : made).all().then(
            (orders) => orders.map(({ id }) => id).join(),
            ({ code }) => code,
          );
        };
        const all = [await query(0), await query(2), await query(0, 1)];
        // What was kept until now is on the device.
        await keeping.openSession({ offline: "only" }).load("orders/1");
        return [...all, globalThis.isOff && (await query(1)), globalThis.isOff && (await query(0, 2))];
      }, base);
    assert.deepEqual((await read()).slice(0, 3), ["orders/1,orders/2", "orders/2", "orders/1"]);
    wire.rule = () => "drop";
    await page.evaluate(() => (globalThis.isOff = true));
    assert.deepEqual(await read(), [
      "orders/1,orders/2",
      "orders/2",
      "orders/1",
      "Unreachable",
      "Unreachable",
    ]);
  },
);
