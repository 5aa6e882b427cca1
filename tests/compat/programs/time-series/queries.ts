// Documentation "Query Time Series": overview, choosing a range, filtering, aggregating; "Include with session.query" and "with rawQuery".
import { TimeSeriesAggregationResult, TimeSeriesRawResult, TimeValue } from "client";
import type { Any, Context } from "../context.js";
import type { Employee } from "../northwind.js";

const hour = (count: number) => new Date(Date.UTC(2024, 4, 17, count));

async function prepared({ store }: Context, id = "employees/1-A") {
  const session = store.openSession();
  const series = session.timeSeriesFor(id, "HeartRates");
  for (let count = 0; count < 48; count++)
    series.append(hour(count), 60 + count, count % 2 ? "watches/fitbit" : "watches/sony");
  await session.saveChanges();
  return store.openSession();
}

export async function selectEntries(context: Context) {
  const session = await prepared(context);
  const results = await session
    .query<Employee>({ collection: "Employees" })
    .whereEquals("id", "employees/1-A")
    .selectTimeSeries(
      (builder) =>
        builder.raw("from HeartRates between '2024-05-17T01:00:00.000Z' and '2024-05-17T03:00:00.000Z'"),
      TimeSeriesRawResult,
    )
    .all();
  for (const { count, results: entries } of results)
    context.print(
      count,
      entries.map(({ timestamp, value, tag }) => [timestamp, value, tag]),
    );
}

export async function aggregateByHours(context: Context) {
  const session = await prepared(context);
  const [byDay] = await session
    .query<Employee>({ collection: "Employees" })
    .whereEquals("id", "employees/1-A")
    .selectTimeSeries(
      (builder) => builder.raw("from HeartRates group by '12 hours' select min(), max(), average(), count()"),
      TimeSeriesAggregationResult,
    )
    .all();
  context.print(byDay.count);
  for (const { from, to, min, max, average, count, sum } of byDay.results)
    context.print(from, to, min, max, average, count, sum);
}

export async function filterByTagAndValue(context: Context) {
  const session = await prepared(context);
  const text =
    "from Employees as e where id() = $id select timeseries(from e.HeartRates where Tag = $tag and Value > $least)";
  const [found] = await session.advanced
    .rawQuery<TimeSeriesRawResult>(text, TimeSeriesRawResult)
    .addParameter("id", "employees/1-A")
    .addParameter("tag", "watches/fitbit")
    .addParameter("least", 100)
    .all();
  context.print(
    found.count,
    found.results.map((entry) => entry.value),
  );
}

export async function declareAndSelectBesideFields(context: Context) {
  const session = await prepared(context);
  const [row] = await session.advanced
    .rawQuery<Any>(
      `declare timeseries beats(e) { from e.HeartRates last 3 hours }
       from Employees as e where id() = 'employees/1-A'
       select e.LastName as name, beats(e) as beats, timeseries(from e.HeartRates group by '1 day' select max()) as days`,
    )
    .all();
  context.print(
    row.name,
    row.beats instanceof TimeSeriesRawResult,
    row.beats.results.map((entry: Any) => entry.value),
    row.days instanceof TimeSeriesAggregationResult,
    row.days.results.map((range: Any) => [range.from, range.max]),
  );
}

export async function includeWithAQuery(context: Context) {
  const { store, print } = context;
  await prepared(context);
  const builders: ((includes: Any) => unknown)[] = [
    (includes) => includes.includeTimeSeries("HeartRates", hour(2), hour(6)),
    (includes) => includes.includeTimeSeries("HeartRates", "Last", TimeValue.ofHours(5)),
    (includes) => includes.includeTimeSeries("HeartRates", "Last", 10),
    (includes) => includes.includeAllTimeSeries("Last", 3),
  ];
  const times = [
    [hour(2), hour(6)],
    [hour(42), null],
    [hour(38), null],
    [hour(45), null],
  ];
  for (const [at, include] of builders.entries()) {
    const session = store.openSession();
    const [employee] = await session
      .query<Employee>({ collection: "Employees" })
      .whereEquals("id", "employees/1-A")
      .include(include)
      .all();
    const entries = await session.timeSeriesFor(employee, "HeartRates").get(times[at][0], times[at][1]);
    print(entries.length, session.advanced.numberOfRequests);
  }
}

export async function includeOfAnotherDocument(context: Context) {
  const { store, print } = context;
  await prepared(context, "companies/1-A");
  const session = store.openSession();
  await session.store({ company: "companies/1-A", "@metadata": { "@collection": "Reports" } }, "reports/1");
  await session.saveChanges();
  const reading = store.openSession();
  await reading
    .query<Any>({ collection: "Reports" })
    .include((includes) => includes.includeTimeSeries("company", "HeartRates", hour(0), hour(3)))
    .all();
  const entries = await reading.timeSeriesFor("companies/1-A", "HeartRates").get(hour(0), hour(3));
  print(entries.length, reading.advanced.numberOfRequests);
}

export async function includeInRql(context: Context) {
  const { store, print } = context;
  await prepared(context);
  const session = store.openSession();
  const [employee] = await session.advanced
    .rawQuery<Employee>(
      "from Employees where id() = 'employees/1-A' include timeseries('HeartRates', $from, $to)",
    )
    .addParameter("from", hour(4))
    .addParameter("to", hour(7))
    .all();
  print((await session.timeSeriesFor(employee, "HeartRates").get(hour(4), hour(7))).length);
  print(session.advanced.numberOfRequests);
}

export async function asInstancesOfAClass(context: Context) {
  class Beat {
    static readonly TIME_SERIES_VALUES = ["rate"];
    rate: number;
  }
  const session = await prepared(context);
  const [raw] = await session
    .query<Employee>({ collection: "Employees" })
    .whereEquals("id", "employees/1-A")
    .selectTimeSeries((builder) => builder.raw("from HeartRates last 2 hours"), TimeSeriesRawResult)
    .all();
  const typed = raw.asTypedResult(Beat);
  context.print(
    typed.count,
    typed.results.map(({ value }) => [value instanceof Beat, value.rate]),
  );
  const [aggregated] = await session
    .query<Employee>({ collection: "Employees" })
    .whereEquals("id", "employees/1-A")
    .selectTimeSeries(
      (builder) => builder.raw("from HeartRates group by '1 day' select max()"),
      TimeSeriesAggregationResult,
    )
    .all();
  context.print(aggregated.asTypedEntry(Beat).results.map(({ max, min }) => [max.rate, min]));
}
