// Dates, sets, maps and class instances (`@nested-object-types`): a save writes the types of the current values, and
// a type that does not fit its value is ignored.
import assert from "node:assert/strict";
import { test } from "node:test";
import { database, document, LIMIT, missing, onServers, order, ravendb, send } from "../support/server.mjs";
import { open } from "../support/store.mjs";

/** Streams, queries and patches: the authority has none. */
const SERVER = { skip: missing(ravendb), timeout: LIMIT };

class Line {
  price = 0;
}

const DAY = new Date("2020-02-29T13:30:15.123Z");
const TEXT = "2020-02-29T13:30:15.1230000Z";

/** A store, a function that stores a document with these types, and one that reads the types of a document. */
async function typed(t, server) {
  const name = await database(t, server);
  const store = open(t, server.url, name, {
    prepare: ({ conventions }) => {
      conventions.storeDatesInUtc = true;
      conventions.registerEntityType(Line, "Line");
    },
  });
  const put = (id, values, notes) => {
    const metadata = { "@collection": "Orders", "@nested-object-types": notes };
    return send(server.url, "PUT", `/databases/${name}/docs?id=${id}`, { ...values, "@metadata": metadata });
  };
  const notes = async (id) => (await document(server, name, id))["@metadata"]["@nested-object-types"];
  const save = async (id, values) => {
    const session = store.openSession();
    await session.store(order(values), id);
    await session.saveChanges();
  };
  const change = async (id, how) => {
    const session = store.openSession();
    how(await session.load(id));
    await session.saveChanges();
    assert.equal(session.advanced.hasChanges(), false);
  };
  const load = async (id) => {
    const { "@metadata": _, id: __, ...values } = await store.openSession().load(id);
    return values;
  };
  return { name, store, put, notes, save, change, load };
}

/** Names and values that every object inherits. */
const inherited = () =>
  [Object.prototype, Object, Function.prototype, Array.prototype].flatMap((shared) =>
    Reflect.ownKeys(shared).map((key) => [key, Object.getOwnPropertyDescriptor(shared, key).value]),
  );

onServers("the types of a document cannot affect anything else", async (t, server) => {
  const { put, load } = await typed(t, server);
  const before = inherited();
  const notes = {};
  for (const way of ["__proto__", "constructor", "constructor.prototype", "a.__proto__", "list.__proto__"])
    for (const member of ["toLocaleString", "constructor", "assign", "map"])
      notes[`${way}.${member}`] = "Line";
  await put("s/1", { a: {}, list: [] }, { ...notes, "constructor[]": "Line", __proto__$SET: "Line" });
  assert.deepEqual(await load("s/1"), { a: {}, list: [] });
  assert.deepEqual(inherited(), before);
});

const UNFIT = {
  "a number for a date": [5, "date"],
  "a list for a date": [[TEXT], "date"],
  "another text for a date": ["tomorrow", "date"],
  "a text with a number for a date": ["Room 5", "date"],
  "a date that there is not": ["2020-99-99", "date"],
  "an object for a Set": [{ a: 1 }, "Set"],
  "a text for a Set": ["abc", "Set"],
  "a number for a Map": [5, "Map"],
  "a list without entries for a Map": [[1, 2], "Map"],
  "a text for an object": ["abc", "Line"],
  "texts for objects": [["abc", 1, null], "Line"],
  "an unknown class": [{ a: 1 }, "Nobody"],
  "no name": [{ a: 1 }, { date: 1 }],
};
onServers("a value that does not fit its type is kept as it is and causes no error", async (t, server) => {
  const { store, put, load } = await typed(t, server);
  const cases = Object.entries(UNFIT);
  for (const [at, [what, [value, type]]] of cases.entries()) {
    await put(`s/${at}`, { value }, { value: type, value$MAP: "date", "value.none.at.all": "date" });
    assert.deepEqual(await load(`s/${at}`), { value }, what);
  }
  await put("s/metadata", {}, { "@metadata.@id": "date", "@metadata": "Line" });
  const all = await store.openSession().advanced.loadStartingWith("s/");
  assert.equal([...Object.values(all)].length, cases.length + 1);
});

test("queries and streams return documents with types that do not fit", SERVER, async (t) => {
  const { store, put } = await typed(t, ravendb);
  await put("s/1", { value: 5 }, { value: "date" });
  const query = () => store.openSession().query({ collection: "Orders" }).waitForNonStaleResults();
  const [whole] = await query().all();
  assert.equal(whole.value, 5);
  assert.deepEqual(await query().selectFields(["value"]).all(), [5]);
  const streamed = [];
  for await (const { document } of await store.openSession().advanced.stream("s/"))
    streamed.push(document.value);
  assert.deepEqual(streamed, [5]);
});

