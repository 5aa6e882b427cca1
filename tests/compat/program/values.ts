// Values that JSON does not have: how they are stored and noted, and what a program that loads them gets.
import type { DocumentStore } from "client";
import { area, fails, outcome, plain, type Section } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

const DAY = new Date(2020, 1, 3);
const TEXT = "2020-02-03T00:00:00.0000000";

class MyLine {
  price = 5;
  at: Date | null = new Date(DAY);
}

class MyPeriod {
  from = new Date(DAY);
  days = new Set([1]);
  lines = new Map([["a", new MyLine()]]);
  toJSON() {
    return { from: this.from, days: this.days, lines: this.lines };
  }
}

const registered = (conventions: DocumentStore["conventions"]) => {
  conventions.registerEntityType(MyLine);
  conventions.registerEntityType(MyPeriod);
};

const byName = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1);

/** Stores values of a plain object; gives the fields and the notes of the document. */
async function stored({ open, server }: Section, id: string, values: object) {
  const session = open().openSession();
  await session.store(plain({ ...values }), id);
  await session.saveChanges();
  const { "@metadata": metadata, ...fields } = await server.document(id);
  return [fields, Object.entries(metadata["@nested-object-types"] ?? {}).sort(byName)];
}

/** Loads a document in a store that knows the classes. */
const loaded = ({ open }: Section, id: string) => open(registered).openSession().load<Any>(id);

