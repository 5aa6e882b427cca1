// Inputs of the kinds in which faults were found: names, classes, realms, proxies, `toJSON`, dates, frozen objects.

import { runInNewContext } from "node:vm";
import { area, fails, outcome, plain, type Section, type Server } from "./harness.js";

/** The first second of 1970, in local time, as RavenDB's clients write it. */
const EPOCH = "1970-01-01T00:00:00.0000000";

// biome-ignore lint/suspicious/noExplicitAny: values of any shape
type Any = any;

class MyPoint {
  constructor(
    public x = 0,
    public y = 0,
  ) {}
}

class MyTemperature {
  constructor(public degrees = 0) {}
  toJSON() {
    return { degrees: this.degrees };
  }
}

class MyBoxes {
  inner: MyPoint | undefined;
  when: Date | undefined;
  total = 0;
}

/** Values by name; each is saved as a member of a document. */
const VALUES: Record<string, () => unknown> = {
  "a date of another realm": () => runInNewContext("new Date(86400000)"),
  "a set of another realm": () => runInNewContext("new Set([1, 2])"),
  "a map of another realm": () => runInNewContext('new Map([["a", 1]])'),
  "a list of another realm": () => runInNewContext("[1, [2]]"),
  "an object of another realm": () => runInNewContext("({ a: { b: 1 } })"),
  "a proxy of an object": () => new Proxy({ a: 1, b: { c: 2 } }, {}),
  "a proxy of a list": () => new Proxy([1, 2, 3], {}),
  "a frozen object": () => Object.freeze({ a: Object.freeze([1]) }),
  "an object without a prototype": () => Object.assign(Object.create(null), { a: 1 }),
  "a getter": () => ({
    get sum() {
      return 3;
    },
  }),
  "a symbol as name": () => ({ a: 1, [Symbol("s")]: 2 }),
  "a function as value": () => ({ a: 1, f: () => 1 }),
  "undefined in a list": () => [1, undefined, 2],
  "a hole in a list": () => {
    const list = [1, 2, 3];
    delete list[1];
    return list;
  },
  "minus zero": () => -0,
  infinity: () => Number.POSITIVE_INFINITY,
  "a lone surrogate": () => "a\ud800b",
  "a text with a zero": () => "a\0b",
  "separators of lines": () => "a\u2028b",
  "a long text": () => "x".repeat(500),
  "an empty name": () => ({ "": 1 }),
  "a name with a dot": () => ({ "a.b": { c: new Date(1970, 0) } }),
  "a name of digits": () => ({ 2024: { 1: "a" } }),
  "a name like one of the metadata": () => ({ "@id": "x", "@collection": "y" }),
  "a name with dollar signs": () => ({ $type: "a", $SET: [1], $MAP: { a: 1 } }),
  "names of inherited members": () => ({ constructor: 1, toString: 2, hasOwnProperty: 3 }),
  "an id inside": () => ({ id: "orders/5", Id: "orders/6" }),
  "a nested class": () => new MyPoint(1, 2),
  "a class with toJSON": () => new MyTemperature(3),
  "a list of classes": () => [new MyPoint(1, 2), new MyPoint(3, 4)],
  "a class in a map": () => new Map([["a", new MyPoint(1, 2)]]),
  "a date in a set": () => new Set([new Date(0)]),
  "a map in a map": () => new Map([["a", new Map([["b", 1]])]]),
  "a date of the year 1": () => new Date("0001-01-01T00:00:00.000Z"),
  "a date with milliseconds": () => new Date(1_700_000_000_123),
  "a text like a date": () => "2024-02-30T00:00:00.0000000Z",
  "a boxed number": () => Object(5),
  "a regular expression": () => /a+/g,
  "an error": () => new Error("lost"),
  "bytes of a buffer": () => new Uint8Array([1, 2]),
};

/** Where npm `ravendb` refuses what JSON leaves out, loses a value, or reads a date as a text. */
const BETTER: Record<string, { ravendb: unknown; edge: unknown }> = {
  "a function as value": {
    ravendb: fails("InvalidArgumentException"),
    edge: [{ value: { a: 1 } }, { a: 1 }, false, false],
  },
  "a name with a dot": {
    ravendb: [{ value: { "a.b": { c: EPOCH } } }, { "a.b": { c: EPOCH } }, false, false],
    edge: [{ value: { "a.b": { c: EPOCH } } }, { "a.b": { c: new Date(1970, 0) } }, false, false],
  },
  "a boxed number": {
    ravendb: [{ value: {} }, {}, false, false],
    edge: [{ value: 5 }, 5, false, false],
  },
};

