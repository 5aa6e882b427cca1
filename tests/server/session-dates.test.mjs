// Documents with dates, sets, maps and instances of classes inside, and documents that are nested deeply.
import assert from "node:assert/strict";
import { mock } from "node:test";
import { isSave } from "../support/proxy.mjs";
import { document, onRavenDb, onServers, order, send } from "../support/server.mjs";
import { failure, prepared } from "../support/store.mjs";

class Line {
  price = 0;
}

const DAY = new Date("2020-02-29T13:30:15.123Z");
const LATER = new Date("2020-03-01T13:30:15.123Z");

/** Members of every kind that JSON does not show as what they are. */
const odd = () => ({
  name: "a",
  when: new Date(DAY),
  inside: { when: new Date(DAY), count: 1 },
  days: [new Date(DAY), { when: new Date(DAY) }],
  tags: new Set(["a", "b"]),
  prices: new Map([["a", { price: 1 }]]),
  line: Object.assign(new Line(), { price: 5 }),
  count: 1,
});

const CHANGES = {
  "a date": (entity) => (entity.when = LATER),
  "the date itself": (entity) => entity.when.setTime(0),
  "a date of an inner object": (entity) => entity.inside.when.setTime(0),
  "a value beside it": (entity) => (entity.inside.count = 2),
  "a date in a list": (entity) => entity.days[0].setTime(0),
  "a date inside a list": (entity) => (entity.days[1].when = LATER),
  "an item of a set": (entity) => entity.tags.add("c"),
  "a value of a map": (entity) => (entity.prices.get("a").price = 2),
  "a member of an instance": (entity) => (entity.line.price = 6),
  "a date that is taken away": (entity) => delete entity.when,
  "a date that comes": (entity) => (entity.name = LATER),
};

const conventions = ({ conventions }) => {
  conventions.storeDatesInUtc = true;
  conventions.registerEntityType(Line, "Line");
};

onServers("each change of a date, set, map or inner instance is one, and is saved", async (t, server) => {
  const { store, session, name } = await prepared(t, server, { prepare: conventions });
  for (const [at, [what, change]] of Object.entries(CHANGES).entries()) {
    const id = `orders/odd-${at}`;
    const entity = order(odd());
    await session.store(entity, id);
    await session.saveChanges();
    assert.equal(session.advanced.hasChanges(), false, `${what}: saved`);
    const reader = store.openSession();
    const loaded = await reader.load(id);
    assert.equal(reader.advanced.hasChanges(), false, `${what}: loaded`);
    const before = await document(server, name, id);
    for (const [each, of] of [
      [entity, session],
      [loaded, reader],
    ]) {
      change(each);
      assert.equal(of.advanced.hasChanged(each), true, what);
    }
    await reader.saveChanges();
    assert.equal(reader.advanced.hasChanges(), false, `${what}: saved again`);
    const { "@metadata": _, ...was } = before;
    const { "@metadata": __, ...is } = await document(server, name, id);
    assert.notDeepEqual(is, was, what);
    session.advanced.evict(entity);
  }
});

onServers("the order of members is no change, whatever stands beside them", async (t, server) => {
  const { store, session } = await prepared(t, server, { prepare: conventions });
  await session.store(order(odd()), "orders/1");
  await session.saveChanges();
  const reader = store.openSession();
  const loaded = await reader.load("orders/1");
  for (const [name, value] of Object.entries(loaded).reverse()) {
    delete loaded[name];
    loaded[name] = value;
  }
  assert.equal(reader.advanced.hasChanges(), false);
});

onServers("whether a document with dates has changed is told without a text of it", async (t, server) => {
  const { store, session } = await prepared(t, server, { prepare: conventions });
  const { name, when, inside, count } = odd();
  await session.store(order({ name, when, inside, count }), "orders/1");
  await session.saveChanges();
  const reader = store.openSession();
  await reader.load("orders/1");
  const texts = [mock.method(JSON, "stringify"), mock.method(Date.prototype, "toISOString")];
  t.after(() => mock.restoreAll());
  assert.equal(session.advanced.hasChanges(), false);
  assert.equal(reader.advanced.hasChanges(), false);
  assert.deepEqual(
    texts.map(({ mock }) => mock.callCount()),
    [0, 0],
  );
});

onServers(
  "an invalid date is refused with the document's id and the path, and nothing is sent",
  async (t, server) => {
    const { wire, session } = await prepared(t, server, { prepare: conventions });
    const entity = order({ ...odd(), never: new Date(Number.NaN) });
    await session.store(order(), "orders/fine");
    await session.store(entity, "orders/odd");
    const refused = async (path) => {
      const message = `orders/odd cannot be saved: ${path} is an invalid Date`;
      for (const attempt of [() => session.saveChanges(), () => session.saveChanges()]) {
        const { code, message: said } = await failure(attempt());
        assert.deepEqual([code, said], ["InvalidArgument", message]);
      }
    };
    await refused("never");
    delete entity.never;
    entity.prices.set("b", { days: [new Date(Number.NaN)] });
    await refused("prices.1.1.days.0");
    entity.prices.delete("b");
    entity["@metadata"].until = new Date(Number.NaN);
    await refused("@metadata.until");
    entity["@metadata"].until = DAY;
    assert.equal(wire.of(isSave).length, 0);
    await session.saveChanges();
    const unshown = (path) => {
      const message = `orders/odd cannot be saved: ${path} is an invalid Date`;
      for (const read of ["hasChanges", "whatChanged"])
        assert.throws(() => session.advanced[read](), { code: "InvalidArgument", message });
      for (const read of ["hasChanged", "whatChangedFor"])
        assert.throws(() => session.advanced[read](entity), { code: "InvalidArgument", message });
    };
    entity.when.setTime(Number.NaN);
    unshown("when");
    entity.when.setTime(DAY);
    entity["@metadata"].until = new Date(Number.NaN);
    unshown("@metadata.until");
  },
);

/** Text of objects inside each other. */
const nested = (levels) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

onRavenDb("objects too deep for the stack are an error with the id of their document", async (t, server) => {
  const { session, store, name } = await prepared(t, server);
  const put = (id, text) => send(server.url, "PUT", `/databases/${name}/docs?id=${id}`, text);
  // RavenDB itself takes 100,000 levels, and gives what is no JSON.
  for (const levels of [3_000, 10_000]) {
    const id = `orders/${levels}`;
    const text = `{"deep":${nested(levels)},"@metadata":{"@collection":"Orders"}}`;
    assert.equal((await put(id, text)).status, 201);
    const reader = store.openSession();
    const read = () => reader.load(["orders/plain", id]);
    for (const error of [await failure(read()), await failure(read())]) {
      assert.equal(error.code, "InvalidArgument", String(error));
      assert.match(error.message, new RegExp(`${id} cannot be loaded: it is nested too deeply`));
    }
    assert.equal(reader.advanced.isLoaded(id), false);
  }
  for (const levels of [10_000, 100_000]) {
    const entity = order({ deep: JSON.parse(nested(levels)) });
    await session.store(entity, "orders/deep");
    const error = await failure(session.saveChanges());
    assert.equal(error.code, "InvalidArgument", String(error));
    assert.match(error.message, /orders\/deep cannot be saved: it is nested too deeply/);
    session.advanced.evict(entity);
  }
});
