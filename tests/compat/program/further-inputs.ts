// Inputs of the kinds in which faults were found: names, classes, realms, proxies, `toJSON`, dates, frozen objects, ETags, stale indexes,
// contexts that are not secure.

import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { runInNewContext } from "node:vm";
import type { QueryStatistics } from "client";
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

/** What proxies do to ETags. */
const ETAGS: Record<string, (etag: string) => string | undefined> = {
  "as it is": (etag) => etag,
  weak: (etag) => `W/${etag}`,
  compressed: (etag) => etag.replace(/"$/, '-gzip"'),
  "weak and compressed": (etag) => `W/${etag.replace(/"$/, '-br"')}`,
  "without quotes": (etag) => etag.slice(1, -1),
  removed: () => undefined,
};

/** A proxy before RavenDB that changes its ETags. */
async function changing(url: string, change: (etag: string) => string | undefined) {
  const proxy = createServer((received, response) => {
    const { method, headers } = received;
    const sent = request(new URL(received.url ?? "", url), { method, headers }, (answer) => {
      const { etag, ...rest } = answer.headers;
      const changed = etag && change(etag);
      response.writeHead(answer.statusCode ?? 500, changed ? { ...rest, etag: changed } : rest);
      answer.pipe(response);
    });
    received.pipe(sent);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, end: () => proxy.close() };
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

  "ETags that a proxy changes": async ({ open, observe, server }) => {
    for (const [name, change] of Object.entries(ETAGS)) {
      const proxy = await changing(server.url, change);
      const id = `etags/${name}`;
      await server.put(id, { a: 1 }, "Etags");
      const store = open(undefined, { url: proxy.url });
      const read = async () => ((await store.openSession().load(id)) as Any)?.a;
      observe(`${name}: read twice`, [await read(), await read()]);
      await server.put(id, { a: 2 }, "Etags");
      observe(`${name}: read after a change`, await read());
      const query = () =>
        store.openSession().query<Any>({ collection: "Etags" }).waitForNonStaleResults(15_000);
      const found = async () => (await query().whereEquals("id()", id).all()).map(({ a }) => a);
      observe(`${name}: found twice`, [await found(), await found()]);
      const session = store.openSession();
      const entity: Any = await session.load(id);
      const vector = session.advanced.getChangeVectorFor(entity);
      observe(`${name}: the version`, vector === (await server.vector(id)));
      const { entity: unchanged } = await store
        .openSession()
        .advanced.conditionalLoad(id, vector ?? "", MyPoint);
      observe(`${name}: loaded on condition`, unchanged ?? null);
      await server.put(id, { a: 3 }, "Etags");
      entity.a = 4;
      session.advanced.useOptimisticConcurrency = true;
      observe(`${name}: saved over a change`, await outcome(() => session.saveChanges()));
      proxy.end();
    }
  },

  "indexes that are stale after deletions": async ({ open, observe, fresh }) => {
    const server = await fresh();
    for (let at = 0; at < 9; at++) await server.put(`stale/${at}`, { at }, "Stale");
    const store = open(undefined, { database: server.database });
    const query = () => store.openSession().query<Any>({ collection: "Stale" }).whereGreaterThan("at", -1);
    const all = () => query().orderBy("at", "Long");
    await all().waitForNonStaleResults(15_000).all();
    await server.send("POST", "/admin/indexes/stop");
    for (const at of [0, 1, 4, 8]) await server.delete(`stale/${at}`);
    const shown = (found: Any[]) => found.map(({ at }) => at);
    let statistics: QueryStatistics | undefined;
    const first = await all()
      .statistics((found) => (statistics = found))
      .take(4)
      .all();
    observe("a page", shown(first));
    observe("its statistics", [statistics?.totalResults, statistics?.skippedResults, statistics?.isStale]);
    observe("the next page", shown(await all().skip(4).take(4).all()));
    observe("all", shown(await all().all()));
    observe("the first", await outcome(async () => ((await all().first()) as Any).at));
    observe("a count", await query().count());
    observe("any", await query().any());
    observe("a deleted one", await query().whereEquals("at", 4).firstOrNull());
    observe("as a lazy query", shown(await all().take(4).lazily().getValue()));
    await server.send("POST", "/admin/indexes/start");
    observe("when it is up to date", shown(await all().waitForNonStaleResults(15_000).take(4).all()));
  },

  "a context that is not secure": async ({ open, observe, server }) => {
    // Pages on plain http have no such function.
    const own = Object.getOwnPropertyDescriptor(crypto, "randomUUID");
    Object.defineProperty(crypto, "randomUUID", { value: undefined, configurable: true });
    try {
      const store = open();
      const session = store.openSession();
      const order: Any = plain({ a: 1 });
      await session.store(order, "insecure/1");
      session.advanced.attachments.store("insecure/1", "photo", Buffer.from("light"), "text/plain");
      session.countersFor("insecure/1").increment("likes");
      session.timeSeriesFor("insecure/1", "pulse").append(new Date(0), 60);
      observe("a save", await outcome(() => session.saveChanges()));
      observe("is there", await server.fields("insecure/1"));
      const insert = store.bulkInsert();
      observe(
        "a bulk insert",
        await outcome(async () => {
          await insert.store(plain({ b: 2 }), "insecure/2");
          await insert.finish();
          return server.fields("insecure/2");
        }),
      );
    } finally {
      if (own) Object.defineProperty(crypto, "randomUUID", own);
      else Reflect.deleteProperty(crypto, "randomUUID");
    }
  },
});