/** What is stored of the value, what a session reads, and whether that counts as a change. */
async function roundTrip({ open }: Section, server: Server, id: string, value: unknown): Promise<unknown> {
  const store = open((conventions) => {
    conventions.registerEntityType(MyPoint);
    conventions.registerEntityType(MyTemperature);
  });
  const session = store.openSession();
  await session.store(plain({ value }), id);
  await session.saveChanges();
  const changed = session.advanced.hasChanges();
  const reading = store.openSession();
  const { value: read }: Any = await reading.load(id);
  return [(await server.fields(id)) as Any, read, changed, reading.advanced.hasChanges()];
}

export default area({
  values: async (section) => {
    let at = 0;
    for (const [name, make] of Object.entries(VALUES)) {
      const id = `values/${++at}`;
      const found = await outcome(() => roundTrip(section, section.server, id, make()));
      const differs = BETTER[name];
      if (differs) section.better(name, found, differs);
      else section.observe(name, found);
    }
  },

  "changes of what was read": async ({ open, observe, server }) => {
    const store = open((conventions) => {
      conventions.registerEntityType(MyPoint);
      conventions.registerEntityType(MyBoxes);
    });
    const session = store.openSession();
    const boxes = new MyBoxes();
    boxes.inner = new MyPoint(1, 2);
    boxes.when = new Date(0);
    await session.store(boxes, "boxes/1");
    await session.saveChanges();
    observe("stored", await server.fields("boxes/1"));
    const second = store.openSession();
    const loaded = (await second.load<MyBoxes>("boxes/1")) as MyBoxes;
    observe("read", loaded);
    loaded.total = 5;
    observe("changes", second.advanced.whatChanged());
    await second.saveChanges();
    observe("stored again", await server.fields("boxes/1"));
    loaded.when?.setTime(1_000);
    observe("a date that is set", second.advanced.hasChanges());
    loaded.inner = undefined;
    await second.saveChanges();
    observe("without a member", await server.fields("boxes/1"));
  },

  "entities of other kinds": async ({ open, observe, better, server }) => {
    const kinds: [string, () => object][] = [
      ["a proxy", () => new Proxy(plain({ a: 1 }), {})],
      ["a frozen entity", () => Object.freeze(plain({ a: 1 }))],
      ["a sealed entity", () => Object.seal(plain({ a: 1 }))],
      ["an entity without a prototype", () => Object.assign(Object.create(null), plain({ a: 1 }))],
      [
        "an entity of another realm",
        () => runInNewContext('({ a: 1, "@metadata": { "@collection": "Orders" } })'),
      ],
      [
        "an entity with an accessor",
        () => ({
          ...plain({}),
          get a() {
            return 1;
          },
        }),
      ],
    ];
    for (const [at, [name, make]] of kinds.entries()) {
      const id = `kinds/${at}`;
      const session = open().openSession();
      const entity = make();
      const found = await outcome(async () => {
        await session.store(entity, id);
        await session.saveChanges();
        return [
          session.advanced.getDocumentId(entity),
          session.advanced.hasChanges(),
          await server.fields(id),
        ];
      });
      // npm `ravendb` cannot write the id into it.
      const isFixed = !Object.isExtensible(entity);
      if (isFixed) better(name, found, { ravendb: fails("TypeError"), edge: [id, false, { a: 1 }] });
      else observe(name, found);
    }
  },

  "names in queries": async ({ open, observe, server }) => {
    const fields = { größe: 1, "a b": 2, "a-b": 3, "2024": 4, from: 5, ab: { ç: 6 }, "x'y": 7 };
    await server.put("names/1", fields, "Names");
    for (const name of ["größe", "2024", "from", "ab.ç", "ab"]) {
      const session = open().openSession();
      const query = () =>
        session.query<Any>({ collection: "Names" }).whereExists(name).waitForNonStaleResults(15_000).all();
      observe(name, await outcome(async () => (await query()).length));
    }
  },
});
