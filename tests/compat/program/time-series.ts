// Time series in sessions: `timeSeriesFor`, `incrementalTimeSeriesFor`, `timeSeriesRollupFor`.
import { TimeValue, TypedTimeSeriesEntry, TypedTimeSeriesRollupEntry } from "client";
import { area, fails, outcome, type Server } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: arguments that the types refuse, and results of any shape
type Any = any;

const at = (minute: number) => new Date(Date.UTC(2024, 0, 1, 0, minute));
const values = (entries: Any) => entries?.map((entry: Any) => entry.values) ?? entries;

/** Entries of the server, beside the client. */
async function stored(server: Server, id: string, name: string): Promise<unknown> {
  const path = `/timeseries?docId=${encodeURIComponent(id)}&name=${encodeURIComponent(name)}`;
  const response = await server.send("GET", path);
  if (response.status === 404) return null;
  const { Entries } = (await response.json()) as Any;
  return Entries.map(({ Timestamp, Values, Tag }: Any) => [Timestamp, Values, Tag]);
}

/** A document with a time series of `count` entries. */
async function prepared(server: Server, id: string, count: number, name = "Heart"): Promise<void> {
  await server.put(id, { n: 1 }, "Users");
  const Appends = Array.from({ length: count }, (_, minute) => ({
    Timestamp: `${at(minute).toISOString().slice(0, -1)}0000Z`,
    Values: [minute],
  }));
  await server.send("POST", `/timeseries?docId=${encodeURIComponent(id)}`, { Name: name, Appends });
}

class Price {
  static readonly TIME_SERIES_VALUES = ["open", "close"];
  open = 0;
  close = 0;
}
class Point {
  static readonly TIME_SERIES_VALUES = [
    { field: "x", name: "X" },
    { field: "y", name: "Y" },
  ];
  x = 0;
  y = 0;
}
const price = (open: number, close: number) => Object.assign(new Price(), { open, close });