export default area({
  "toJSON inside an entity": async (section) => {
    const { observe, open, server } = section;
    const period = new MyPeriod();
    observe("stored", await stored(section, "v/period", { period, list: [period] }));
    const session = open(registered).openSession();
    const entity = (await session.load("v/period")) as Any;
    observe("loaded", entity);
    entity.other = 1;
    await session.saveChanges();
    observe("after a change beside it", await server.fields("v/period"));
    observe("its notes", (await server.document("v/period"))["@metadata"]["@nested-object-types"].period);
    observe("is loaded again", await loaded(section, "v/period"));
  },

  "toJSON that gives something else": async (section) => {
    const { better } = section;
    const values = {
      text: { toJSON: () => "text" },
      date: { toJSON: () => new Date(DAY) },
      set: { toJSON: () => new Set([new Date(DAY)]) },
      list: { toJSON: () => [new MyLine(), { toJSON: () => 5 }] },
      itself: {
        a: 1,
        toJSON() {
          return this;
        },
      },
    };
    // npm `ravendb` copies the functions, and JSON calls them.
    better("stored", await stored(section, "v/other", values), {
      ravendb: [
        {
          text: "text",
          date: {},
          set: {},
          list: [{ price: 5, at: DAY.toISOString() }, 5],
          itself: { a: 1 },
        },
        [],
      ],
      edge: [
        {
          text: "text",
          date: TEXT,
          set: [TEXT],
          list: [{ price: 5, at: TEXT }, 5],
          itself: { a: 1 },
        },
        [
          ["date", "date"],
          ["list.0", "MyLine"],
          ["list.0.at", "date"],
          ["set", "Set"],
          ["set$SET", "date"],
        ],
      ],
    });
  },

  "values of another realm": async (section) => {
    const { better, observe, open, server } = section;
    const { runInNewContext } = await import(String("node:vm"));
    const foreign = () =>
      runInNewContext(
        "({ date: new Date(2020, 1, 3), set: new Set([new Date(2020, 1, 3)]), map: new Map([['a', { b: [1] }]]), deep: { list: [{ n: 1 }] } })",
      );
    observe("stored", await stored(section, "v/foreign", foreign()));
    observe("loaded", await loaded(section, "v/foreign"));
    const session = open().openSession();
    const entity = foreign();
    await session.store(entity, "v/foreign-entity");
    await session.saveChanges();
    observe("has no changes", session.advanced.hasChanges());
    entity.map.get("a").b.push(2);
    observe("has one", session.advanced.hasChanges());
    await session.saveChanges();
    observe("is sent", await server.fields("v/foreign-entity"));
    observe(
      "is a plain object",
      (await server.document("v/foreign-entity"))["@metadata"]["Raven-Node-Type"] ?? null,
    );
    const store = open((conventions) => {
      conventions.findCollectionNameForObjectLiteral = () => "Foreigners";
    });
    const other = store.openSession();
    const literal = runInNewContext("({ n: 1 })");
    await other.store(literal, "v/literal");
    await other.saveChanges();
    // npm `ravendb` asks the convention for plain objects of its own realm alone.
    better("its collection", (await server.document("v/literal"))["@metadata"]["@collection"], {
      ravendb: undefined,
      edge: "Foreigners",
    });
    const bytes = runInNewContext("new Uint8Array([1, 2]).buffer");
    other.advanced.attachments.store("v/literal", "bytes", bytes, "text/plain");
    await other.saveChanges();
    const attachments = (await server.document("v/literal"))["@metadata"]["@attachments"] as Any;
    observe("an ArrayBuffer as an attachment", attachments[0].Size);
    const date = runInNewContext("new Date(1000)");
    other.timeSeriesFor("v/literal", "beats").append(date, 1);
    await other.saveChanges();
    const entries = await open().openSession().timeSeriesFor("v/literal", "beats").get(date, date);
    observe(
      "a Date in a time series",
      entries?.map(({ timestamp, value }) => [timestamp.getTime(), value]),
    );
    const query = open().openSession().query({ collection: "Orders" });
    observe("a Date in a query", query.whereEquals("at", date).toString());
  },

  "what only claims to be a date": async (section) => {
    const { observe } = section;
    const values = Object.fromEntries(
      ["Date", "Map", "Set", "Number", "ArrayBuffer"].map((tag) => [
        tag,
        { a: 1, [Symbol.toStringTag]: tag },
      ]),
    );
    observe("is stored as what it is", await stored(section, "v/claims", values));
  },

  "invalid dates": async (section) => {
    const { better, observe, open, server } = section;
    const invalid = new Date(Number.NaN);
    const refused = { ravendb: fails("RangeError"), edge: fails("InvalidArgumentException") };
    const save = (values: object) =>
      outcome(async () => {
        const session = open().openSession();
        await session.store(plain(values), "v/invalid");
        await session.saveChanges();
      });
    better("of an entity", await save({ at: invalid }), refused);
    better("inside", await save({ deep: [new Map([["a", invalid]])] }), refused);
    const expiring = async () => {
      const session = open().openSession();
      const entity = plain({ a: 1 }) as Any;
      await session.store(entity, "v/invalid");
      entity["@metadata"].until = invalid;
      await session.saveChanges();
    };
    better("in metadata", await outcome(expiring), refused);
    observe("nothing is stored", await server.document("v/invalid"));
    const session = open().openSession();
    const entity = plain({ at: invalid as Date | null });
    await session.store(entity, "v/invalid");
    better(
      "whatChanged of a new one",
      await outcome(() => session.advanced.whatChanged()["v/invalid"]?.length),
      {
        ravendb: fails("RangeError"),
        edge: 1,
      },
    );
    entity.at = null;
    await session.saveChanges();
    entity.at = invalid;
    better("hasChanges", await outcome(() => session.advanced.hasChanges()), refused);
    better("hasChanged", await outcome(() => session.advanced.hasChanged(entity)), refused);
    better("whatChanged", await outcome(() => session.advanced.whatChanged()), refused);
    session.advanced.clear();
    session.advanced.patch("v/invalid", "at", invalid);
    better("in a patch", await outcome(() => session.saveChanges()), refused);
    const query = () => session.query({ collection: "Orders" });
    better("in a query", await outcome(() => query().whereEquals("at", invalid).all()), refused);
    const parameter = (value: unknown) =>
      outcome(() =>
        session.advanced.rawQuery("from Orders where id() = $at").addParameter("at", value).all(),
      );
    const ignored = { ravendb: [], edge: fails("InvalidArgumentException") };
    better("as a parameter", await parameter(invalid), ignored);
    better("inside of a parameter", await parameter({ at: [invalid] }), ignored);
  },

  "classes that are not registered": async (section) => {
    const { observe } = section;
    const values = {
      line: new MyLine(),
      list: [new MyLine()],
      anonymous: new (class {})(),
      bytes: new Uint8Array(1),
    };
    observe("are noted", await stored(section, "v/classes", values));
    const { line, list } = await loaded(section, "v/classes");
    observe("are made by a program that registers them", [line, list]);
  },

  "maps and sets of one kind": async (section) => {
    const { observe } = section;
    const without = Object.assign(new MyLine(), { at: null });
    const values = {
      lines: new Map<string, unknown>([
        ["a", new MyLine()],
        ["b", without],
        ["c", null],
      ]),
      dates: new Set([new Date(DAY), null]),
      maps: new Map([["a", new Map([["b", new Date(DAY)]])]]),
    };
    observe("share their notes", await stored(section, "v/alike", values));
    observe("are loaded", await loaded(section, "v/alike"));
  },

  "maps and sets of different kinds": async (section) => {
    const { better, observe, server } = section;
    const values = {
      map: new Map<string, unknown>([
        ["date", new Date(DAY)],
        ["line", new MyLine()],
        ["text", "2020-01-01T00:00:00.0000000"],
        ["set", new Set([new Date(DAY), 5])],
      ]),
      set: new Set([new MyLine(), { price: 1, at: "2020-01-01T00:00:00.0000000" }, 5]),
    };
    const [fields, notes] = await stored(section, "v/mixed", values);
    observe("stored", fields);
    better("their notes", notes, {
      ravendb: [
        ["map", "Map"],
        ["map$MAP", "Set"],
        ["map$MAP$SET", "date"],
        ["map$MAP.at", "date"],
        ["set", "Set"],
        ["set$SET", "MyLine"],
        ["set$SET.at", "date"],
      ],
      edge: [
        ["map", "Map"],
        ["map.0.1", "date"],
        ["map.1.1", "MyLine"],
        ["map.1.1.at", "date"],
        ["map.3.1", "Set"],
        ["map.3.1.0", "date"],
        ["set", "Set"],
        ["set.0", "MyLine"],
        ["set.0.at", "date"],
      ],
    });
    better("loaded", await outcome(() => loaded(section, "v/mixed").then(({ map, set }) => ({ map, set }))), {
      ravendb: fails("InvalidOperationException"),
      edge: values,
    });
    // As raven-edge notes it.
    const metadata = {
      "@collection": "Orders",
      "@nested-object-types": {
        map: "Map",
        "map.0.1": "date",
        set: "Set",
        "set.0": "MyLine",
        "set.0.at": "date",
      },
    };
    const { map, set } = fields as Any;
    await server.put("v/ours", { map: map.slice(0, 1), set, "@metadata": metadata });
    const ours = await loaded(section, "v/ours");
    better("as the other package reads it", [ours.map, ours.set], {
      ravendb: [new Map([["date", TEXT]]), new Set(set)],
      edge: [new Map([["date", new Date(DAY)]]), values.set],
    });
  },

  "dates far away": async (section) => {
    const { better, observe, open, server } = section;
    const late = { late: new Date(12345, 2, 15), last: new Date(8.64e15) };
    observe("after the year 9999", await stored(section, "v/late", late));
    const loadLate = () => loaded(section, "v/late").then(({ late, last }) => ({ late, last }));
    better("loaded from there", await outcome(loadLate), {
      ravendb: fails("InvalidOperationException"),
      edge: late,
    });
    const zero = new Date(2000, 5, 1);
    zero.setFullYear(0);
    const early = { ides: new Date(-43, 2, 15), zero };
    // npm `ravendb` loses the sign of the year.
    better("before the year 1", (await stored(section, "v/early", early))[0], {
      ravendb: { ides: "0044-03-15T00:00:00.0000000", zero: "0001-06-01T00:00:00.0000000" },
      edge: { ides: "-000043-03-15T00:00:00.0000000", zero: "0000-06-01T00:00:00.0000000" },
    });
    const loadEarly = () =>
      loaded(section, "v/early").then(({ ides, zero }) => ides.getTime() - zero.getTime());
    better("the time between them", await outcome(loadEarly), {
      ravendb: new Date(44, 2, 15).setFullYear(44) - new Date(1, 5, 1).setFullYear(1),
      edge: early.ides.getTime() - early.zero.getTime(),
    });
    const session = open((conventions) => {
      conventions.storeDatesInUtc = true;
    }).openSession();
    await session.store(plain({ ...late, ...early, first: new Date(-8.64e15) }), "v/utc");
    await session.saveChanges();
    const { "@metadata": _, ...utc } = await server.document("v/utc");
    observe(
      "in UTC",
      Object.values(utc).map((text) => `${text}`.slice(0, 15)),
    );
  },
});
