// session.advanced.stream, by prefix and by query.
import { PassThrough, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { IDocumentSession } from "client";
import { area, fails, outcome } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(
    public name = "",
    public n = 0,
  ) {}
}

class MyOther {
  id?: string;
}

/** All items of a stream. */
async function all(stream: unknown): Promise<Any[]> {
  const items = [];
  for await (const item of (await stream) as AsyncIterable<Any>) items.push(item);
  return items;
}

const ids = async (stream: unknown) => (await all(stream)).map(({ id }) => id);

async function fill(server: { put: (id: string, document: object, collection?: string) => Promise<void> }) {
  for (let n = 1; n <= 5; n++) await server.put(`st/${n}`, { name: `ü${n}`, n }, "MyUsers");
  await server.put("st/sub/1", { n: 6 }, "MyUsers");
}

const raw = (session: IDocumentSession, text: string, parameters: Record<string, unknown> = {}) => {
  const query = session.advanced.rawQuery<Any>(text);
  for (const [name, value] of Object.entries(parameters)) query.addParameter(name, value as Any);
  return query;
};

/** Sends a query that the server answers only when its index is up to date. */
async function index(server: { url: string; database: string }, query: string) {
  const url = `${server.url}/databases/${server.database}/queries`;
  const body = JSON.stringify({ Query: query, WaitForNonStaleResults: true });
  await fetch(url, { method: "POST", body, headers: { "Content-Type": "application/json" } });
}

