// hasChanges, hasChanged, whatChanged, whatChangedFor, and what a save sends.
import { area, outcome, plain } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(
    public name = "",
    public tags: string[] = [],
  ) {}
}

class MySparse {
  id?: string;
  lines?: unknown[];
  note?: string;
  total = 0;
}

export default area({
  "new, changed, deleted": async ({ open, observe, server }) => {
    await server.put("u/1", { name: "a", tags: ["x"] }, "MyUsers");
    await server.put("u/2", { name: "b", tags: [] }, "MyUsers");
    const session = open().openSession();
    observe("an empty session", session.advanced.whatChanged());
    observe("has no changes", session.advanced.hasChanges());
    const fresh = new MyUser("new");
    await session.store(fresh, "u/new");
    observe("a new document", session.advanced.whatChanged());
    observe("has changed", session.advanced.hasChanged(fresh));
    observe("whatChangedFor", session.advanced.whatChangedFor(fresh));
    const { "u/1": one, "u/2": two } = (await session.load(["u/1", "u/2"])) as Any;
    observe("loaded ones have not", [session.advanced.hasChanged(one), session.advanced.whatChangedFor(one)]);
    one.name = "A";
    await session.delete(two);
    observe("all three", session.advanced.whatChanged());
    observe("whatChangedFor a deleted one", session.advanced.whatChangedFor(two));
    await session.saveChanges();
    observe("after saving", session.advanced.whatChanged());
    observe("no changes", session.advanced.hasChanges());
    observe("an entity of nobody has not changed", session.advanced.hasChanged({}));
    observe("whatChangedFor it", session.advanced.whatChangedFor({}));
  },

  fields: async ({ open, observe, server }) => {
    await server.put(
      "f/1",
      { text: "a", number: 1, yes: true, nothing: null, list: [1, 2], deep: { a: { b: 1 } }, gone: "x" },
      "Fields",
    );
    const load = async () => {
      const session = open().openSession();
      const entity = (await session.load("f/1")) as Any;
      return {
        session,
        entity,
        told: (change: (entity: Any) => void) => {
          change(entity);
          return [session.advanced.hasChanged(entity), session.advanced.whatChanged()];
        },
      };
    };
    const changes: Record<string, (entity: Any) => void> = {
      "another text": (e) => (e.text = "b"),
      "the same text": (e) => (e.text = "a"),
      "text to number": (e) => (e.text = 1),
      "a number": (e) => (e.number = 2),
      "number to text": (e) => (e.number = "1"),
      "a boolean": (e) => (e.yes = false),
      "to null": (e) => (e.text = null),
      "null to undefined": (e) => (e.nothing = undefined),
      "to undefined: removed": (e) => (e.text = undefined),
      "null to a value": (e) => (e.nothing = 1),
      "null to an object": (e) => (e.nothing = { a: 1 }),
      "a new field": (e) => (e.more = [1]),
      "a new field that is undefined": (e) => (e.more = undefined),
      "a new field that is null": (e) => (e.more = null),
      "a field deleted": (e) => delete e.gone,
      "a nested field": (e) => (e.deep.a.b = 2),
      "a nested field more": (e) => (e.deep.a.c = "c"),
      "a nested field less": (e) => delete e.deep.a.b,
      "an object for another": (e) => (e.deep = { z: 1 }),
      "an object to text": (e) => (e.deep = "flat"),
      "an item changed": (e) => (e.list[0] = 9),
      "an item more": (e) => e.list.push(3),
      "two items more": (e) => e.list.push(3, 4),
      "an item less": (e) => e.list.pop(),
      "a list for none": (e) => (e.list = []),
      "a list to null": (e) => (e.list = null),
      "an object into a list": (e) => (e.list[1] = { a: 1 }),
      "fields in another order": (e) => {
        const { text } = e;
        delete e.text;
        e.text = text;
      },
      "several at once": (e) => Object.assign(e, { text: "z", number: 0, more: 1 }),
    };
    for (const [name, change] of Object.entries(changes)) {
      const { told } = await load();
      observe(name, await outcome(() => told(change)));
    }
  },

  // Changes that npm `ravendb` does not see and therefore does not save, or sees where there is none.
  "what npm ravendb overlooks": async ({ open, better, server }) => {
    await server.put("n/1", { empty: "", zero: 0, no: false, list: [0, null, "", 1], pair: [1, 2] }, "Nots");
    const changed = (name: string, before: unknown, after: unknown, more: object = {}) => ({
      "n/1": [
        {
          change: "FieldChanged",
          fieldName: name,
          fieldNewValue: after,
          fieldOldValue: before,
          fieldPath: "",
          ...more,
        },
      ],
    });
    const item = (at: number, before: unknown, after: unknown) =>
      changed("list", before, after, { change: "ArrayValueChanged", fieldPath: `list[${at}]` });
    const cases: [string, (entity: Any) => void, object][] = [
      ["an empty text to null", (e) => (e.empty = null), changed("empty", "", null)],
      ["0 to null", (e) => (e.zero = null), changed("zero", 0, null)],
      ["false to null", (e) => (e.no = null), changed("no", false, null)],
      ["an item 0 to null", (e) => (e.list[0] = null), item(0, 0, null)],
      ["an item 0 to an empty text", (e) => (e.list[0] = ""), item(0, 0, "")],
      ["an item null to 0", (e) => (e.list[1] = 0), item(1, null, 0)],
      ["an item empty to false", (e) => (e.list[2] = false), item(2, "", false)],
      ["a list to an object", (e) => (e.pair = { 0: 1, 1: 2 }), changed("pair", [1, 2], { 0: 1, 1: 2 })],
    ];
    for (const [name, change, told] of cases) {
      const session = open().openSession();
      const entity = (await session.load("n/1")) as Any;
      change(entity);
      better(`${name}: changed`, session.advanced.hasChanged(entity), { ravendb: false, edge: true });
      better(`${name}: what`, session.advanced.whatChanged(), { ravendb: {}, edge: told });
    }
    const session = open().openSession();
    const entity = (await session.load("n/1")) as Any;
    entity.run = () => {};
    better("a function is no field", session.advanced.hasChanged(entity), { ravendb: true, edge: false });
  },

  "several items of a list": async ({ open, better, observe, server }) => {
    await server.put("s/1", { lines: [{ n: 1 }, { n: 2 }, { n: 3 }] }, "Several");
    const session = open().openSession();
    const entity = (await session.load("s/1")) as Any;
    for (const line of entity.lines) line.n *= 10;
    const line = (at: number) => ({
      change: "FieldChanged",
      fieldName: "n",
      fieldNewValue: (at + 1) * 10,
      fieldOldValue: at + 1,
      fieldPath: `lines[${at}]`,
    });
    better("whatChanged tells all of them", session.advanced.whatChanged(), {
      ravendb: { "s/1": [line(0)] },
      edge: { "s/1": [line(0), line(1), line(2)] },
    });
    await session.saveChanges();
    observe("all are saved", await server.fields("s/1"));
  },

  "objects in lists": async ({ open, observe, server }) => {
    await server.put("l/1", { lines: [{ n: 1, tags: ["a"] }, { n: 2 }], grid: [[1, 2], [3]] }, "Lists");
    const changes: Record<string, (entity: Any) => void> = {
      "a field of an item": (e) => (e.lines[0].n = 5),
      "a list in an item": (e) => e.lines[0].tags.push("b"),
      "an item to null": (e) => (e.lines[1] = null),
      "an item for a number": (e) => (e.lines[1] = 2),
      "a list in a list": (e) => (e.grid[0][1] = 9),
      "a list in a list grows": (e) => e.grid[1].push(4),
    };
    for (const [name, change] of Object.entries(changes)) {
      const session = open().openSession();
      const entity = (await session.load("l/1")) as Any;
      change(entity);
      observe(`${name}: changed`, session.advanced.hasChanged(entity));
      observe(`${name}: what`, session.advanced.whatChanged());
    }
  },

  "fields that are undefined": async ({ open, observe, server }) => {
    await server.put("x/1", { total: 1, deep: { y: 1 }, list: [{ b: 1 }] }, "MySparses");
    const loading = open((conventions) => conventions.registerEntityType(MySparse)).openSession();
    const loaded = (await loading.load("x/1", MySparse)) as Any;
    observe("loaded", loading.advanced.whatChanged());
    loaded.total = 2;
    observe("one of a loaded one", loading.advanced.whatChanged());
    const session = open().openSession();
    const wide = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`m${at}`, at || undefined]));
    const entity = plain(
      { none: undefined, n: 1, deep: { x: undefined, y: 1 }, list: [{ a: undefined, b: 1 }], wide },
      "Sparses",
    ) as Any;
    await session.store(entity, "x/2");
    await session.saveChanges();
    observe("saved", session.advanced.whatChanged());
    entity.n = 2;
    observe("a field", session.advanced.whatChanged());
    entity.deep.y = 2;
    entity.wide.m5 = 0;
    observe(
      "fields inside",
      session.advanced.whatChangedFor(entity).map((one) => [one.change, one.fieldFullName]),
    );
    entity.none = 1;
    entity.n = undefined;
    observe(
      "one that gets a value, one that loses it",
      session.advanced.whatChangedFor(entity).map((one) => [one.change, one.fieldFullName]),
    );
  },

  "a DocumentsChanges": async ({ open, observe, server }) => {
    await server.put("d/1", { deep: { a: 1 } }, "Deeps");
    const session = open().openSession();
    const entity = (await session.load("d/1")) as Any;
    entity.deep.a = 2;
    const change = session.advanced.whatChanged()["d/1"][0];
    observe("fieldFullName", change.fieldFullName);
    observe("its keys", Object.keys(change).sort());
    entity.more = 1;
    observe(
      "fieldFullName of a new one",
      session.advanced.whatChangedFor(entity).map((one) => one.fieldFullName),
    );
  },

  "odd values": async ({ open, observe, better, server }) => {
    const session = open().openSession();
    const entity: Any = plain({ nan: Number.NaN, zero: -0, big: 1e300, infinity: 1 / 0 }, "Odds");
    await session.store(entity, "o/1");
    await session.saveChanges();
    observe("what is stored", await server.fields("o/1"));
    better("NaN has not changed", session.advanced.hasChanged(entity), { ravendb: true, edge: false });
    const vector = await server.vector("o/1");
    await session.saveChanges();
    better("and is not sent again", (await server.vector("o/1")) === vector, { ravendb: false, edge: true });
    const other = open().openSession();
    const loaded = (await other.load("o/1")) as Any;
    observe("loaded elsewhere", [loaded.nan, loaded.infinity, loaded.big]);
    loaded.nan = Number.NaN;
    better("null to NaN is no change", other.advanced.hasChanged(loaded), { ravendb: true, edge: false });
  },

  dates: async ({ open, observe, server }) => {
    const session = open().openSession();
    const entity: Any = plain(
      { at: new Date(Date.UTC(2020, 1, 29, 12, 30, 15, 123)), list: [new Date(0)] },
      "Dates",
    );
    await session.store(entity, "dates/1");
    await session.saveChanges();
    observe("as stored", await server.fields("dates/1"));
    observe("not changed", session.advanced.hasChanges());
    entity.at = new Date(Date.UTC(2020, 1, 29, 12, 30, 15, 123));
    observe("an equal date is no change", session.advanced.hasChanged(entity));
    entity.at.setUTCFullYear(2021);
    observe("a date changed in place", session.advanced.whatChanged());
    await session.saveChanges();
    observe("is sent", ((await server.fields("dates/1")) as Any).at);
    const loaded = (await open().openSession().load("dates/1")) as Any;
    observe("a date comes back as a date", [loaded.at instanceof Date, loaded.list[0] instanceof Date]);
    observe("the same moment", loaded.at?.getTime?.() === entity.at.getTime());
  },

  "sets and maps": async ({ open, observe, server }) => {
    const session = open().openSession();
    const entity: Any = plain({ set: new Set(["a", "b"]), map: new Map([["k", 1]]) }, "Sets");
    await session.store(entity, "sets/1");
    await session.saveChanges();
    observe("as stored", await server.fields("sets/1"));
    const other = open().openSession();
    const loaded = (await other.load("sets/1")) as Any;
    observe("they come back", [loaded.set, loaded.map]);
    observe("not changed", other.advanced.hasChanges());
    loaded.set.add("c");
    observe("a change is seen", other.advanced.hasChanges());
    await other.saveChanges();
    observe("and sent", ((await server.fields("sets/1")) as Any).set);
  },

  "looking does not send": async ({ open, observe, better, server }) => {
    for (const look of ["hasChanges", "hasChanged", "whatChanged"] as const) {
      await server.put(`look/${look}`, { name: "a", deep: { list: [1] } }, "Looks");
      const vector = await server.vector(`look/${look}`);
      const session = open().openSession();
      const entity = (await session.load(`look/${look}`)) as object;
      if (look === "hasChanged") session.advanced.hasChanged(entity);
      else session.advanced[look]();
      observe(`${look}: no changes`, session.advanced.hasChanges());
      await session.saveChanges();
      better(`${look}: nothing is sent`, (await server.vector(`look/${look}`)) === vector, {
        ravendb: false,
        edge: true,
      });
    }
    await server.put("look/not", { name: "a" }, "Looks");
    const vector = await server.vector("look/not");
    const session = open().openSession();
    await session.load("look/not");
    await session.saveChanges();
    observe("without a look nothing is sent", (await server.vector("look/not")) === vector);
    observe("and no request made", session.advanced.numberOfRequests);
  },

  "changed and changed back": async ({ open, observe, server }) => {
    await server.put("back/1", { name: "a", list: [1] }, "Backs");
    const session = open().openSession();
    const entity = (await session.load("back/1")) as Any;
    entity.name = "b";
    entity.list.push(2);
    observe("changed", session.advanced.hasChanges());
    entity.name = "a";
    entity.list.pop();
    observe("changed back", session.advanced.hasChanges());
    observe("what changed", session.advanced.whatChanged());
    entity.name = "c";
    await session.saveChanges();
    entity.name = "a";
    observe("back after a save is a change", session.advanced.whatChanged());
    await session.saveChanges();
    observe("the last value is there", await server.fields("back/1"));
  },
});
