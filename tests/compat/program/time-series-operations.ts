// Operations on time series, `store.timeSeries`, policies, lengths of time, and queries of time series.
import {
  AppendOperation,
  ConfigureRawTimeSeriesPolicyOperation,
  ConfigureTimeSeriesOperation,
  ConfigureTimeSeriesPolicyOperation,
  ConfigureTimeSeriesValueNamesOperation,
  DeleteOperation,
  GetMultipleTimeSeriesOperation,
  GetTimeSeriesOperation,
  GetTimeSeriesStatisticsOperation,
  RawTimeSeriesPolicy,
  RemoveTimeSeriesPolicyOperation,
  TimeSeriesAggregationResult,
  TimeSeriesBatchOperation,
  TimeSeriesCollectionConfiguration,
  TimeSeriesConfiguration,
  TimeSeriesOperation,
  TimeSeriesPolicy,
  TimeSeriesRangeResult,
  TimeSeriesRawResult,
  TimeValue,
} from "client";
import { area, fails, outcome } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: arguments that the types refuse, and results of any shape
type Any = any;

const at = (minute: number) => new Date(Date.UTC(2024, 0, 1, 0, minute));
const values = (entries: Any) => entries?.map((entry: Any) => entry.values) ?? entries;

function changes(name: string, count: number): TimeSeriesOperation {
  const made = new TimeSeriesOperation(name);
  for (let minute = 0; minute < count; minute++)
    made.append(new AppendOperation(at(minute), [minute], minute % 2 ? "odd" : (undefined as Any)));
  return made;
}

