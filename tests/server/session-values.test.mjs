// Values of documents are unchanged after save and load, few or many.
import assert from "node:assert/strict";
import { isSave, proxy } from "../support/proxy.mjs";
import { counter, database, onServers, order } from "../support/server.mjs";
import { failure, open } from "../support/store.mjs";

onServers(
  "2,000 documents with all kinds of text and numbers are unchanged after one save and load",
  async (t, server) => {
    const name = await database(t, server);
    const wire = await proxy(t, server.url);
    const store = open(t, wire.url, name);
    const texts = [
      "",
      "käse",
      "日本語",
      "😀🧀👩‍👩‍👧",
      "\u2028\u2029",
      '"\\/',
      "a\nb\tc\r\b\f",
      "\u0001\u001f\u007f",
      "‮rtl",
      "x".repeat(5_000),
      "null",
      "]}",
      "\ufeff",
    ];
    const numbers = [
      0,
      1,
      -1,
      0.1,
      1e21,
      1e-7,
      5e-324,
      Number.MAX_VALUE,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
      123456789.12345679,
      1 / 3,
    ];
    const make = (i) => ({
      i,
      text: texts[i % texts.length],
      number: numbers[i % numbers.length],
      [`key ${texts[i % 9]}`]: [
        texts[(i * 7) % texts.length],
        { [texts[(i * 3) % 9] || "k"]: numbers[(i * 5) % numbers.length] },
      ],
      none: null,
      yes: i % 2 === 0,
      empty: [{}, []],
    });
    const session = store.openSession();
    const entities = Array.from({ length: 2_000 }, (_, i) => order(make(i)));
    for (const entity of entities) await session.store(entity);
    await session.saveChanges();
    assert.equal(wire.of(isSave).length, 1);
    const reader = store.openSession();
    const loaded = await reader.load(entities.map(({ id }) => id));
    assert.equal(reader.advanced.hasChanges(), false);
    for (const [i, { id }] of entities.entries()) {
      const { "@metadata": metadata, id: shown, ...values } = loaded[id];
      assert.deepEqual(values, make(i), id);
      assert.equal(shown, id);
      assert.equal(metadata["@collection"], "Orders");
    }
    await store.dispose();
    assert.equal(await counter(server, name, "orders"), 2_000);
  },
);

onServers("lone surrogates and a __proto__ member are saved and loaded", async (t, server) => {
  const name = await database(t, server);
  const store = open(t, server.url, name);
  const session = store.openSession();
  const entity = order({
    half: "a\ud800b",
    data: JSON.parse('{"__proto__":{"x":1},"constructor":2,"length":3}'),
  });
  await session.store(entity);
  const outcome = await session.saveChanges().then(
    () => "saved",
    (error) => error.code,
  );
  assert.ok(["saved", "Server"].includes(outcome), outcome);
  assert.equal({}.x, undefined);
  entity.half = "whole";
  await session.saveChanges();
  assert.equal(session.advanced.hasChanges(), false);
  const loaded = await store.openSession().load(entity.id);
  assert.equal(JSON.stringify(loaded.data), '{"__proto__":{"x":1},"constructor":2,"length":3}');
  loaded.data = { x: 1, constructor: 2, length: 3 };
});

onServers(
  "5,000 documents can be loaded at once, and by many sessions at the same time",
  async (t, server) => {
    const name = await database(t, server);
    const store = open(t, server.url, name);
    const session = store.openSession();
    const ids = [];
    for (let i = 0; i < 5_000; i++) {
      const entity = order({ i, text: `text ${i}` });
      await session.store(entity);
      ids.push(entity.id);
    }
    await session.saveChanges();
    const sessions = Array.from({ length: 4 }, () => store.openSession());
    const all = await Promise.all(sessions.map((reader) => reader.load(ids)));
    for (const found of all) {
      assert.equal(Object.keys(found).length, 5_000);
      for (const [i, id] of ids.entries()) assert.equal(found[id]?.i, i, id);
    }
  },
);

onServers(
  "a value that JSON cannot express is refused with the document's id, and nothing is sent",
  async (t, server) => {
    const name = await database(t, server);
    const wire = await proxy(t, server.url);
    const session = open(t, wire.url, name).openSession();
    await session.store(order(), "orders/fine");
    const whole = order();
    whole.parts = [{ whole }];
    await session.store(whole, "orders/round");
    for (const attempt of [() => session.saveChanges(), () => session.saveChanges()]) {
      const error = await failure(attempt());
      assert.equal(error.code, "InvalidArgument");
      assert.equal(error.message, "orders/round cannot be saved: parts.0.whole contains itself");
    }
    whole.parts = { deep: [10n] };
    assert.match(
      (await failure(session.saveChanges())).message,
      /^orders\/round .* parts\.deep\.0 is a BigInt/,
    );
    whole.parts = new Map([["deep", 10n]]);
    assert.match((await failure(session.saveChanges())).message, /^orders\/round .* parts\.0\.1 is a BigInt/);
    assert.equal(wire.of(isSave).length, 0);
    whole.parts = [];
    await session.saveChanges();
    whole.parts = [{ whole }];
    assert.throws(() => session.advanced.hasChanges(), {
      code: "InvalidArgument",
      message: /^orders\/round /,
    });
    // Errors of the app's own code are passed on unchanged.
    const own = new TypeError("mine");
    whole.parts = {
      toJSON() {
        throw own;
      },
    };
    assert.equal(await failure(session.saveChanges()), own);
  },
);
