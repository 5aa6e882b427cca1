// Bulk insert: documents, and what belongs to them.
import { GetCollectionStatisticsOperation } from "client";
import { area, fails, outcome, plain, type Server, until } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: values of any shape
type Any = any;

class MyMail {
  id?: string;
  constructor(
    public subject = "",
    public sent: Date | null = null,
  ) {}
}

class MyHeartRate {
  static readonly TIME_SERIES_VALUES = ["bpm", "stress"];
  bpm = 0;
  stress = 0;
}

const MAILS = (conventions: Any) => {
  conventions.registerEntityType(MyMail);
  conventions.findCollectionNameForObjectLiteral = () => "Orders";
};

const UTC = (day: number) => new Date(Date.UTC(2026, 0, day));

async function counter(server: Server, id: string): Promise<unknown> {
  const response = await server.send("GET", `/counters?docId=${id}`);
  const { Counters } = (await response.json()) as Any;
  return Counters.map(({ CounterName, TotalValue }: Any) => [CounterName, TotalValue]).sort();
}

async function entries(server: Server, id: string, name: string): Promise<unknown> {
  const response = await server.send("GET", `/timeseries?docId=${id}&name=${encodeURIComponent(name)}`);
  const { Entries } = (await response.json()) as Any;
  return Entries.map(({ Timestamp, Values, Tag }: Any) => [Timestamp.slice(0, 10), Values, Tag]);
}

async function attachment(server: Server, id: string, name: string): Promise<unknown> {
  const response = await server.send("GET", `/attachments?id=${id}&name=${encodeURIComponent(name)}`);
  return [response.status, response.headers.get("content-type"), await response.text()];
}