export default area({
  prefix: async ({ open, observe, fresh }) => {
    const server = await fresh();
    await fill(server);
    const session = open(undefined, server).openSession();
    const items = await all(session.advanced.stream<Any>("st/"));
    observe(
      "ids in order",
      items.map(({ id }) => id),
    );
    observe("an item has", Object.keys(items[0]).sort());
    observe("its change vector", items[0].changeVector === (await server.vector("st/1")));
    observe("the metadata", items[0].metadata);
    observe("the document", items[0].document);
    observe("its id", items[0].document.id);
    observe("members of the document", Object.keys(items[0].document).sort());
    observe("nothing matches", await ids(session.advanced.stream("none/")));
    observe("no prefix at all", (await ids(session.advanced.stream(""))).length);
    observe("is not tracked", [
      session.advanced.isLoaded("st/1"),
      session.advanced.hasChanges(),
      session.advanced.getTrackedEntities().size,
    ]);
    items[0].document.name = "changed";
    await session.saveChanges();
    observe("a change of it is not saved", ((await server.fields("st/1")) as Any).name);
    observe("requests that count", session.advanced.numberOfRequests);
    observe(
      "it has no metadata in the session",
      await outcome(() => session.advanced.getMetadataFor(items[0].document)),
    );
    const loaded = (await session.load("st/1")) as Any;
    const again = await all(session.advanced.stream<Any>("st/1"));
    observe("another object than the loaded one", again[0].document === loaded);
  },

  options: async ({ open, observe, fresh }) => {
    const server = await fresh();
    await fill(server);
    const { advanced } = open(undefined, server).openSession();
    observe("pageSize", await ids(advanced.stream("st/", { pageSize: 2 })));
    observe("start", await ids(advanced.stream("st/", { start: 2 })));
    observe("start and pageSize", await ids(advanced.stream("st/", { start: 1, pageSize: 2 })));
    observe("startAfter", await ids(advanced.stream("st/", { startAfter: "st/3" })));
    observe("matches", await ids(advanced.stream("st/", { matches: "2|sub*" })));
    observe("exclude", await ids(advanced.stream("st/", { exclude: "sub*" })));
    observe("both", await ids(advanced.stream("st/", { matches: "?", exclude: "3" })));
    observe("no options", await ids(advanced.stream("st/sub", {})));
    observe("a prefix with odd characters", await ids(advanced.stream("st/?&= %/")));
  },

  types: async ({ open, observe, better, fresh }) => {
    const server = await fresh();
    const store = open((conventions) => conventions.registerEntityType(MyUser), server);
    const saving = store.openSession();
    const user = Object.assign(new MyUser("a", 1), { at: new Date(1_700_000_000_000), tags: new Set(["x"]) });
    await saving.store(user, "ty/1");
    await saving.saveChanges();
    await server.put("ty/2", { name: "b", n: 2 }, "MyUsers");
    const { advanced } = store.openSession();
    const [one, two] = await all(advanced.stream<Any>("ty/"));
    observe("of the class in the metadata", one.document instanceof MyUser);
    observe("its values", [one.document.name, one.document.at, one.document.tags]);
    observe("without one", two.document instanceof MyUser);
    const named = await all(advanced.stream<MyUser>("ty/", { documentType: MyUser }));
    observe(
      "documentType",
      named.map(({ document }) => document instanceof MyUser),
    );
    const [other] = await all(advanced.stream<MyOther>("ty/2", { documentType: MyOther }));
    better("of a class that is not registered", other.document instanceof MyOther, {
      ravendb: false,
      edge: true,
    });
  },

  values: async ({ open, observe, fresh }) => {
    const server = await fresh();
    const long = 'ä"\\🧀{}[]\u2028'.repeat(20_000);
    await server.put(
      "va/1",
      { long, nested: { "}": [[1, { "[": '"' }], []] }, empty: {}, nothing: null },
      "Values",
    );
    await server.put("va/2", { after: true }, "Values");
    const [one, two] = await all(open(undefined, server).openSession().advanced.stream<Any>("va/"));
    observe("a long text", one.document.long === long);
    observe("what looks like an end", one.document.nested);
    observe("empty things", [one.document.empty, one.document.nothing]);
    observe("what comes behind", two.document.after);
  },

  breaking: async ({ open, observe, fresh }) => {
    const server = await fresh();
    await fill(server);
    const session = open(undefined, server).openSession();
    let count = 0;
    for await (const _ of await session.advanced.stream("st/")) if (++count === 2) break;
    observe("ends the loop", count);
    observe("the session goes on", (await session.load("st/3")) !== null);
    const failed = await outcome(async () => {
      for await (const _ of await session.advanced.stream("st/")) throw new RangeError("mine");
    });
    observe("an error of the app", failed);
    observe("and goes on", (await ids(session.advanced.stream("st/"))).length);
    const [one, two] = await Promise.all([
      ids(session.advanced.stream("st/")),
      ids(session.advanced.stream("st/s")),
    ]);
    observe("two at once", [one, two]);
  },

  queries: async ({ open, observe, fresh }) => {
    const server = await fresh();
    await fill(server);
    const session = open(undefined, server).openSession();
    const { advanced } = session;
    const items = await all(advanced.stream<Any>(raw(session, "from MyUsers")));
    observe(
      "ids",
      items.map(({ id }) => id),
    );
    observe("an item has", Object.keys(items[0]).sort());
    observe("the metadata", items[0].metadata);
    observe("the document", items[0].document);
    observe("requests that count", advanced.numberOfRequests);
    observe(
      "a parameter",
      await ids(advanced.stream(raw(session, "from MyUsers where id() = $id", { id: "st/2" }))),
    );
    observe("nothing found", await ids(advanced.stream(raw(session, "from Nobody"))));
    let stats: Any;
    const list = await ids(advanced.stream(raw(session, "from MyUsers"), (told: Any) => (stats = told)));
    observe("statistics", [list.length, stats?.totalResults, stats?.indexName]);
    observe("its members", Object.keys(stats ?? {}).sort());
    const { resultEtag: _, ...rest } = stats ?? {};
    observe("and their values", { ...rest, stale: rest.isStale });
    const projected = await all(
      advanced.stream<Any>(raw(session, "from MyUsers as u where id() = 'st/2' select u.name, u.n")),
    );
    observe(
      "a projection",
      projected.map(({ id, changeVector, document }) => [id, typeof changeVector, document]),
    );
    observe("limit", await ids(advanced.stream(raw(session, "from MyUsers limit 1, 2"))));
    const loaded = await outcome(() => ids(advanced.stream(raw(session, "from MyUsers"), 5 as Any)));
    observe("a callback that is not a function", loaded);
  },

  "a session's query": async ({ open, observe, fresh }) => {
    const server = await fresh();
    await fill(server);
    const session = open((conventions) => conventions.registerEntityType(MyUser), server).openSession();
    await index(server, "from MyUsers where n > 0");
    const some = () => session.query<Any>({ collection: "MyUsers" }).whereGreaterThan("n", 3);
    observe(
      "finds",
      (await all(session.advanced.stream<Any>(some()))).map(({ id, document }) => [id, document.n]),
    );
    const typed = session.query({ documentType: MyUser }).whereEquals("n", 2);
    const [one] = await all(session.advanced.stream<Any>(typed));
    observe("of the class", [one.document instanceof MyUser, one.document.name, one.document.id]);
    const fields = some().selectFields(["name", "n"]);
    const parts = [];
    for (const { id, document } of await all(session.advanced.stream<Any>(fields as Any))) {
      // A note that npm `ravendb` makes for itself and forgets to take out.
      const { __PROJECTED_NESTED_OBJECT_TYPES__: _, ...rest } = document;
      parts.push([id, rest]);
    }
    observe("fields", parts);
    observe("they have not been tracked", session.advanced.getTrackedEntities().size);
  },

  groups: async ({ open, observe, fresh }) => {
    const server = await fresh();
    await fill(server);
    const session = open(undefined, server).openSession();
    const query = () => raw(session, "from MyUsers group by n select n, count() as count");
    await index(server, "from MyUsers group by n select n, count() as count");
    const items = await all(session.advanced.stream<Any>(query()));
    observe("results without id", [...new Set(items.map(({ id, changeVector }) => `${id} ${changeVector}`))]);
    observe("a result", items.find(({ document }) => document.n === 1)?.document);
    observe("members", Object.keys(items[0]?.document ?? {}).sort());
  },

  failures: async ({ open, observe, better, fresh }) => {
    const server = await fresh();
    await fill(server);
    const session = open(undefined, server).openSession();
    const { advanced } = session;
    observe("no RQL", await outcome(() => ids(advanced.stream(raw(session, "frm MyUsers")))));
    const lacking = await outcome(() => ids(advanced.stream(raw(session, "from MyUsers where n = $n"))));
    better("a missing parameter", lacking, { ravendb: [], edge: fails("InvalidQueryException") });
    observe(
      "an index that is not there",
      await outcome(() => ids(advanced.stream(raw(session, "from index 'None'")))),
    );
    observe(
      "wait for an index",
      await outcome(() => ids(advanced.stream(raw(session, "from MyUsers").waitForNonStaleResults()))),
    );
    observe(
      "with includes",
      await outcome(() => ids(advanced.stream(raw(session, "from MyUsers include name")))),
    );
    better("no argument", await outcome(() => ids((advanced.stream as Any)())), {
      ravendb: fails("TypeError"),
      edge: fails("InvalidArgumentException"),
    });
    const lost = open(undefined, { url: server.url, database: "no such" }).openSession();
    observe("no such database", await outcome(() => ids(lost.advanced.stream("st/"))));
    observe("the session goes on", (await ids(advanced.stream("st/"))).length);
  },

  "as streams of Node": async ({ open, observe, better, fresh }) => {
    const server = await fresh();
    await fill(server);
    const session = open(undefined, server).openSession();
    const flow = async (opened: unknown) => {
      const stream = (await opened) as Any;
      const seen: Any = { ids: [] };
      stream.on("stats", (stats: Any) => {
        seen.total = stats.totalResults;
      });
      stream.on("data", ({ id }: Any) => seen.ids.push(id));
      await new Promise((resolve, reject) => stream.on("end", resolve).on("error", reject));
      return seen;
    };
    observe("by events", await flow(session.advanced.stream("st/")));
    observe("a query", await flow(session.advanced.stream(raw(session, "from MyUsers"))));
    const piped: unknown[] = [];
    const target = new Writable({
      objectMode: true,
      write({ id }, _, done) {
        piped.push(id);
        done();
      },
    });
    await pipeline((await session.advanced.stream("st/")) as Any, target);
    observe("by a pipeline", piped);
    const other = new PassThrough({ objectMode: true });
    ((await session.advanced.stream("st/", { pageSize: 2 })) as Any).pipe(other);
    observe("by pipe", await ids(other));
    const left = (await session.advanced.stream("st/")) as Any;
    await new Promise((resolve) => left.once("data", resolve));
    left.destroy();
    observe("destroyed", left.destroyed);
    const lines: string[] = [];
    const sink = new Writable({
      write(text, _, done) {
        lines.push(String(text));
        done();
      },
    });
    const query = raw(session, "from MyUsers where id() = 'st/1' or id() = 'st/2'");
    // npm `ravendb` never says that it is done.
    const over = session.advanced.streamInto(query as Any, sink as Any).then(() => "resolved");
    await new Promise((resolve) => sink.once("finish", resolve));
    const documents = lines.join("").split("\n");
    observe(
      "into a stream",
      documents.map((text) => JSON.parse(text)),
    );
    observe("counts", session.advanced.numberOfRequests);
    const late = new Promise((resolve) => setImmediate(resolve, "pending"));
    better("and resolves", await Promise.race([over, late.then(() => late)]), {
      ravendb: "pending",
      edge: "resolved",
    });
  },

  "an error in the middle": async ({ open, better, observe, fresh }) => {
    const server = await fresh();
    await fill(server);
    const session = open(undefined, server).openSession();
    const script =
      "declare function f(u) { if (u.n > 2) throw 'boom'; return { a: u.n } } from MyUsers as u select f(u)";
    const seen: unknown[] = [];
    const result = await outcome(async () => {
      for await (const { document } of await session.advanced.stream<Any>(raw(session, script)))
        seen.push((document as Any).a);
    });
    observe("what came before", seen);
    better("the app hears of it", result, { ravendb: undefined, edge: fails("JavaScriptException") });
  },
});
