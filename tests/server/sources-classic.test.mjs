// The source `classic`: a function of the app gives the next Hi.
import assert from "node:assert/strict";
import { test } from "node:test";
import { document, missing, order, ravendb } from "../support/server.mjs";
import { events, failure, open, prepared } from "../support/store.mjs";

/** An address where nothing listens; no request is sent to it. */
const NOWHERE = "http://127.0.0.1:9";

const store = (t, source, options) =>
  open(t, NOWHERE, "Shop", { source: { kind: "classic", ...source }, ...options });

/** The next Hi of a counter in memory, which several stores may share. */
function counting() {
  const his = new Map();
  return (tag) => {
    his.set(tag, (his.get(tag) ?? 0) + 1);
    return his.get(tag);
  };
}

async function take(store, tag, count) {
  const ids = [];
  for (let i = 0; i < count; i++) ids.push(await store.hilo(tag).next());
  return ids;
}

test("with capacity 3 the first Hi gives 1, 2, 3 and the next one 4, 5, 6", async (t) => {
  const next = counting();
  const asked = [];
  const made = store(t, { capacity: 3, next: (tag) => asked.push(tag) && next(tag) });
  assert.deepEqual(await take(made, "orders", 3), ["orders/1", "orders/2", "orders/3"]);
  assert.deepEqual(await take(made, "orders", 3), ["orders/4", "orders/5", "orders/6"]);
  assert.deepEqual(asked.slice(0, 2), ["orders", "orders"], "once for each Hi");
  assert.deepEqual(await take(made, "lines", 1), ["lines/1"]);
});

test("two clients share the Hi and never issue the same number", async (t) => {
  const next = counting();
  const [a, b] = [store(t, { capacity: 3, next }), store(t, { capacity: 3, next })];
  const ids = (await Promise.all([take(a, "orders", 50), take(b, "orders", 50)])).flat();
  assert.equal(new Set(ids).size, 100);
});

test("the Hi may be a promise, a text as SQL drivers return it, or an object with the capacity", async (t) => {
  for (const next of [async () => 2, () => "2", () => ({ hi: 2 }), async () => ({ hi: "2", capacity: 3 })])
    assert.equal(await store(t, { capacity: 3, next }).hilo("orders").next(), "orders/4");
});

for (const [what, response, field] of [
  ["another capacity", { hi: 1, capacity: 4 }, "capacity"],
  ["no Hi", {}, "hi"],
  ["nothing", undefined, "hi"],
  ["0", 0, "hi"],
  ["a fraction", 1.5, "hi"],
  ["NaN", Number.NaN, "hi"],
  ["a BigInt, which JSON cannot show", 1n, "hi"],
  ["too much", 2 ** 53, "hi"],
]) {
  test(`an invalid Hi is an error that names the field: ${what}`, async (t) => {
    const made = store(t, { capacity: 3, next: () => response });
    const { code, message } = await failure(made.hilo("orders").next());
    assert.equal(code, "BadAnswer");
    assert.match(message, new RegExp(`field ${field};`));
  });
}

test("a repeated Hi is refused, and the next one is requested", async (t) => {
  const responses = [1, 1, 2];
  const made = store(t, { capacity: 3, next: () => responses.shift() });
  const back = events(made, "regression");
  assert.deepEqual(await take(made, "orders", 4), ["orders/1", "orders/2", "orders/3", "orders/4"]);
  const { tag, low, high } = await back.next();
  assert.deepEqual({ tag, low, high }, { tag: "orders", low: 1, high: 3 });
});

test("a Hi that is repeated forever is an error, not a duplicate", async (t) => {
  const made = store(t, { capacity: 3, next: () => 1 });
  await take(made, "orders", 3);
  const { code, message } = await failure(made.hilo("orders").next());
  assert.equal(code, "BadAnswer");
  assert.match(message, /field hi;/);
});

test("documents are saved under these ids", { skip: missing(ravendb), timeout: 60_000 }, async (t) => {
  const source = { kind: "classic", capacity: 3, next: counting() };
  const { name, session } = await prepared(t, ravendb, { source });
  const entities = [order({ i: 0 }), order({ i: 1 })];
  for (const entity of entities) await session.store(entity);
  await session.saveChanges();
  assert.deepEqual(
    entities.map(({ id }) => id),
    ["orders/1", "orders/2"],
  );
  assert.equal((await document(ravendb, name, "orders/2")).i, 1);
});
