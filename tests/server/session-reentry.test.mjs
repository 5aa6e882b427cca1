// The app's own code in the middle of a save: getters and toJSON that throw, come back in, or make memory grow.
import assert from "node:assert/strict";
import { PutCommandDataBase } from "../../pkg/node.js";
import { isSave, proxy } from "../support/proxy.mjs";
import { database, document, onServers, order } from "../support/server.mjs";
import { failure, open, within } from "../support/store.mjs";

onServers(
  "getters and toJSON that throw are the app's own exception, and the session goes on",
  async (t, server) => {
    const name = await database(t, server);
    const session = open(t, server.url, name).openSession();
    const boom = new Error("boom");
    let broken = true;
    const thrower = () => {
      if (broken) throw boom;
      return 7;
    };
    const getter = order();
    Object.defineProperty(getter, "bad", { enumerable: true, get: thrower });
    const json = { "@metadata": { "@collection": "Orders" }, toJSON: () => ({ n: thrower() }) };
    const fine = order({ n: 1 });
    for (const entity of [fine, getter, json]) await session.store(entity);
    assert.equal(await failure(session.saveChanges()), boom);
    assert.equal(await document(server, name, fine.id), undefined, "all or nothing");
    broken = false;
    await session.saveChanges();
    assert.equal((await document(server, name, getter.id)).bad, 7);
    assert.equal((await document(server, name, json.id)).n, 7);
    assert.equal((await document(server, name, fine.id)).n, 1);
  },
);

onServers(
  "entities that are no JSON objects or go round in circles are errors, and nothing dies",
  async (t, server) => {
    const name = await database(t, server);
    const store = open(t, server.url, name);
    assert.equal(await store.hilo("lines").next(), "lines/1-A");
    const circle = order();
    circle.self = circle;
    const collection = { "@collection": "Orders" };
    const bad = [
      circle,
      order({ big: 10n }),
      { "@metadata": collection, toJSON: () => 5 },
      { "@metadata": collection, toJSON: () => null },
      { "@metadata": collection, toJSON: () => undefined },
      { "@metadata": collection, toJSON: () => [1] },
      { "@metadata": collection, toJSON: () => "text" },
      Object.assign([], { "@metadata": collection }),
    ];
    for (const entity of bad) {
      const session = store.openSession();
      await session.store(entity);
      await failure(session.saveChanges());
    }
    assert.equal(store.hilo("lines").take(), "lines/2-A", "the instance lives");
  },
);

onServers("code of the app that comes back into the session while it saves", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  const session = store.openSession();
  const inner = [];
  let entered = 0;
  const late = order({ late: true });
  const entity = {
    "@metadata": { "@collection": "Orders" },
    toJSON() {
      if (entered++ === 0) {
        inner.push(session.saveChanges(), session.store(late), session.load("orders/1-A"));
        session.advanced.hasChanges();
        session.advanced.getChangeVectorFor(entity);
        store.hilo("orders").take();
        store.hilo("orders").status();
        store.openSession();
      }
      return { n: 1 };
    },
  };
  await session.store(entity);
  await within(10_000, session.saveChanges());
  await within(10_000, Promise.all(inner));
  await session.saveChanges();
  assert.equal((await document(server, name, entity.id)).n, 1);
  assert.equal((await document(server, name, late.id)).late, true);
  assert.equal(wire.of(isSave).length, 2);
});

onServers("a getter that makes WebAssembly's memory grow in the middle of a save", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const store = open(t, wire.url, name);
  const session = store.openSession();
  let grown = false;
  const entities = Array.from({ length: 50 }, (_, i) => order({ i }));
  Object.defineProperty(entities[3], "late", {
    enumerable: true,
    get() {
      if (!grown) {
        grown = true;
        for (let i = 0; i < 4_000; i++) store.hilo(`tag-${i}-${"x".repeat(300)}`);
      }
      return 1;
    },
  });
  for (const entity of entities) await session.store(entity);
  await session.saveChanges();
  assert.equal(JSON.parse(wire.of(isSave)[0].body).Commands.length, 50);
  await session.saveChanges();
  assert.equal(wire.of(isSave).length, 1, "all of it counts as saved");
  assert.equal((await document(server, name, "orders/50-A")).i, 49);
});

/** What the app's code does to the session, or to a document behind it, while its own becomes text. */
const INSIDE = {
  "changes another document: it is saved as it is then": {
    act: (_, other) => {
      other.n = 77;
    },
    check: async (session, saved) => {
      assert.equal((await saved("orders/2-A")).n, 77);
      assert.equal(session.advanced.hasChanges(), false);
    },
  },
  "deletes another document: it is saved, and deleted by the next save": {
    act: (session, other) => session.delete(other),
    check: async (session, saved) => {
      assert.equal((await saved("orders/2-A")).n, 2);
      assert.equal(session.advanced.hasChanges(), true);
      await session.saveChanges();
      assert.equal(await saved("orders/2-A"), undefined);
    },
  },
  "ignores the changes of another document: from the next save on": {
    act: (session, other) => session.advanced.ignoreChangesFor(other),
    check: async (session, saved, other) => {
      other.n = 3;
      await session.saveChanges();
      assert.equal((await saved("orders/2-A")).n, 2);
    },
  },
  "defers a command: it travels along": {
    act: (session) => session.advanced.defer(new PutCommandDataBase("orders/deferred", null, null, { n: 5 })),
    check: async (session, saved) => {
      assert.equal((await saved("orders/deferred")).n, 5);
      assert.equal(session.advanced.hasChanges(), false);
    },
  },
  "ends the session: what is under way is saved, nothing more": {
    act: (session) => session.dispose(),
    check: async (session) => assert.equal((await failure(session.saveChanges())).code, "Disposed"),
  },
};

for (const [what, { act, check }] of Object.entries(INSIDE)) {
  for (const how of ["a getter", "toJSON"]) {
    onServers(`${how} ${what}`, async (t, server) => {
      const name = await database(t, server);
      const session = open(t, server.url, name).openSession();
      const [entity, other] = [order({ n: 1 }), order({ n: 2 })];
      const inner = [];
      let armed = false;
      const enter = () => {
        if (armed) inner.push(act(session, other));
        armed = false;
        return 1;
      };
      if (how === "toJSON") Object.defineProperty(entity, "toJSON", { value: () => ({ n: enter() }) });
      else Object.defineProperty(entity, "n", { enumerable: true, get: enter });
      await session.store(entity);
      await session.store(other);
      armed = true;
      await within(10_000, session.saveChanges());
      await within(10_000, Promise.all(inner));
      assert.equal((await document(server, name, "orders/1-A")).n, 1);
      await check(session, (id) => document(server, name, id), other);
    });
  }
}
