// Members that JavaScript objects treat specially: documents are loaded as they are stored, only the app changes
// them, and one that cannot be read does not affect the others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isSave } from "../support/proxy.mjs";
import { document, LIMIT, missing, onServers, order, ravendb, send } from "../support/server.mjs";
import { failure, prepared } from "../support/store.mjs";

/** A session, and a function that stores documents directly; `types`: classes to register. */
async function odd(t, server, types = []) {
  const made = await prepared(t, server, {
    prepare: ({ conventions }) => {
      for (const type of types) conventions.registerEntityType(type, type.name);
    },
  });
  const put = (id, text) =>
    send(server.url, "PUT", `/databases/${made.name}/docs?id=${encodeURIComponent(id)}`, text);
  const get = (id) => document(server, made.name, id);
  /** Loses the next response to a save. */
  const lose = () => {
    made.wire.rule = (request) => {
      if (!isSave(request)) return undefined;
      made.wire.rule = undefined;
      return "lose";
    };
  };
  return { ...made, put, get, lose };
}

/** The authority supports neither patches that return their document nor lone surrogates. */
const onRavenDb = (name, body) =>
  test(`${name} [RavenDB]`, { skip: missing(ravendb), timeout: LIMIT }, (t) => body(t, ravendb));

const typed = (name, text) =>
  `${text.slice(0, -1)},"@metadata":{"@collection":"Things","Raven-Node-Type":"${name}"}}`;

class Thing {
  name = "";
  greet() {
    return `I am ${this.name}`;
  }
}

onServers("a member called __proto__ does not become the prototype of its entity", async (t, server) => {
  const { session, put } = await odd(t, server, [Thing]);
  await put("things/1", typed("Thing", '{"name":"a","__proto__":{"greet":1},"in":{"__proto__":{"b":1}}}'));
  const thing = await session.load("things/1");
  assert.equal(Object.getPrototypeOf(thing), Thing.prototype);
  assert.equal(thing.greet(), "I am a");
  assert.equal(Object.getPrototypeOf(thing.in), Object.prototype);
  assert.equal(session.advanced.hasChanges(), false);
  thing.name = "b";
  await session.advanced.refresh(thing);
  assert.equal(Object.getPrototypeOf(thing), Thing.prototype);
  assert.equal(session.advanced.hasChanges(), false);
});

/** An id that a caller may choose, and that makes no member of an object by an assignment. */
const PROTO = "__proto__";

onServers("results by ids have a member for each id, whatever it is called", async (t, server) => {
  const { store, put, get } = await odd(t, server);
  const ids = [PROTO, "constructor", "things/1"];
  for (const id of ids) await put(id, typed("Thing", '{"name":"a"}'));
  const untracked = store.openSession({ noTracking: true });
  const session = store.openSession();
  for (const found of [
    await store
      .openSession()
      .advanced.lazily.load([...ids, "toString"])
      .getValue(),
    await untracked.load([...ids, "toString"]),
    await session.load([...ids, "toString"]),
    await session.load([...ids, "toString"]),
  ]) {
    assert.deepEqual(Object.keys(found), [...ids, "toString"]);
    assert.deepEqual([Object.getPrototypeOf(found), found.toString], [Object.prototype, null]);
  }
  const loaded = Object.values(await session.load(ids));
  for (const thing of loaded) thing.name = "b";
  assert.deepEqual(Object.keys(session.advanced.whatChanged()), ids);
  await session.saveChanges();
  for (const id of ids) assert.equal((await get(id)).name, "b");
});

onServers("metadata and dates are saved under the name __proto__, too", async (t, server) => {
  const { session, store, get } = await odd(t, server);
  const day = new Date(0);
  const own = (value) => JSON.parse(`{"${PROTO}":0}`, (name, was) => (name === PROTO ? value : was));
  const entity = { ...own(day), "@metadata": { ...own("m"), "@collection": "Things" } };
  await session.store(entity, "things/1");
  await session.saveChanges();
  const stored = await get("things/1");
  assert.deepEqual(Object.keys(stored["@metadata"]).includes(PROTO), true);
  assert.deepEqual(Object.getOwnPropertyDescriptor(stored, PROTO).value, "1970-01-01T00:00:00.0000000");
  const next = store.openSession();
  const loaded = await next.load("things/1");
  assert.deepEqual(Object.getOwnPropertyDescriptor(loaded, PROTO).value, day);
  assert.equal(next.advanced.hasChanges(), false);
});

