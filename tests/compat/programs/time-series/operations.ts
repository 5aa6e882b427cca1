// Documentation "Append & Delete Time Series Operations", "Get Time Series Operation", "Get Multiple", "Get Time Series Statistics",
// "Named Values: register", "Time Series Rollups".
import {
  AppendOperation,
  ConfigureTimeSeriesOperation,
  ConfigureTimeSeriesValueNamesOperation,
  DeleteOperation,
  GetMultipleTimeSeriesOperation,
  GetTimeSeriesOperation,
  GetTimeSeriesStatisticsOperation,
  IncrementOperation,
  RawTimeSeriesPolicy,
  TimeSeriesBatchOperation,
  TimeSeriesCollectionConfiguration,
  TimeSeriesConfiguration,
  TimeSeriesOperation,
  TimeSeriesPolicy,
  TimeValue,
} from "client";
import type { Any, Context } from "../context.js";
import { Company } from "../northwind.js";

const day = (count: number) => new Date(Date.UTC(2024, 0, count));

class Share {
  static readonly TIME_SERIES_VALUES = ["open", "close"];
  open: number;
  close: number;
}

export async function appendAndDeleteInOneOperation({ store, print }: Context) {
  const changes = new TimeSeriesOperation("HeartRates");
  for (let count = 1; count <= 9; count++)
    changes.append(new AppendOperation(day(count), [count], "watches/fitbit"));
  await store.operations.send(new TimeSeriesBatchOperation("employees/1-A", changes));
  const more = new TimeSeriesOperation("HeartRates");
  more.delete(new DeleteOperation(day(2), day(4)));
  more.append(new AppendOperation(day(10), [10, 11]));
  await store.operations.send(new TimeSeriesBatchOperation("employees/1-A", more));
  const { entries, totalResults } = await store.operations.send(
    new GetTimeSeriesOperation("employees/1-A", "HeartRates"),
  );
  print(
    entries.map(({ values }) => values),
    totalResults,
  );
}

export async function incrementByAnOperation({ store, print }: Context) {
  for (let count = 0; count < 2; count++) {
    const changes = new TimeSeriesOperation("INC:Views");
    changes.increment(Object.assign(new IncrementOperation(), { timestamp: day(1), values: [4] }));
    await store.operations.send(new TimeSeriesBatchOperation("products/2-A", changes));
  }
  const { entries } = await store.operations.send(
    new GetTimeSeriesOperation("products/2-A", "INC:Views", null, null, 0, 10, null, true),
  );
  print(entries.map(({ values, nodeValues }) => [values, Object.values(nodeValues)]));
}

export async function getARangeAndAPage({ store, print }: Context) {
  const changes = new TimeSeriesOperation("Steps");
  for (let count = 1; count <= 20; count++) changes.append(new AppendOperation(day(count), [count]));
  await store.operations.send(new TimeSeriesBatchOperation("products/3-A", changes));
  const range = await store.operations.send(
    new GetTimeSeriesOperation("products/3-A", "Steps", day(5), day(8)),
  );
  print(
    range.from,
    range.to,
    range.entries.map(({ timestamp, values }) => [timestamp, values]),
  );
  const page = await store.operations.send(
    new GetTimeSeriesOperation("products/3-A", "Steps", null, null, 3, 2),
  );
  print(
    page.from,
    page.to,
    page.totalResults,
    page.entries.map(({ values }) => values),
  );
  print(await store.operations.send(new GetTimeSeriesOperation("products/3-A", "None")));
}

export async function getSeveralRanges({ store, print }: Context) {
  for (const name of ["Sleep", "Pulse"]) {
    const changes = new TimeSeriesOperation(name);
    for (let count = 1; count <= 6; count++) changes.append(new AppendOperation(day(count), [count]));
    await store.operations.send(new TimeSeriesBatchOperation("products/4-A", changes));
  }
  const details = await store.operations.send(
    new GetMultipleTimeSeriesOperation("products/4-A", [
      { name: "Sleep", from: day(1), to: day(2) },
      { name: "Pulse", from: day(4), to: null },
      { name: "Sleep", from: day(5), to: day(5) },
    ]),
  );
  print(details.id);
  for (const name of ["Sleep", "pulse"])
    print(details.values.get(name).map(({ entries }) => entries.map(({ values }) => values)));
}

export async function statistics({ store, print }: Context) {
  const changes = new TimeSeriesOperation("Weights");
  for (let count = 1; count <= 3; count++) changes.append(new AppendOperation(day(count), [count]));
  await store.operations.send(new TimeSeriesBatchOperation("products/5-A", changes));
  print(await store.operations.send(new GetTimeSeriesStatisticsOperation("products/5-A")));
  print((await store.operations.send(new GetTimeSeriesStatisticsOperation("products/5-A"))).timeSeries);
}

export async function registerNamesOfValues({ store, print }: Context) {
  await store.timeSeries.register("Companies", "Prices", ["open", "close"]);
  await store.timeSeries.register(Company, Share);
  await store.maintenance.send(
    new ConfigureTimeSeriesValueNamesOperation({
      collection: "Companies",
      timeSeries: "Routes",
      valueNames: ["latitude", "longitude"],
      update: true,
    }),
  );
  const session = store.openSession();
  session.timeSeriesFor("companies/2-A", "Prices").append(day(1), [3, 4]);
  await session.saveChanges();
  const result = await store
    .openSession()
    .advanced.rawQuery<Any>(
      "from Companies as c where id() = 'companies/2-A' select timeseries(from c.Prices where close > 3) as prices",
    )
    .single();
  print(result.prices.count, result.prices.results[0].values);
}

/** Rollups and retention need a licence: the server refuses them, and says so. */
export async function rollups({ store, print }: Context) {
  const configuration = new TimeSeriesConfiguration();
  const collection = new TimeSeriesCollectionConfiguration();
  collection.rawPolicy = new RawTimeSeriesPolicy(TimeValue.ofYears(5));
  collection.policies = [new TimeSeriesPolicy("byDay", TimeValue.ofDays(1), TimeValue.ofMonths(12))];
  configuration.collections.set("Users", collection);
  print(configuration.serialize(), collection.policies[0].getTimeSeriesName("HeartRates"));
  const calls = [
    () => store.maintenance.send(new ConfigureTimeSeriesOperation(configuration)),
    () => store.timeSeries.setPolicy("Users", "byHour", TimeValue.ofHours(1), TimeValue.ofDays(30)),
    () => store.timeSeries.setRawPolicy("Users", TimeValue.ofDays(30)),
  ];
  for (const call of calls)
    await call().then(
      () => print("configured"),
      (error) => print(error.name),
    );
}