export default area({
  "ids and metadata": async ({ open, observe, better, server }) => {
    const store = open(MAILS);
    const bulk = store.bulkInsert();
    const mail = new MyMail("hello", new Date(2026, 0, 5, 10));
    observe("returns nothing", await bulk.store(mail));
    observe("the entity shows an id of its collection", /^mymails\/\d+-A$/i.test(mail.id ?? ""));
    const literal: Any = { n: 1 };
    await bulk.store(literal);
    observe("a plain object, too", /^orders\/\d+-A$/.test(literal.id));
    const named: Any = { n: 2 };
    await bulk.store(named, "orders/named");
    observe("an id of the app is not shown", named);
    const shown: Any = { id: "orders/shown", n: 3 };
    await bulk.store(shown);
    observe("the entity's own id", shown);
    const described: Any = { n: 4 };
    await bulk.store(described, { "@collection": "Notes", color: "red" } as Any);
    observe("metadata instead of an id", /^orders\/\d+-A$/.test(described.id));
    await bulk.store({ n: 5 }, "notes/5", { "@collection": "Notes", color: "blue" } as Any);
    await bulk.store({ n: 6 }, { "@id": "notes/6", "@collection": "Notes" } as Any);
    observe("finish", await bulk.finish());
    const document = await server.document(mail.id as string);
    observe("members", [document.subject, document.sent]);
    observe("no id inside", "id" in document);
    const metadata = document["@metadata"];
    observe("its collection", metadata["@collection"]);
    observe("its class", metadata["Raven-Node-Type"]);
    observe("its dates", metadata["@nested-object-types"]);
    observe("a named one", await server.fields("orders/named"));
    observe("one that shows its id", await server.fields("orders/shown"));
    observe("given metadata", (await server.document("notes/5"))["@metadata"].color);
    observe("given collection", (await server.document("notes/5"))["@metadata"]["@collection"]);
    observe("an id in metadata", await server.fields("notes/6"));
    const loaded = await store.openSession().load<MyMail>(mail.id as string);
    observe("loaded as its class", loaded instanceof MyMail && loaded.sent instanceof Date);
    observe("the same time", loaded?.sent?.getTime() === new Date(2026, 0, 5, 10).getTime());
    const own = { n: 7, "@metadata": { "@collection": "Orders", owner: "ada" } };
    const second = store.bulkInsert();
    await second.store(own, "orders/own");
    await second.finish();
    // npm `ravendb` drops metadata of the entity.
    better("metadata of the entity", (await server.document("orders/own"))["@metadata"].owner, {
      ravendb: undefined,
      edge: "ada",
    });
    const { collections } = await store.maintenance.send(new GetCollectionStatisticsOperation());
    observe("all are stored", collections);
  },

  "many documents": async ({ open, observe }) => {
    const store = open();
    const bulk = store.bulkInsert();
    const ids = new Set<string>();
    for (let n = 0; n < 3_000; n++) {
      const entity: Any = plain({ n, text: "x".repeat(50) }, "Many");
      await bulk.store(entity, `many/${n}`);
      ids.add(entity.id ?? `many/${n}`);
    }
    await bulk.finish();
    observe("ids", ids.size);
    const { collections } = await store.maintenance.send(new GetCollectionStatisticsOperation());
    observe("stored", (collections as Any).Many);
    const again = store.bulkInsert({ skipOverwriteIfUnchanged: true });
    await again.store(plain({ n: 1, text: "x".repeat(50) }, "Many"), "many/1");
    await again.store(plain({ n: -2 }, "Many"), "many/2");
    await again.finish();
    const session = store.openSession();
    observe(
      "changed ones are overwritten",
      [await session.load("many/1"), await session.load("many/2")].map((found: Any) => found.n),
    );
  },

  "the order of calls": async ({ open, observe, better, server }) => {
    const store = open();
    observe("nothing to finish", await store.bulkInsert().finish());
    observe("nothing to abort", await store.bulkInsert().abort());
    const nowhere = open(undefined, { database: "" });
    better("without a database", await outcome(() => nowhere.bulkInsert()), {
      ravendb: fails("InvalidArgumentException"),
      edge: fails("InvalidOperationException"),
      row: "`bulkInsert()`, `subscriptions` of a store without a database",
    });
    const bulk = store.bulkInsert();
    observe("tryStoreSync before the first", bulk.tryStoreSync(plain({ n: 0 }), "t/0"));
    await bulk.store(plain({ n: 1 }), "t/1");
    const both = await Promise.allSettled([
      bulk.store(plain({ n: 2 }), "t/2"),
      bulk.store(plain({ n: 3 }), "t/3"),
    ]);
    observe(
      "two at once",
      both.map((each) => each.status),
    );
    observe("the error", (both[1] as PromiseRejectedResult).reason);
    observe("then one", await outcome(() => bulk.store(plain({ n: 4 }), "t/4")));
    const waiting = bulk.store(plain({ n: 5 }), "t/5");
    await bulk.finish();
    await waiting;
    observe("finish waits for a call", await server.fields("t/5"));
    observe("finish again", await bulk.finish());
    observe("abort after finish", await bulk.abort());
    // npm `ravendb` drops the document without an error.
    better("store after finish", await outcome(() => bulk.store(plain({ n: 6 }), "t/6")), {
      ravendb: undefined,
      edge: fails("InvalidOperationException"),
    });
    observe("which is not stored", await server.fields("t/6"));
    observe("the others are", [await server.fields("t/2"), await server.fields("t/3")]);
  },

  "arguments that make no sense": async ({ open, observe, server }) => {
    const store = open();
    const bulk = store.bulkInsert();
    await bulk.store(plain({ n: 1 }), "a/1");
    observe("an id with a pipe", await outcome(() => bulk.store(plain({ n: 1 }), "a|")));
    observe("nothing", await outcome(() => bulk.store(undefined as Any)));
    const none = { n: 1 };
    observe("no id and no collection", await outcome(() => bulk.store(none)));
    for (const id of ["", null] as Any[]) {
      observe(`attachments of ${id}`, await outcome(() => bulk.attachmentsFor(id)));
      observe(`counters of ${id}`, await outcome(() => bulk.countersFor(id)));
      observe(`a time series of ${id}`, await outcome(() => bulk.timeSeriesFor(id, "s")));
    }
    observe("a time series without a name", await outcome(() => bulk.timeSeriesFor("a/1", "")));
    observe("an incremental one", await outcome(() => bulk.timeSeriesFor("a/1", "INC:x")));
    observe("a document after all that", await outcome(() => bulk.store(plain({ n: 2 }), "a/2")));
    await bulk.finish();
    observe("is stored", await server.fields("a/2"));
    observe(
      "without a database",
      (await outcome(() => open(undefined, { database: "" }).bulkInsert().finish())) instanceof Object,
    );
    observe("a missing database", await outcome(() => store.bulkInsert("none").store({}, "a/3")));
  },

  "a document that JSON cannot express": async ({ open, better, server }) => {
    const bulk = open().bulkInsert();
    await bulk.store(plain({ n: 1 }), "j/1");
    const circle: Any = plain({ n: 2 });
    circle.self = circle;
    better("a cycle", await outcome(() => bulk.store(circle, "j/2")), {
      ravendb: fails("InvalidOperationException"),
      edge: fails("InvalidOperationException"),
    });
    await bulk.store(plain({ n: 3 }), "j/3").catch(() => {});
    // npm `ravendb` has already sent a comma, which ends the insert.
    better("finish", await outcome(() => bulk.finish()), {
      ravendb: fails("BulkInsertAbortedException"),
      edge: undefined,
    });
    better("the document after it", await server.fields("j/3"), { ravendb: undefined, edge: { n: 3 } });
  },

  counters: async ({ open, observe, server }) => {
    const bulk = open().bulkInsert();
    await bulk.store(plain({ n: 1 }), "c/1");
    const counters = bulk.countersFor("c/1");
    observe("returns nothing", await counters.increment("likes", 5));
    await counters.increment("likes");
    await counters.increment("views", -3);
    await bulk.store(plain({ n: 2 }), "c/2");
    await bulk.countersFor("c/2").increment('with "quotes"', 7);
    await counters.increment("likes", 10);
    const many = bulk.countersFor("c/2");
    for (let n = 0; n < 1_100; n++) await many.increment("many", 1);
    await bulk.finish();
    observe("of the first", await counter(server, "c/1"));
    observe("of the second", await counter(server, "c/2"));
  },

  "time series": async ({ open, observe, server }) => {
    const store = open((conventions) => {
      conventions.bulkInsert.timeSeriesBatchSize = 2;
    });
    observe("the convention", store.conventions.bulkInsert.timeSeriesBatchSize);
    const bulk = store.bulkInsert();
    await bulk.store(plain({ n: 1 }), "s/1");
    const series = bulk.timeSeriesFor("s/1", "Heart rate");
    observe("returns nothing", await series.append(UTC(1), 60));
    await series.append(UTC(2), 61, "watches/1");
    await series.append(UTC(3), [62, 0.5]);
    await series.append(UTC(4), [63, 0.25], "watches/2");
    await series.append(UTC(5), 64);
    observe("a document meanwhile", await outcome(() => bulk.store(plain({ n: 2 }), "s/2")));
    observe("a counter meanwhile", await outcome(() => bulk.countersFor("s/1").increment("x")));
    observe("another series meanwhile", await outcome(() => bulk.timeSeriesFor("s/1", "Other")));
    observe("finish meanwhile", await outcome(() => bulk.finish()));
    series.dispose();
    observe("a document afterwards", await outcome(() => bulk.store(plain({ n: 2 }), "s/2")));
    const typed = bulk.timeSeriesFor(MyHeartRate, "s/2");
    await typed.append(UTC(1), Object.assign(new MyHeartRate(), { bpm: 70, stress: 1 }));
    await typed.append(UTC(2), Object.assign(new MyHeartRate(), { bpm: 71, stress: 2 }), "watches/3");
    typed.dispose();
    const named = bulk.timeSeriesFor(MyHeartRate, "s/2", "Named");
    await named.append(UTC(3), Object.assign(new MyHeartRate(), { bpm: 72, stress: 3 }));
    named.dispose();
    await bulk.finish();
    observe("entries", await entries(server, "s/1", "Heart rate"));
    observe("with a name", await entries(server, "s/2", "Named"));
    observe(
      "by the class",
      ((await (await server.send("GET", "/timeseries/stats?docId=s/2")).json()) as Any).TimeSeries.length,
    );
  },

  attachments: async ({ open, observe, server }) => {
    const bulk = open().bulkInsert();
    await bulk.store(plain({ n: 1 }), "f/1");
    const files = bulk.attachmentsFor("f/1");
    observe("returns nothing", await files.store("a.txt", Buffer.from("alpha"), "text/plain"));
    await files.store("none", Buffer.alloc(0));
    await files.store("ä ö.bin", Buffer.from("ümlaut"));
    await files.store("large", Buffer.alloc(300_000, "x"));
    await bulk.store(plain({ n: 2 }), "f/2");
    await bulk.attachmentsFor("f/2").store("b.txt", Buffer.from("beta"), "text/html");
    await bulk.finish();
    observe("the first", await attachment(server, "f/1", "a.txt"));
    observe("an empty one", await attachment(server, "f/1", "none"));
    observe("letters", ((await attachment(server, "f/1", "ä ö.bin")) as Any)[2]);
    observe("a large one", ((await attachment(server, "f/1", "large")) as Any)[2].length);
    observe("of the second", await attachment(server, "f/2", "b.txt"));
    observe("the document between", await server.fields("f/2"));
    const orphan = open().bulkInsert();
    await orphan.attachmentsFor("f/none").store("x", Buffer.from("x"));
    observe("of a document that does not exist", await outcome(() => orphan.finish()));
  },

  "refused by the server": async ({ open, observe, better, server }) => {
    await server.put("r/taken", { n: 0 }, "Others");
    const bulk = open().bulkInsert();
    await bulk.store(plain({ n: 1 }), "r/1");
    await until(() => server.fields("r/1"));
    await bulk.store(plain({ n: 2 }), "r/taken");
    observe("finish", await outcome(() => bulk.finish()));
    // npm `ravendb` takes the second call for one after a success.
    better("again", await outcome(() => bulk.finish()), {
      ravendb: undefined,
      edge: fails("BulkInsertAbortedException"),
    });
    observe("what came before is stored", await server.fields("r/1"));
    observe("nothing is overwritten", await server.fields("r/taken"));
  },

  aborted: async ({ open, observe, server }) => {
    const bulk = open().bulkInsert();
    await bulk.store(plain({ n: 1 }), "x/1");
    await until(() => server.fields("x/1"));
    observe("abort", await bulk.abort());
    observe("finish", await outcome(() => bulk.finish()));
    observe("store", await outcome(() => bulk.store(plain({ n: 2 }), "x/2")));
    observe("what was stored remains", await server.fields("x/1"));
    observe("the rest is not stored", await server.fields("x/2"));
  },

  compression: async ({ open, observe, server }) => {
    const bulk = open().bulkInsert({ useCompression: true });
    observe("is on", bulk.useCompression);
    for (let n = 0; n < 1_000; n++) await bulk.store(plain({ n, text: "y".repeat(n) }), `z/${n}`);
    await bulk.finish();
    observe("stored", ((await server.fields("z/999")) as Any).text.length);
    const late = open().bulkInsert();
    late.useCompression = true;
    await late.store(plain({ n: -1 }), "z/0");
    await late.finish();
    observe("switched on before the first document", await server.fields("z/0"));
  },

  progress: async ({ open, observe, server }) => {
    const bulk = open().bulkInsert();
    const seen: Any[] = [];
    const other = () => seen.push("other");
    observe("on", bulk.on("progress", (event: Any) => void seen.push(event.progress)) === bulk);
    observe("off", bulk.on("progress", other).off("progress", other) === bulk);
    await bulk.store(plain({ n: 1 }), "p/1");
    while (seen.length === 0) {
      await bulk.store(plain({ n: 2 }), "p/2");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await bulk.finish();
    const [first] = seen;
    observe("what it counts", [first.total > 0, first.batchCount > 0, first.documentsProcessed > 0]);
    observe("of other kinds", [
      first.attachmentsProcessed,
      first.countersProcessed,
      first.timeSeriesProcessed,
    ]);
    observe("the last one", ["p/1", "p/2"].includes(first.lastProcessedId));
    observe("stored", await server.fields("p/2"));
  },
});