onServers("a member called constructor is a member, and no class", async (t, server) => {
  const { session, store, put } = await odd(t, server);
  const entity = order({ constructor: new Date(0), total: 1 });
  await session.store(entity);
  await session.saveChanges();
  await put("orders/x", '{"total":1,"constructor":1,"@metadata":{"@collection":"Orders"}}');
  const next = store.openSession();
  const [first, second] = Object.values(await next.load([entity.id, "orders/x"]));
  assert.deepEqual([first.constructor, second.constructor], [new Date(0), 1]);
  delete first.constructor;
  delete second.constructor;
  second.valueOf = 1;
  const changes = next.advanced.whatChanged();
  const named = (id) =>
    changes[id].map(({ change, fieldName, fieldOldValue }) => [change, fieldName, fieldOldValue]);
  assert.deepEqual(named("orders/x"), [
    ["RemovedField", "constructor", 1],
    ["NewField", "valueOf", null],
  ]);
  await next.saveChanges();
  await put("orders/x", '{"total":2,"@metadata":{"@collection":"Orders"}}');
  await next.advanced.refresh(second);
  assert.deepEqual([Object.hasOwn(second, "valueOf"), second.total], [false, 2]);
});

onServers("a member called __proto__ in an item of a list is not a change", async (t, server) => {
  const { session, put, get, wire } = await odd(t, server);
  const text = '{"list":[{"__proto__":{"a":1},"n":1}],"__proto__":{"c":2}}';
  await put("orders/1", `${text.slice(0, -1)},"@metadata":{"@collection":"Orders"}}`);
  const entity = await session.load("orders/1");
  assert.equal(session.advanced.hasChanges(), false);
  await session.saveChanges();
  assert.equal(wire.of(isSave).length, 0);
  entity.list[0].n = 2;
  await session.saveChanges();
  const { "@metadata": _, ...stored } = await get("orders/1");
  assert.equal(JSON.stringify(stored), text.replace('"n":1', '"n":2'));
  assert.equal(session.advanced.hasChanges(), false);
});

onRavenDb("an enumerable member of a class's prototype is not stored", async (t, server) => {
  class Old {
    n = 1;
  }
  Old.prototype.kind = "old";
  const { session, get, lose } = await odd(t, server, [Old, Thing]);
  const made = Object.assign(new Old(), { inner: new (class Inner extends Old {})() });
  await session.store(made);
  lose();
  await session.saveChanges();
  assert.equal((await get(made.id)).kind, undefined);
  assert.equal(session.advanced.hasChanges(), false);
  session.advanced.patch(made.id, "n", 5);
  await session.saveChanges();
  assert.equal(made.n, 5);
  assert.equal(Object.hasOwn(made, "kind"), false);
  assert.equal(session.advanced.hasChanges(), false);
});

onServers("an id with a lone surrogate is refused and deletes no other document", async (t, server) => {
  const { session, store, put, get } = await odd(t, server);
  await put("orders/\ufffd", '{"@metadata":{"@collection":"Orders"}}');
  const { advanced } = session;
  const id = "orders/\ud800";
  const calls = {
    load: () => session.load(id),
    "load several": () => session.load(["orders/1", id]),
    include: () => session.include(id).load("orders/1"),
    "an included id": () => session.include("a").load(id),
    exists: () => advanced.exists(id),
    delete: () => session.delete(id),
    loadStartingWith: () => advanced.loadStartingWith(id),
    conditionalLoad: () => advanced.conditionalLoad(id, "A:1"),
    lazily: () => advanced.lazily.load(id).getValue(),
    stream: async () => {
      for await (const _ of advanced.stream(id));
    },
    patch: async () => advanced.patch(id, "n", 1),
  };
  for (const [name, call] of Object.entries(calls)) {
    const error = await failure((async () => call())());
    assert.match(String(error.code), /^Invalid(Argument|Id)$/, `${name}: ${error}`);
  }
  await session.saveChanges();
  assert.ok(await get("orders/\ufffd"), "the other document still exists");
  void store;
});

onRavenDb("boxed values and lone surrogates are read back after a lost response", async (t, server) => {
  const { session, store, lose } = await odd(t, server);
  const boxed = order({
    text: new String("a"),
    number: new Number(1),
    is: new Boolean(false),
    list: [new Number(2)],
  });
  const half = order({ text: "a\ud800b", in: { list: ["\udc00"] } });
  await session.store(boxed);
  await session.store(half);
  lose();
  await session.saveChanges();
  assert.equal(session.advanced.hasChanges(), false);
  const { text, number, is, list } = await store.openSession().load(boxed.id);
  assert.deepEqual({ text, number, is, list }, { text: "a", number: 1, is: false, list: [2] });
  boxed.number = new Number(7);
  assert.equal(session.advanced.hasChanges(), true);
});

class Total {
  prices = [];
  get total() {
    return this.prices.reduce((sum, price) => sum + price, 0);
  }
}

class Keyed {
  get id() {
    return "keyed/computed";
  }
}

class Frozen {
  constructor() {
    this.n = 0;
    Object.freeze(this);
  }
}

