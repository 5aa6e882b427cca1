// Code of the app that runs during a save: getters, toJSON, listeners and effects that throw, use the session, or
// make memory grow.
import assert from "node:assert/strict";
import { PutCommandDataBase } from "../../pkg/lib/entries/node.js";
import { reactive } from "../support/frameworks.mjs";
import { isSave, proxy } from "../support/proxy.mjs";
import { database, document, onServers, order, send } from "../support/server.mjs";
import { failure, open, prepared, within } from "../support/store.mjs";

onServers(
  "an error of a getter or toJSON reaches the app, and the session stays usable",
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
  "entities that are not JSON objects or are circular cause errors, and the instance stays alive",
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
    assert.equal(store.hilo("lines").take(), "lines/2-A", "the instance is alive");
  },
);

onServers("the app's code can use the session during a save", async (t, server) => {
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

onServers("a getter may make WebAssembly memory grow during a save", async (t, server) => {
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
  assert.equal(wire.of(isSave).length, 1, "all documents count as saved");
  assert.equal((await document(server, name, "orders/50-A")).i, 49);
});

/** What the app's code does to the session, or to the document itself, while the document is serialized. */
const INSIDE = {
  "changes another document: the save includes the change": {
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
  "ignores the changes of another document: this takes effect with the next save": {
    act: (session, other) => session.advanced.ignoreChangesFor(other),
    check: async (session, saved, other) => {
      other.n = 3;
      await session.saveChanges();
      assert.equal((await saved("orders/2-A")).n, 2);
    },
  },
  "defers a command: the same save sends it": {
    act: (session) => session.advanced.defer(new PutCommandDataBase("orders/deferred", null, null, { n: 5 })),
    check: async (session, saved) => {
      assert.equal((await saved("orders/deferred")).n, 5);
      assert.equal(session.advanced.hasChanges(), false);
    },
  },
  "disposes of the session: the save that is under way succeeds, and later ones": {
    act: (session) => session.dispose(),
    check: async (session, saved, other) => {
      other.n = 4;
      await session.saveChanges();
      assert.equal((await saved("orders/2-A")).n, 4);
    },
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

onServers("a getter that evicts its own entity during a save leaves no stray document", async (t, server) => {
  const { name, session } = await prepared(t, server);
  let armed = false;
  const entity = order();
  const get = () => {
    if (armed) session.advanced.evict(entity);
    return 1;
  };
  Object.defineProperty(entity, "n", { enumerable: true, get });
  await session.store(entity);
  armed = true;
  await session.saveChanges().catch(() => {});
  const { json } = await send(server.url, "GET", `/databases/${name}/docs?start=0&pageSize=9`);
  const ids = json.Results.map((found) => found["@metadata"]["@id"]);
  assert.deepEqual(
    ids.filter((id) => !/^(Raven\/|orders\/)/.test(id)),
    [],
    "a PUT with an empty id would store a document under a GUID",
  );
});

for (const what of ["evict", "clear"])
  onServers(
    `a getter that calls ${what} for another entity during a save causes no TypeError`,
    async (t, server) => {
      const { session } = await prepared(t, server);
      const [entity, other] = [order(), order()];
      let armed = false;
      const get = () => {
        if (armed) session.advanced[what](other);
        return 1;
      };
      Object.defineProperty(entity, "n", { enumerable: true, get });
      await session.store(entity);
      await session.store(other);
      armed = true;
      const outcome = await session.saveChanges().catch((error) => error);
      assert.ok(!(outcome instanceof TypeError), String(outcome));
    },
  );

onServers(
  "an effect that throws when its entity gets its id does not keep other entities from getting theirs",
  async (t, server) => {
    const { session } = await prepared(t, server);
    let strict = false;
    const entity = reactive(order(), () => {
      if (strict) throw new Error("the app's own");
    });
    const other = order();
    await session.store(entity, "orders/");
    await session.store(other, "orders/");
    strict = true;
    await session.saveChanges().catch(() => {});
    assert.notEqual(other.id, "orders/");
  },
);

onServers("an id generator that waits for its own session fails with a timeout", async (t, server) => {
  const name = await database(t, server);
  let session;
  const prepare = ({ conventions }) => {
    conventions.documentIdGenerator = async (_, { own }) => {
      if (own) await session.load("orders/1");
      return "orders/mine";
    };
  };
  session = open(t, server.url, name, { prepare, timeout: 3_000 }).openSession();
  const error = await failure(within(15_000, session.store(order({ own: true }))));
  assert.deepEqual([error.code, /generator/.test(error.message)], ["Timeout", true]);
  await session.store(order({ own: false }));
  await within(10_000, session.saveChanges());
});