export default area({
  batch: async ({ open, observe, server }) => {
    await server.put("a/1", { n: 1 }, "Users");
    const store = open();
    observe("sent", await store.operations.send(new TimeSeriesBatchOperation("a/1", changes("Heart", 5))));
    const more = new TimeSeriesOperation();
    more.name = "Heart";
    more.delete(new DeleteOperation(at(1), at(2)));
    more.append(new AppendOperation(at(9), [9, 10], "t"));
    more.append(new AppendOperation(at(9), [11]));
    observe("as it is sent", (more as Any).serialize(store.conventions));
    await store.operations.send(new TimeSeriesBatchOperation("a/1", more));
    const found = (await store.operations.send(new GetTimeSeriesOperation("a/1", "Heart"))) as Any;
    observe("a result", found instanceof TimeSeriesRangeResult);
    observe("members", Object.keys(found).sort());
    observe("result", [found.from, found.to, found.totalResults, values(found.entries)]);
    observe(
      "no document",
      await outcome(() => store.operations.send(new TimeSeriesBatchOperation("a/none", more))),
    );
    observe("no id", await outcome(() => new TimeSeriesBatchOperation("", more)));
    observe("no operation", await outcome(() => new TimeSeriesBatchOperation("a/1", null as Any)));
    observe(
      "nothing to do",
      await outcome(() =>
        store.operations.send(new TimeSeriesBatchOperation("a/1", new TimeSeriesOperation("Heart"))),
      ),
    );
  },

  reads: async ({ open, observe, better, server }) => {
    await server.put("b/1", { n: 1 }, "Users");
    const store = open();
    await store.operations.send(new TimeSeriesBatchOperation("b/1", changes("Heart", 9)));
    const get = async (...given: Any[]) => {
      const Operation = GetTimeSeriesOperation as Any;
      const found = await store.operations.send(new Operation(...given) as GetTimeSeriesOperation);
      return found && [found.from, found.to, values(found.entries)];
    };
    observe("a range", await get("b/1", "Heart", at(2), at(4)));
    observe("a page", await get("b/1", "Heart", null, null, 2, 2));
    observe("no series", await get("b/1", "None"));
    observe("no document", await get("b/none", "Heart"));
    observe("no id", await outcome(() => get("", "Heart")));
    observe("no name", await outcome(() => get("b/1", "")));
    const included = await store.operations.send(
      new GetTimeSeriesOperation("b/1", "Heart", null as Any, null as Any, 0, 1, (b) => b.includeDocument()),
    );
    observe("includes", Object.keys(included.includes as Any));
    const several = async (ranges: Any, ...more: Any[]) => {
      const Operation = GetMultipleTimeSeriesOperation as Any;
      const found = await store.operations.send(
        new Operation("b/1", ranges, ...more) as GetMultipleTimeSeriesOperation,
      );
      return (
        found && [
          found.id,
          [...found.values].map(([name, all]) => [name, all.map(({ entries }) => values(entries))]),
        ]
      );
    };
    const [first, second] = [
      { name: "Heart", from: at(0), to: at(1) },
      { name: "Heart", from: at(7), to: null },
    ];
    observe("two ranges", await several([first, second]));
    observe("a page of them", await several([first, second], 1, 2));
    observe("one does not exist", await several([first, { name: "None", from: null, to: null }]));
    observe("no ranges", await outcome(() => several(null)));
    observe("an empty list", await outcome(() => several([])));
    observe("a range without a name", await outcome(() => several([{ name: "", from: null, to: null }])));
    await store.operations.send(new TimeSeriesBatchOperation("b/1", changes("a & b", 2)));
    better(
      "a name with an ampersand",
      await outcome(() => several([{ name: "a & b", from: null, to: null }])),
      {
        ravendb: undefined,
        edge: ["b/1", [["a & b", [[[0], [1]]]]]],
      },
    );
    observe("statistics", await store.operations.send(new GetTimeSeriesStatisticsOperation("b/1")));
    observe(
      "of no document",
      await outcome(() => store.operations.send(new GetTimeSeriesStatisticsOperation("b/none"))),
    );
  },

  "lengths of time": async ({ observe, better }) => {
    const times = [
      TimeValue.ofSeconds(45),
      TimeValue.ofMinutes(2),
      TimeValue.ofHours(3),
      TimeValue.ofDays(4),
      TimeValue.ofMonths(5),
      TimeValue.ofYears(6),
      TimeValue.ofMonths(14),
      TimeValue.ZERO,
      TimeValue.MAX_VALUE,
      TimeValue.MIN_VALUE,
    ];
    observe(
      "values",
      times.map(({ value, unit }) => [value, unit]),
    );
    observe("texts", times.map(String));
    observe(
      "as sent",
      times.map((time) => time.serialize()),
    );
    observe("read", TimeValue.parse({ Value: 3, Unit: "Month" }).toString());
    const compared = times.map((one) => times.map((other) => Math.sign(one.compareTo(other))));
    observe("compared", compared);
    observe("days and a month", await outcome(() => TimeValue.ofDays(30).compareTo(TimeValue.ofMonths(1))));
    better("a minute and a half", TimeValue.ofSeconds(90).toString(), {
      ravendb: "1.5 minutes",
      edge: "1 minute 30 seconds",
    });
  },

  policies: async ({ open, observe, better }) => {
    const policy = new TimeSeriesPolicy("byHour", TimeValue.ofHours(1), TimeValue.ofDays(30));
    observe("a policy", [policy.serialize(), policy.getTimeSeriesName("Heart")]);
    observe("for ever", new TimeSeriesPolicy("byDay", TimeValue.ofDays(1)).serialize());
    observe("the raw one", new RawTimeSeriesPolicy(TimeValue.ofYears(1)).serialize());
    observe("the default one", RawTimeSeriesPolicy.DEFAULT_POLICY.serialize());
    observe("no name", await outcome(() => new TimeSeriesPolicy("", TimeValue.ofHours(1))));
    observe("no time", await outcome(() => new TimeSeriesPolicy("a", TimeValue.ZERO)));
    observe("no retention", await outcome(() => new RawTimeSeriesPolicy(TimeValue.ofSeconds(-1))));
    const configuration = new TimeSeriesConfiguration();
    const users = new TimeSeriesCollectionConfiguration();
    users.disabled = false;
    users.policies = [policy];
    configuration.collections.set("Users", users);
    configuration.policyCheckFrequencyInMs = 90_061_000;
    const names = new Map([["Heart", ["rate"]]]);
    configuration.namedValues.set("Users", names);
    observe("a configuration", configuration.serialize());
    observe("names", [configuration.getNames("users", "Heart"), configuration.getNames("Users", "None")]);
    // npm `ravendb` does not read the policy that has no aggregation.
    const read = await outcome(() => {
      const parsed = TimeSeriesConfiguration.parse(configuration.serialize());
      return [parsed.serialize(), parsed.getNames("USERS", "heart")];
    });
    better("read", read, {
      ravendb: fails("TypeError"),
      edge: [configuration.serialize(), ["rate"]],
    });
    const store = open();
    const { maintenance } = store;
    observe("no configuration", await outcome(() => new ConfigureTimeSeriesOperation(null as Any)));
    for (const [name, operation] of Object.entries<Any>({
      "the configuration": new ConfigureTimeSeriesOperation(configuration),
      "a policy": new ConfigureTimeSeriesPolicyOperation("Users", policy),
      "the raw policy": new ConfigureRawTimeSeriesPolicyOperation(
        "Users",
        new RawTimeSeriesPolicy(TimeValue.ofDays(1)),
      ),
      removed: new RemoveTimeSeriesPolicyOperation("Users", "byHour"),
    }))
      observe(`${name} without a licence`, await outcome(() => maintenance.send(operation)));
    observe(
      "set",
      await outcome(() =>
        store.timeSeries.setPolicy("Users", "byHour", TimeValue.ofHours(1), TimeValue.ofDays(1)),
      ),
    );
    observe("set raw", await outcome(() => store.timeSeries.setRawPolicy("Users", TimeValue.ofDays(1))));
    observe(
      "wrong",
      await outcome(() => store.timeSeries.setPolicy("Users", "", TimeValue.ofHours(1), TimeValue.ofDays(1))),
    );
  },

  "names of values": async ({ open, observe, server }) => {
    class Heart {
      static readonly TIME_SERIES_VALUES = ["rate", { field: "spo2", name: "SpO2" }];
      rate = 0;
      spo2 = 0;
    }
    class User {}
    class Nothing {}
    const store = open();
    const { timeSeries } = store;
    observe("by names", await timeSeries.register("Users", "Steps", ["count"]));
    await timeSeries.register(User, Heart);
    await timeSeries.register(User, Heart, "Pulse");
    await timeSeries.register(User, "Sleep", ["deep", "light"]);
    await timeSeries.forDatabase(server.database).register("Users", "Weight", ["kg"]);
    observe("registered", await (await server.send("GET", "/timeseries/config")).json());
    observe("no names", await outcome(() => timeSeries.register(User, Nothing as Any)));
    observe("an empty list", await outcome(() => timeSeries.register("Users", "Steps", [])));
    const named = { collection: "Users", timeSeries: "Steps", valueNames: ["n"] };
    for (const missing of ["collection", "timeSeries", "valueNames"])
      observe(
        `no ${missing}`,
        await outcome(
          () => new ConfigureTimeSeriesValueNamesOperation({ ...named, [missing]: undefined } as Any),
        ),
      );
  },

  queries: async ({ open, observe, better, server }) => {
    await server.put("q/1", { n: 1 }, "Users");
    const store = open();
    await store.operations.send(new TimeSeriesBatchOperation("q/1", changes("Heart", 6)));
    const session = store.openSession();
    const users = () => session.query<Any>({ collection: "Users" });
    const raw = await users()
      .selectTimeSeries((b) => b.raw("from Heart where Tag = 'odd'"), TimeSeriesRawResult)
      .all();
    observe("entries", raw);
    observe("instances", [raw[0] instanceof TimeSeriesRawResult, raw[0]?.results[0]?.value]);
    const text =
      "from Heart group by '2 minutes' select min(), max(), sum(), first(), last(), average(), count()";
    const grouped = await users()
      .selectTimeSeries((b) => b.raw(text), TimeSeriesAggregationResult)
      .all();
    observe("aggregations", grouped);
    observe("tracked", session.advanced.isLoaded("q/1"));
    const rql = "from Users as u select timeseries(from u.Heart between $from and $to)";
    const between = session.advanced
      .rawQuery<TimeSeriesRawResult>(rql, TimeSeriesRawResult)
      .addParameter("from", at(1))
      .addParameter("to", at(2));
    observe("in RQL", values((await between.all())[0]?.results));
    const fields = "from Users as u select u.n as n, timeseries(from u.Heart last 2 minutes) as last";
    const [row] = await session.advanced.rawQuery<Any>(fields).all();
    observe("beside fields", [row.n, row.last instanceof TimeSeriesRawResult, row.last]);
    const untracked = store.openSession({ noTracking: true });
    const [again] = await untracked.advanced.rawQuery<Any>(fields).all();
    observe("without tracking", again.last.results.length);
    const empty = await users()
      .selectTimeSeries((b) => b.raw("from None"), TimeSeriesRawResult)
      .all();
    observe("no series", empty[0]?.results);
    observe(
      "an error",
      await outcome(() =>
        users()
          .selectTimeSeries((b) => b.raw("from"), TimeSeriesRawResult)
          .all(),
      ),
    );
    better(
      "its text",
      users()
        .selectTimeSeries((b) => b.raw("from Heart"), TimeSeriesRawResult)
        .toString(),
      {
        ravendb:
          "from 'Users' select timeseries(from Heart) as __timeSeriesQueryFunction, @metadata.@nested-object-types as __PROJECTED_NESTED_OBJECT_TYPES__",
        edge: "from 'Users' select timeseries(from Heart) as __timeSeriesQueryFunction",
      },
    );
    const included = store.openSession();
    const found = await included
      .query<Any>({ collection: "Users" })
      .include((b: Any) => b.includeTimeSeries("Heart", at(0), at(3)).includeTimeSeries("Steps", "Last", 2))
      .all();
    const entries = await included.timeSeriesFor(found[0], "Heart").get(at(1), at(2));
    observe("included", [values(entries), included.advanced.numberOfRequests]);
    const include = (b: Any) =>
      b.includeTimeSeries("it's", null, at(1)).includeAllTimeSeries("Last", TimeValue.ofDays(1));
    better(
      "a quote in a name, all after one",
      await outcome(() =>
        store.openSession().query<Any>({ collection: "Users" }).include(include).toString(),
      ),
      {
        ravendb: fails("InvalidArgumentException"),
        edge: "from 'Users' include timeseries('it\\'s', null,'2024-01-01T00:01:00.0000000Z'),timeseries('@all_timeseries', last(86400, 'Second'))",
      },
    );
  },
});