onServers("documents are loaded even if their class rejects their members", async (t, server) => {
  const { session, put, wire } = await odd(t, server, [Total, Keyed, Frozen, Thing]);
  await put("things/1", typed("Total", '{"prices":[1,2],"total":3}'));
  await put("things/2", typed("Keyed", '{"n":2}'));
  await put("things/3", typed("Frozen", '{"n":3}'));
  await put("things/4", typed("Thing", '{"name":"d"}'));
  const found = await session.advanced.loadStartingWith("things/");
  assert.deepEqual(
    found.map((entity) => entity.constructor.name),
    ["Total", "Keyed", "Frozen", "Thing"],
  );
  const [total, keyed, frozen] = found;
  assert.deepEqual([total.total, keyed.n, frozen.n], [3, 2, 3]);
  assert.equal(session.advanced.getDocumentId(keyed), "things/2");
  assert.equal(session.advanced.hasChanges(), false);
  total.prices.push(3);
  await session.saveChanges();
  assert.equal(wire.of(isSave).length, 1);
  assert.equal(session.advanced.hasChanges(), false);
});

onServers(
  "a document whose class throws causes an error with its id, and the others are loaded",
  async (t, server) => {
    class Angry {
      set name(_) {
        throw new RangeError("not with me");
      }
    }
    const { session, put } = await odd(t, server, [Angry, Thing]);
    await put("things/1", typed("Thing", '{"name":"a"}'));
    await put("things/2", typed("Angry", '{"name":"b"}'));
    const error = await failure(session.load("things/2"));
    assert.equal(error.code, "InvalidOperation");
    assert.match(error.message, /things\/2/);
    assert.equal(error.cause?.message, "not with me");
    assert.equal((await session.load("things/1")).name, "a");
  },
);

onServers("the last call of store and delete counts", async (t, server) => {
  const { session, get, put } = await odd(t, server);
  const entity = order({ n: 1 });
  await session.store(entity);
  await session.delete(entity);
  await session.store(entity);
  assert.equal(await session.load(entity.id), entity);
  await session.saveChanges();
  assert.equal((await get(entity.id))?.n, 1);
  await session.delete(entity);
  await session.store(entity);
  entity.n = 2;
  await session.saveChanges();
  assert.equal((await get(entity.id))?.n, 2);
  await put("orders/loaded", '{"n":1,"@metadata":{"@collection":"Orders"}}');
  const loaded = await session.load("orders/loaded");
  await session.delete(loaded);
  await session.store(loaded);
  await session.saveChanges();
  assert.ok(await get("orders/loaded"));
  await session.delete(loaded);
  await session.store(loaded);
  await session.delete(loaded);
  await session.saveChanges();
  assert.equal(await get("orders/loaded"), undefined);
});

onServers("a different order of members is not a change, also beside a date or a set", async (t, server) => {
  const { session, put } = await odd(t, server);
  const notes = '"@metadata":{"@collection":"Orders","@nested-object-types":{"at":"date","tags":"Set"}}';
  await put(
    "orders/1",
    `{"n":1,"at":"2020-02-29T13:30:15.1230000","tags":["a","b"],"in":{"a":1,"b":2},${notes}}`,
  );
  const entity = await session.load("orders/1");
  const { n, in: inner } = entity;
  delete entity.n;
  entity.n = n;
  entity.in = { b: inner.b, a: inner.a };
  assert.equal(session.advanced.hasChanges(), false);
  entity.tags = new Set(["b", "a"]);
  assert.equal(session.advanced.hasChanges(), true, "a different order of items is a change");
});

onServers("dates under names with a dot, or under an empty name, are loaded as dates", async (t, server) => {
  const { session, store } = await odd(t, server);
  const day = new Date("2020-02-29T13:30:15.123Z");
  const values = {
    "a.b": day,
    "": day,
    in: { "": { deep: day, "": day }, "c.d": { "e.f": [day], g: new Set([day]) } },
    a: { c: "2020-02-29T13:30:15.1230000" },
  };
  const entity = order(values);
  await session.store(entity);
  await session.saveChanges();
  const { "@metadata": _, id: __, ...loaded } = await store.openSession().load(entity.id);
  assert.deepEqual(loaded, values);
});

onServers(
  "nesting that is too deep for the stack causes an error with the document's id",
  async (t, server) => {
    const { session, put } = await odd(t, server);
    let deep = {};
    for (let depth = 0; depth < 20_000; depth++) deep = { deep };
    await session.store(order({ n: 1 }));
    await session.store(order({ deep }), "orders/deep");
    const error = await failure(session.saveChanges());
    assert.equal(error.code, "InvalidArgument", String(error));
    assert.match(error.message, /orders\/deep/);
    void put;
  },
);
