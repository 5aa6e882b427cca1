// Lazy loads: their values, their errors, and what `evict` and `clear` mean for them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMIT, missing, onServers, putDocument, ravendb } from "../support/server.mjs";
import { failure, prepared, within } from "../support/store.mjs";

/** Queries and patches: the authority has none. */
const SERVER = { skip: missing(ravendb), timeout: LIMIT };

const BIG = '{"list":[9007199254740993,1],"a":{"n":9007199254740993},"@metadata":{"@collection":"S"}}';

onServers(
  "a lazy load of an evicted document does not request it and does not mark it as missing",
  async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    await putDocument(server, name, "s/1", BIG);
    const known = await session.load("s/1");
    const lazies = ["s/1", "s/2"].map((id) => session.advanced.lazily.load(id));
    wire.rule = () => void session.advanced.evict(known);
    for (const lazy of lazies) assert.equal(await lazy.getValue(), null);
    wire.rule = undefined;
    assert.ok(await session.load("s/1"));
  },
);

onServers("an error of onEval rejects only the value of its own lazy load", async (t, server) => {
  const { session } = await prepared(t, server);
  const thrown = new Error("the app's own");
  const load = () =>
    session.advanced.lazily.load("s/1", undefined, () => {
      throw thrown;
    });
  const [first, other] = [load(), session.advanced.lazily.load("s/2")];
  assert.equal(await other.getValue(), null);
  assert.equal(await failure(first.getValue()), thrown);
  load();
  assert.equal(await failure(session.advanced.eagerly.executeAllPendingLazyOperations()), thrown);
});

onServers(
  "lazy loads can be repeated after a network failure, and are forgotten by clear",
  async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    await putDocument(server, name, "s/1", BIG);
    const [one, none] = ["s/1", "s/2"].map((id) => session.advanced.lazily.load(id));
    wire.rule = () => "drop";
    const outcomes = await Promise.all([failure(one.getValue()), failure(none.getValue())]);
    assert.deepEqual(
      outcomes.map(({ code }) => code),
      ["Unreachable", "Unreachable"],
    );
    wire.rule = undefined;
    assert.ok(await one.getValue());
    assert.equal(none.isValueCreated(), true);
    const cleared = session.advanced.lazily.load("s/3");
    session.advanced.clear();
    assert.equal(await cleared.getValue(), null);
  },
);

test("a lazy query of an index that does not exist fails", SERVER, async (t) => {
  const { session } = await prepared(t, ravendb);
  const query = () => session.query({ indexName: "No/Such" });
  const raw = session.advanced.rawQuery("from index 'No/Such'");
  for (const lazy of [query().lazily(), query().countLazily()])
    assert.equal((await failure(lazy.getValue())).name, "IndexDoesNotExistException");
  assert.equal((await failure(raw.lazily().getValue())).status, 404);
});

onServers("a lazy listing returns entities that the session has stored, by id", async (t, server) => {
  const { session } = await prepared(t, server);
  class Plain {}
  const entity = new Plain();
  await session.store(entity, "plain/1");
  await session.saveChanges();
  const found = await session.advanced.lazily.loadStartingWith("plain/").getValue();
  assert.deepEqual(Object.keys(found), ["plain/1"]);
  assert.equal(found["plain/1"], entity);
});

onServers("the rejection of an async onEval rejects the value", async (t, server) => {
  const { session } = await prepared(t, server);
  const { lazily, eagerly } = session.advanced;
  const mine = async () => {
    // onEval runs after the session's operation, so it can use the session.
    await session.load("orders/2");
    throw new Error("mine");
  };
  const first = lazily.load("orders/1", undefined, mine);
  await assert.rejects(within(10_000, first.getValue()), /mine/);
  await assert.rejects(first.getValue(), /mine/);
  lazily.load("orders/3", undefined, mine);
  await assert.rejects(within(10_000, eagerly.executeAllPendingLazyOperations()), /mine/);
  // It may request its own value, which is available.
  const own = lazily.load("orders/4", undefined, async () => assert.equal(await own.getValue(), null));
  assert.equal(await within(10_000, own.getValue()), null);
});