export default area({
  "appended with a new document": async ({ open, observe, server }) => {
    const session = open().openSession();
    const user = { n: 1, "@metadata": { "@collection": "Users" } };
    await session.store(user, "a/1");
    const series = session.timeSeriesFor("a/1", "Heart");
    observe("append gives", series.append(at(2), 3, "watch"));
    series.append(at(0), [1, 2]);
    series.append(at(1), 5);
    series.append(at(1), 6, "");
    observe("changes", session.advanced.hasChanges());
    observe("the save", await outcome(() => session.saveChanges()));
    observe("one request", session.advanced.numberOfRequests);
    observe("no changes", session.advanced.hasChanges());
    observe("stored in order", await stored(server, "a/1", "Heart"));
    observe("not in its metadata", session.advanced.getTimeSeriesFor(user));
    session.timeSeriesFor(user, "Heart").append(at(3), 9);
    await session.saveChanges();
    observe("by the entity", ((await stored(server, "a/1", "Heart")) as Any).length);
  },

  "read: members of entries": async ({ open, observe, server }) => {
    await prepared(server, "b/1", 3);
    const session = open().openSession();
    const entries = (await session.timeSeriesFor("b/1", "Heart").get()) as Any;
    observe("entries", entries);
    observe("keys", Object.keys(entries[0]));
    observe("as JSON", JSON.stringify(entries[1]));
    observe("a date", entries[0].timestamp instanceof Date);
    observe("spread", { ...entries[2] });
    observe("value", entries[2].value);
    entries[2].value = 7;
    observe("set", entries[2].values);
    entries[2].values = [1, 2];
    observe("several", await outcome(() => entries[2].value));
    observe("set several", await outcome(() => (entries[2].value = 1)));
  },

  "read: ranges and pages": async ({ open, observe, better, server }) => {
    await prepared(server, "c/1", 20);
    const of = () => open().openSession().timeSeriesFor("c/1", "Heart") as Any;
    observe("a range", values(await of().get(at(3), at(5))));
    observe("from", values(await of().get(at(18), null)));
    observe("to", values(await of().get(undefined, at(1))));
    observe("a page", values(await of().get(5, 2)));
    observe("behind the end", values(await of().get(50, 2)));
    observe("no page", values(await of().get(0, 0)));
    observe("an empty range", values(await of().get(new Date(0), new Date(1))));
    observe("backwards", await outcome(async () => values(await of().get(at(5), at(3)))));
    const none = () => {};
    observe("with includes", values(await of().get(at(3), at(9), none, 1, 2)));
    // npm `ravendb` takes the page size for the start.
    better("a page of a range", values(await of().get(at(3), at(9), 1, 2)), {
      ravendb: [[5], [6], [7], [8], [9]],
      edge: [[4], [5]],
    });
    observe(
      "in other letter case",
      ((await open().openSession().timeSeriesFor("C/1", "heart").get()) as Any).length,
    );
    observe("no series", await open().openSession().timeSeriesFor("c/1", "None").get());
    observe("no document", await open().openSession().timeSeriesFor("c/none", "Heart").get());
    better("an invalid date", await outcome(() => of().get(new Date(Number.NaN), null)), {
      ravendb: fails("RangeError"),
      edge: fails("InvalidArgumentException"),
    });
  },

  "read once": async ({ open, observe, better, server }) => {
    await prepared(server, "d/1", 30);
    const session = open().openSession();
    const series = session.timeSeriesFor("d/1", "Heart") as Any;
    const asked = async (...given: Any[]) => [
      values(await series.get(...given)).length,
      session.advanced.numberOfRequests,
    ];
    observe("a range", await asked(at(5), at(10)));
    observe("the same", await asked(at(5), at(10)));
    observe("a part", await asked(at(6), at(8)));
    observe("its end", await asked(at(10), at(10)));
    observe("further", await asked(at(6), at(15)));
    observe("the union", await asked(at(5), at(15)));
    observe("apart", await asked(at(20), at(22)));
    observe("over the gap", await asked(at(4), at(24)));
    observe("the union again", await asked(at(4), at(24)));
    observe("all", await asked());
    observe("all again", await asked());
    observe("a page of it", await asked(3, 4));
    observe("another object", [
      values(await session.timeSeriesFor("D/1", "heart").get()).length,
      session.advanced.numberOfRequests,
    ]);
    // npm `ravendb` reads all that is missing if it has a part of the time series.
    const paging = open().openSession();
    const pages = paging.timeSeriesFor("d/1", "Heart") as Any;
    const page = async (...given: Any[]) => [
      values(await pages.get(...given)).length,
      paging.advanced.numberOfRequests,
    ];
    observe("a first page", await page(0, 20));
    observe("a longer one", await page(0, 25));
    observe("a shorter one", await page(0, 22));
    better("the longest", await page(0, 29), { ravendb: [29, 2], edge: [29, 3] });
    session.advanced.clear();
    // npm `ravendb` keeps the entries.
    better("after clear", await asked(at(5), at(10)), { ravendb: [6, 5], edge: [6, 6] });
    const second = open().openSession();
    const user = (await second.load("d/1")) as object;
    await second.timeSeriesFor("d/1", "Heart").get();
    second.advanced.evict(user);
    await second.timeSeriesFor("d/1", "Heart").get();
    observe("after evict", second.advanced.numberOfRequests);
    const untracked = open().openSession({ noTracking: true });
    const free = untracked.timeSeriesFor("d/1", "Heart");
    await free.get();
    await free.get();
    observe("without tracking", untracked.advanced.numberOfRequests);
  },

  "what metadata say": async ({ open, observe, better, server }) => {
    await prepared(server, "e/1", 3);
    await server.put("e/2", { n: 1 }, "Users");
    const session = open().openSession();
    const user = (await session.load("e/1")) as object;
    const empty = (await session.load("e/2")) as object;
    observe("names", session.advanced.getTimeSeriesFor(user));
    observe("no names", session.advanced.getTimeSeriesFor(empty));
    observe("of no entity", await outcome(() => session.advanced.getTimeSeriesFor(null as Any)));
    observe("not named", await session.timeSeriesFor(user, "Steps").get());
    observe("without a request", session.advanced.numberOfRequests);
    observe("named", values(await session.timeSeriesFor(user, "HEART").get()));
    observe("none named", await session.timeSeriesFor(empty, "Steps").get());
    observe("with a request", session.advanced.numberOfRequests);
    session.timeSeriesFor(user, "Steps").append(at(0), 1);
    await session.saveChanges();
    // npm `ravendb` still believes the metadata.
    better("saved by this session", values(await session.timeSeriesFor(user, "Steps").get()), {
      ravendb: [],
      edge: [[1]],
    });
  },

  "read after a save": async ({ open, better, observe, server }) => {
    await prepared(server, "f/1", 3);
    const session = open().openSession();
    const series = session.timeSeriesFor("f/1", "Heart");
    await series.get();
    series.append(at(9), 9);
    observe("before it", values(await series.get()));
    await session.saveChanges();
    // npm `ravendb` shows what it has read before.
    better("after it", values(await series.get()), {
      ravendb: [[0], [1], [2]],
      edge: [[0], [1], [2], [9]],
    });
    series.delete(at(1), at(9));
    await session.saveChanges();
    better("after a deletion", values(await series.get()), { ravendb: [[0]], edge: [[0]] });
  },

  deleted: async ({ open, observe, server }) => {
    await prepared(server, "g/1", 10);
    const session = open().openSession();
    const series = session.timeSeriesFor("g/1", "Heart");
    observe("delete gives", series.deleteAt(at(0)));
    series.delete(at(2), at(3));
    series.delete(null as Any, at(0));
    series.append(at(2), 22);
    observe("the save", await outcome(() => session.saveChanges()));
    observe(
      "stored",
      ((await stored(server, "g/1", "Heart")) as Any).map(([, [value]]: Any) => value),
    );
    series.delete(at(5), undefined as Any);
    await session.saveChanges();
    observe(
      "from",
      ((await stored(server, "g/1", "Heart")) as Any).map(([, [value]]: Any) => value),
    );
    series.delete();
    await session.saveChanges();
    observe("all", await stored(server, "g/1", "Heart"));
    series.deleteAt(at(50));
    observe("no such entry", await outcome(() => session.saveChanges()));
  },

  "a document that is deleted": async ({ open, observe, server }) => {
    await prepared(server, "h/1", 2);
    const session = open().openSession();
    const user = (await session.load("h/1")) as object;
    await session.delete(user);
    const series = session.timeSeriesFor("h/1", "Heart");
    observe("append", await outcome(() => series.append(at(0), 1)));
    observe("delete", await outcome(() => series.delete()));
    await session.saveChanges();
    observe("gone", await open().openSession().timeSeriesFor("h/1", "Heart").get());
    const other = open().openSession();
    other.timeSeriesFor("h/none", "Heart").append(at(0), 1);
    observe("no document", await outcome(() => other.saveChanges()));
    observe("still to be saved", other.advanced.hasChanges());
    await other.store({ "@metadata": { "@collection": "Users" } }, "h/2");
    other.advanced.clear();
    observe("cleared", other.advanced.hasChanges());
  },

  "together with changes of the document": async ({ open, observe, server }) => {
    await prepared(server, "i/1", 1);
    const session = open().openSession();
    const user = (await session.load("i/1")) as Any;
    user.n = 2;
    session.timeSeriesFor(user, "Heart").append(at(5), 5);
    session.timeSeriesFor(user, "Steps").append(at(5), 50);
    observe("the save", await outcome(() => session.saveChanges()));
    observe("one request for it", session.advanced.numberOfRequests);
    observe("the document", await server.fields("i/1"));
    observe("the series", [await stored(server, "i/1", "Heart"), await stored(server, "i/1", "Steps")]);
    user.n = 3;
    observe("saved again", await outcome(() => session.saveChanges()));
    observe("unknown ids are refused", await outcome(() => session.store({}, "i/1")));
  },

  "wrong arguments": async ({ open, observe, better }) => {
    const session = open().openSession();
    observe("no name", await outcome(() => session.timeSeriesFor("x/1", "")));
    observe("no id", await outcome(() => session.timeSeriesFor("", "Heart")));
    observe("no document", await outcome(() => session.timeSeriesFor(null as Any, "Heart")));
    observe("not of the session", await outcome(() => session.timeSeriesFor({}, "Heart")));
    observe("a name of incremental ones", await outcome(() => typeof session.timeSeriesFor("x/1", "INC:a")));
    observe("… with a class", await outcome(() => session.timeSeriesFor("x/1", "INC:a", Price)));
    observe("another name", await outcome(() => session.incrementalTimeSeriesFor("x/1", "Heart")));
    observe("a rollup", await outcome(() => session.incrementalTimeSeriesFor("x/1", "INC:a@b")));
    observe("without one", await outcome(() => session.incrementalTimeSeriesFor("x/1", "")));
    const series = session.timeSeriesFor("x/1", "Heart") as Any;
    better("a text as time", await outcome(() => series.append("2024", 1)), {
      ravendb: fails("TypeError"),
      edge: fails("InvalidArgumentException"),
    });
    // RavenDB stores 0 for `null`.
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, "1", undefined, []])
      better(`the value ${String(value)}`, await outcome(() => series.append(at(0), value)), {
        ravendb: undefined,
        edge: fails("InvalidArgumentException"),
      });
  },

  "with a class": async ({ open, observe, better, server }) => {
    await server.put("j/1", { n: 1 }, "Users");
    const session = open().openSession();
    const series = session.timeSeriesFor("j/1", Price);
    series.append(at(0), price(1, 2), "tag");
    const entry = new TypedTimeSeriesEntry<Price>();
    entry.timestamp = at(1);
    entry.value = price(3, 4);
    series.append(entry);
    observe("the save", await outcome(() => session.saveChanges()));
    observe("stored", await stored(server, "j/1", "Prices"));
    const entries = (await open().openSession().timeSeriesFor("j/1", Price).get()) as Any;
    observe("entries", entries);
    observe("instances", entries[0].value instanceof Price);
    observe("by name", (await open().openSession().timeSeriesFor("j/1", "Prices", Price).get())?.length);
    observe(
      "cached",
      (await series.get())?.map(({ value }) => value.close),
    );
    const plain = (await open().openSession().timeSeriesFor("j/1", "Prices").get()) as Any;
    observe("made of a plain one", plain[1].asTypedEntry(Point).value);
    session.timeSeriesFor("j/1", Point).append(at(0), Object.assign(new Point(), { x: 5, y: 6 }));
    await session.saveChanges();
    observe("named fields", await stored(server, "j/1", "Points"));
    session.timeSeriesFor("j/1", "Short").append(at(0), [1]);
    await session.saveChanges();
    const short = (await session.timeSeriesFor("j/1", "Short", Price).get()) as Any;
    observe("too few values", short[0].value);
    observe("no series", await session.timeSeriesFor("j/1", "None", Price).get());
    // npm `ravendb` does not pass them on.
    better(
      "a page",
      values(
        await open()
          .openSession()
          .timeSeriesFor("j/1", Price)
          .get(null as Any, null as Any, 1, 1),
      ),
      {
        ravendb: [
          [1, 2],
          [3, 4],
        ],
        edge: [[3, 4]],
      },
    );
    class Nothing {}
    better("no values", await outcome(() => session.timeSeriesFor("j/1", Nothing).append(at(0), {})), {
      ravendb: undefined,
      edge: fails("InvalidArgumentException"),
    });
    class Twice {
      static readonly TIME_SERIES_VALUES = ["a", "a"];
      a = 0;
    }
    observe("a name twice", await outcome(() => session.timeSeriesFor("j/2", Twice).append(at(0), { a: 1 })));
    class Odd {
      static readonly TIME_SERIES_VALUES = [7];
      a = 0;
    }
    observe("no name", await outcome(() => session.timeSeriesFor("j/2", Odd).append(at(0), { a: 1 })));
  },

  incremental: async ({ open, observe, better, server }) => {
    await server.put("k/1", { n: 1 }, "Users");
    const session = open().openSession();
    const series = session.incrementalTimeSeriesFor("k/1", "INC:Likes");
    observe("increment gives", series.increment(at(0), 2));
    series.increment(at(1), [1, 2]);
    observe("the save", await outcome(() => session.saveChanges()));
    series.increment(at(0), -5);
    await session.saveChanges();
    const read = () => open().openSession().incrementalTimeSeriesFor("k/1", "INC:Likes").get();
    observe("added", values(await read()));
    series.increment(at(2), 1);
    series.increment(at(2), 10);
    await session.saveChanges();
    // npm `ravendb` forgets the first one.
    better("twice before a save", values(await read())?.[2][0], { ravendb: 10, edge: 11 });
    const before = Date.now();
    const typed = session.incrementalTimeSeriesFor("k/1", "INC:Prices", Price);
    typed.increment(at(0), price(1, 2));
    typed.increment(at(0), [10, 20]);
    typed.increment(at(3), 7);
    await session.saveChanges();
    better("by a class", values(await typed.get()), {
      ravendb: [[10, 20], [7]],
      edge: [[11, 22], [7]],
    });
    session.incrementalTimeSeriesFor("k/1", "INC:Now").increment(4);
    session.incrementalTimeSeriesFor("k/1", "INC:Now").deleteAt(at(0));
    await session.saveChanges();
    const [now] = (await session.incrementalTimeSeriesFor("k/1", "INC:Now").get()) as Any;
    observe("now", [now.values, now.timestamp.getTime() >= before, now.timestamp.getTime() <= Date.now()]);
    observe(
      "in an ordinary series",
      await outcome(() => {
        (session.timeSeriesFor("k/1", "Heart") as Any).increment(at(0), 1);
        return session.saveChanges();
      }),
    );
  },

  rollups: async ({ open, observe, better, server }) => {
    await prepared(server, "l/1", 2);
    const session = open().openSession();
    const series = session.timeSeriesRollupFor("l/1", "byHour", "Heart", Price);
    better("none", await outcome(() => series.get()), { ravendb: fails("TypeError"), edge: null });
    const entry = new TypedTimeSeriesRollupEntry(Price, at(0));
    for (const [at, part] of (["first", "last", "min", "max", "sum", "count"] as const).entries())
      Object.assign(entry[part], { open: at + 1, close: 10 * (at + 1) });
    observe("values", entry.getValuesFromMembers());
    observe("average", entry.average);
    series.append(entry);
    observe("without a licence", await outcome(() => session.saveChanges()));
    observe("of a class", typeof session.timeSeriesRollupFor("l/1", "byHour", Price).get);
  },

  "included in loads": async ({ open, observe, better, server }) => {
    await prepared(server, "m/1", 20);
    await prepared(server, "m/2", 3);
    const load = async (includes: Any, ...range: Any[]) => {
      const session = open().openSession();
      await session.load("m/1", { includes });
      const entries = await session.timeSeriesFor("m/1", "Heart").get(range[0], range[1]);
      return [entries?.length, session.advanced.numberOfRequests];
    };
    observe("all", await load((b: Any) => b.includeTimeSeries("Heart")));
    observe("a range", await load((b: Any) => b.includeTimeSeries("Heart", at(2), at(5)), at(2), at(5)));
    observe(
      "more than that",
      await load((b: Any) => b.includeTimeSeries("Heart", at(2), at(5)), at(2), at(9)),
    );
    observe(
      "a time",
      await load((b: Any) => b.includeTimeSeries("Heart", "Last", TimeValue.ofMinutes(5)), at(14), null),
    );
    observe("a number", await load((b: Any) => b.includeTimeSeries("Heart", "Last", 5), at(15), null));
    observe(
      "a list",
      await load((b: Any) => b.includeTimeSeries(["Heart", "None"], "Last", 5), at(15), null),
    );
    observe("all of them", await load((b: Any) => b.includeAllTimeSeries("Last", 5), at(15), null));
    observe(
      "chained",
      await load((b: Any) => b.includeTimeSeries("Heart", at(1), at(2)).includeTimeSeries("Steps")),
    );
    const several = open().openSession();
    await several.load(["m/1", "m/2"], { includes: (b: Any) => b.includeTimeSeries("Heart") });
    observe("of several documents", [
      (await several.timeSeriesFor("m/2", "Heart").get())?.length,
      several.advanced.numberOfRequests,
    ]);
    for (const [name, includes] of Object.entries<Any>({
      "no name": (b: Any) => b.includeTimeSeries(""),
      None: (b: Any) => b.includeTimeSeries("Heart", "None", 5),
      "no number": (b: Any) => b.includeTimeSeries("Heart", "Last", 0),
      "no time": (b: Any) => b.includeTimeSeries("Heart", "Last", TimeValue.ZERO),
      "nothing of it": (b: Any) => b.includeTimeSeries("Heart", "Last"),
      "all after one": (b: Any) => b.includeTimeSeries("Heart").includeAllTimeSeries("Last", 5),
      "one after all": (b: Any) => b.includeAllTimeSeries("Last", 5).includeTimeSeries("Heart"),
      "another type": (b: Any) => b.includeTimeSeries("Heart", "First", 5),
    }))
      observe(name, await outcome(() => load(includes)));
    const untracked = open().openSession({ noTracking: true });
    better(
      "without tracking",
      await outcome(() =>
        untracked
          .load("m/1", { includes: (b: Any) => b.includeTimeSeries("Heart") })
          .then((found: Any) => found.n),
      ),
      {
        ravendb: fails("Error"),
        edge: fails("InvalidOperationException"),
      },
    );
  },

  "documents with entries": async ({ open, observe, server }) => {
    await server.put("n/1", { n: 1 }, "Users");
    await server.put("n/2", { n: 2 }, "Users");
    const writing = open().openSession();
    writing.timeSeriesFor("n/1", "Visits").append(at(0), 1, "n/2");
    writing.timeSeriesFor("n/1", "Visits").append(at(1), 1, "n/none");
    await writing.saveChanges();
    const session = open().openSession();
    await session
      .timeSeriesFor("n/1", "Visits")
      .get(null as Any, null as Any, (b) => b.includeDocument().includeTags());
    observe("loaded", [session.advanced.isLoaded("n/1"), session.advanced.isLoaded("n/2")]);
    observe("the tag", ((await session.load("n/2")) as Any).n);
    observe("requests", session.advanced.numberOfRequests);
  },
});