onServers("a save writes the types of the current values", async (t, server) => {
  const { notes, save, change, load } = await typed(t, server);
  await save("s/1", { when: DAY, other: DAY });
  assert.deepEqual(await notes("s/1"), { when: "date", other: "date" });
  await change("s/1", (loaded) => {
    loaded.when = "2021-01-01";
  });
  assert.deepEqual(await notes("s/1"), { other: "date" });
  await change("s/1", (loaded) => {
    loaded.other = 5;
  });
  assert.equal(await notes("s/1"), undefined);
  assert.deepEqual(await load("s/1"), { when: "2021-01-01", other: 5 });
  await change("s/1", (loaded) => {
    loaded.when = DAY;
  });
  assert.deepEqual(await notes("s/1"), { when: "date" });
});

test("a document that a patch creates has the types of its values", SERVER, async (t) => {
  const { store, notes } = await typed(t, ravendb);
  const session = store.openSession();
  const entity = order({ when: "tomorrow" });
  entity["@metadata"]["@nested-object-types"] = { when: "date" };
  session.advanced.addOrPatch("s/1", entity, "when", "today");
  await session.saveChanges();
  assert.equal(await notes("s/1"), undefined);
});

test("types that a patch has moved do not fit and have no effect", SERVER, async (t) => {
  const { store, save, load } = await typed(t, ravendb);
  await save("s/1", { list: ["Room 5", DAY, "Room 6"], lines: [{ when: DAY }, { when: "n/a" }] });
  const session = store.openSession();
  for (const name of ["list", "lines"]) session.advanced.patchArray("s/1", name, (list) => list.removeAt(0));
  await session.saveChanges();
  assert.deepEqual(await load("s/1"), { list: [TEXT, "Room 6"], lines: [{ when: "n/a" }] });
});

onServers("values inside a Map or Set keep their types", async (t, server) => {
  const { save, change, load } = await typed(t, server);
  const line = (price) => Object.assign(new Line(), { price, when: DAY });
  const values = {
    dates: new Map([["a", DAY]]),
    keys: new Map([[DAY, 1]]),
    set: new Set([DAY, "Room 5"]),
    lines: new Map([["a", line(1)]]),
    deep: new Map([["a", new Map([["b", new Set([line(2)])]])]]),
    list: [new Map([["a", [DAY]]]), new Set([new Set([DAY])])],
    one: Object.assign(line(3), { more: new Map([["a", line(4)]]) }),
  };
  await save("s/1", values);
  assert.deepEqual(await load("s/1"), values);
  await change("s/1", (loaded) => {
    loaded.more = 1;
  });
  assert.deepEqual(await load("s/1"), { ...values, more: 1 });
});

onServers("an item of a list gets its own type, not that of the list", async (t, server) => {
  const { put, load } = await typed(t, server);
  const lines = [{ price: 1, when: TEXT }, null, TEXT];
  await put("s/1", { lines }, { lines: "Line", "lines[].when": "date", "lines.2": "date" });
  const line = Object.assign(new Line(), { price: 1, when: DAY });
  assert.deepEqual(await load("s/1"), { lines: [line, null, DAY] });
});

test("a member called constructor is not a class", SERVER, async (t) => {
  const { store, put } = await typed(t, ravendb);
  await put("s/1", { constructor: "ACME", a: 1, value: { constructor: "ACME" } }, { value: "Line" });
  const session = store.openSession();
  const loaded = await session.load("s/1");
  await session.advanced.refresh(loaded);
  session.advanced.patch(loaded, "a", 2);
  await session.saveChanges();
  assert.deepEqual([loaded.constructor, loaded.a], ["ACME", 2]);
});

/** The constructor fails without arguments. */
class Made {
  constructor({ name }) {
    this.name = name;
  }

  get upper() {
    return this.name.toUpperCase();
  }
}

test(
  "a class whose constructor requires arguments can be stored, loaded, patched and queried",
  SERVER,
  async (t) => {
    const name = await database(t, ravendb);
    const prepare = ({ conventions }) => conventions.registerEntityType(Made, "Made");
    const store = open(t, ravendb.url, name, { prepare });
    const session = store.openSession();
    const entity = new Made({ name: "a" });
    entity.part = new Made({ name: "b" });
    await session.store(entity, "mades/1");
    await session.saveChanges();
    session.advanced.patch(entity, "name", "c");
    await session.saveChanges();
    assert.deepEqual([entity.upper, entity.part.upper], ["C", "B"], "the entities follow the patch");
    await session.advanced.refresh(entity);
    assert.equal(entity.upper, "C");
    const reader = store.openSession();
    const loaded = await reader.load("mades/1");
    assert.deepEqual([loaded.upper, loaded.part.upper, loaded.id], ["C", "B", "mades/1"]);
    assert.equal(reader.advanced.hasChanges(), false);
    const query = reader.query({ collection: "Mades" }).waitForNonStaleResults();
    const [part] = await query.selectFields(["name"], Made).all();
    assert.equal(part.upper, "C");
  },
);
