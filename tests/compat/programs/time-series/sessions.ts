// Documentation "Create Time Series with session", "Append", "Get", "Get Time Series Names", "Delete", "Include with session.load",
// "Named Time Series Values", "Incremental Time Series".
import { TimeValue, TypedTimeSeriesEntry } from "client";
import type { Any, Context } from "../context.js";
import type { Employee } from "../northwind.js";

const minute = (count: number) => new Date(Date.UTC(2024, 4, 17, 8, count));

class StockPrice {
  static readonly TIME_SERIES_VALUES = ["open", "close", "high", "low", "volume"];
  open: number;
  close: number;
  high: number;
  low: number;
  volume: number;
}

class RoutePoint {
  static readonly TIME_SERIES_VALUES = [
    { field: "latitude", name: "Latitude" },
    { field: "longitude", name: "Longitude" },
  ];
  latitude: number;
  longitude: number;
}

const price = (close: number) =>
  Object.assign(new StockPrice(), { open: 1, close, high: close + 1, low: 0, volume: 100 });

/** A series begins with its first entry, here together with its new document. */
export async function createWithANewDocument({ store, print }: Context) {
  const session = store.openSession();
  const user = { name: "John", "@metadata": { "@collection": "Users" } };
  await session.store(user, "users/john");
  session.timeSeriesFor("users/john", "HeartRates").append(minute(0), 70, "watches/fitbit");
  await session.saveChanges();
  print(
    (await store.openSession().timeSeriesFor("users/john", "HeartRates").get()).map((entry) => entry.value),
  );
}

export async function createForALoadedEntity({ store, print }: Context) {
  const session = store.openSession();
  const employee = await session.load<Any>("companies/3-A");
  const series = session.timeSeriesFor(employee, "HeartRates");
  series.append(minute(1), [65.5, 3], "watches/fitbit");
  series.append(minute(2), [66.5, 4]);
  await session.saveChanges();
  for (const { timestamp, values, tag } of await series.get()) print(timestamp, values, tag);
}

/** The last entry of a time replaces those before it. */
export async function appendManyAndReplace({ store, print }: Context) {
  const session = store.openSession();
  const series = session.timeSeriesFor("products/4-A", "HeartRates");
  for (let count = 0; count < 10; count++) series.append(minute(count), 60 + count, "watches/fitbit");
  await session.saveChanges();
  const later = store.openSession();
  later.timeSeriesFor("products/4-A", "HeartRates").append(minute(3), 99);
  await later.saveChanges();
  const entries = await store.openSession().timeSeriesFor("products/4-A", "HeartRates").get();
  print(
    entries.length,
    entries.map((entry) => entry.value),
    entries[3].tag,
  );
}

export async function getAllARangeAndAPage({ store, print }: Context) {
  const session = store.openSession();
  const series = session.timeSeriesFor("products/5-A", "HeartRates");
  for (let count = 0; count < 20; count++) series.append(minute(count), count);
  await session.saveChanges();
  const values = (entries: Any) => entries?.map((entry: Any) => entry.values[0]);
  const of = () => store.openSession().timeSeriesFor("products/5-A", "HeartRates");
  print(values(await of().get()).length);
  print(values(await of().get(minute(5), minute(8))));
  print(values(await of().get(null, minute(2))));
  print(values(await of().get(minute(17), null)));
  print(values(await of().get(4, 3)));
  print(await store.openSession().timeSeriesFor("products/5-A", "Steps").get());
}

/** Entries that a session has read need no further request. */
export async function readOnceAskOften({ store, print }: Context) {
  const writing = store.openSession();
  for (let count = 0; count < 10; count++)
    writing.timeSeriesFor("products/5-A", "HeartRates").append(minute(count), count);
  await writing.saveChanges();
  const session = store.openSession();
  const series = session.timeSeriesFor("products/5-A", "HeartRates");
  print((await series.get(minute(2), minute(5))).length, session.advanced.numberOfRequests);
  print((await series.get(minute(3), minute(4))).length, session.advanced.numberOfRequests);
  print((await series.get(minute(2), minute(7))).length, session.advanced.numberOfRequests);
  print((await series.get(minute(3), minute(7))).length, session.advanced.numberOfRequests);
}

export async function includeDocumentsWithEntries({ store, print }: Context) {
  const writing = store.openSession();
  writing.timeSeriesFor("employees/1-A", "Visits").append(minute(0), 1, "companies/1-A");
  writing.timeSeriesFor("employees/1-A", "Visits").append(minute(1), 1, "companies/2-A");
  await writing.saveChanges();
  const session = store.openSession();
  const entries = await session
    .timeSeriesFor("employees/1-A", "Visits")
    .get(null, null, (includes) => includes.includeDocument().includeTags());
  const employee = await session.load<Employee>("employees/1-A");
  for (const { tag } of entries) print((await session.load<Any>(tag)).Name);
  print(employee.LastName, session.advanced.numberOfRequests);
}

export async function namesOfADocumentsSeries({ store, print }: Context) {
  const session = store.openSession();
  for (const name of ["HeartRates", "Steps"])
    session.timeSeriesFor("products/5-A", name).append(minute(0), 1);
  await session.saveChanges();
  const reading = store.openSession();
  const employee = await reading.load<Any>("products/5-A");
  print(reading.advanced.getTimeSeriesFor(employee));
}

export async function deleteOneARangeAndAll({ store, print }: Context) {
  const left = async () => {
    const entries = await store.openSession().timeSeriesFor("products/5-A", "HeartRates").get();
    return entries?.map((entry) => entry.value) ?? null;
  };
  const session = store.openSession();
  for (let count = 0; count < 8; count++)
    session.timeSeriesFor("products/5-A", "HeartRates").append(minute(count), count);
  await session.saveChanges();
  const series = (open = store.openSession()) => ({
    open,
    of: open.timeSeriesFor("products/5-A", "HeartRates"),
  });
  const one = series();
  one.of.deleteAt(minute(0));
  await one.open.saveChanges();
  print(await left());
  const range = series();
  range.of.delete(minute(2), minute(5));
  await range.open.saveChanges();
  print(await left());
  const all = series();
  all.of.delete();
  await all.open.saveChanges();
  print(await left());
}

export async function namedValues({ store, print }: Context) {
  const session = store.openSession();
  const series = session.timeSeriesFor("companies/1-A", "StockPrices", StockPrice);
  series.append(minute(0), price(10), "companies/kitchenAppliances");
  series.append(minute(1), price(12));
  const entry = new TypedTimeSeriesEntry<StockPrice>();
  entry.timestamp = minute(2);
  entry.value = price(14);
  entry.tag = "companies/bathrooms";
  series.append(entry);
  await session.saveChanges();
  const entries = await store.openSession().timeSeriesFor("companies/1-A", StockPrice).get();
  for (const { timestamp, tag, value, values } of entries)
    print(timestamp, tag, value instanceof StockPrice, { ...value }, values);
  const plain = await store
    .openSession()
    .timeSeriesFor("companies/1-A", "StockPrices")
    .get(minute(1), minute(1));
  print(plain.map((entry) => entry.asTypedEntry(StockPrice).value.close));
}

export async function namedValuesByFields({ store, print }: Context) {
  const session = store.openSession();
  session
    .timeSeriesFor("products/6-A", RoutePoint)
    .append(
      minute(0),
      Object.assign(new RoutePoint(), { latitude: 40.7, longitude: -74 }),
      "devices/Navigator",
    );
  await session.saveChanges();
  const [point] = await store.openSession().timeSeriesFor("products/6-A", RoutePoint).get();
  print(point.value.latitude, point.value.longitude, point.tag);
}

export async function includeWithALoad({ store, print }: Context) {
  const writing = store.openSession();
  for (let count = 0; count < 30; count++)
    writing.timeSeriesFor("products/5-A", "HeartRates").append(minute(count), count);
  await writing.saveChanges();
  const ranges: ((includes: Any) => unknown)[] = [
    (includes) => includes.includeTimeSeries("HeartRates", minute(3), minute(8)),
    (includes) => includes.includeTimeSeries("HeartRates", "Last", TimeValue.ofMinutes(10)),
    (includes) => includes.includeTimeSeries("HeartRates", "Last", 11),
    (includes) => includes.includeAllTimeSeries("Last", TimeValue.ofMinutes(2)),
    (includes) => includes.includeTimeSeries(["HeartRates"], "Last", 4).includeDocuments("Category"),
  ];
  const times = [
    [minute(3), minute(8)],
    [minute(20), null],
    [minute(19), null],
    [minute(27), null],
    [minute(26), null],
  ];
  for (const [at, includes] of ranges.entries()) {
    const session = store.openSession();
    await session.load<Any>("products/5-A", { includes });
    const entries = await session.timeSeriesFor("products/5-A", "HeartRates").get(times[at][0], times[at][1]);
    print(entries.length, session.advanced.numberOfRequests);
  }
}

export async function incrementalSeries({ store, print }: Context) {
  const add = async (time: Date, values: number | number[]) => {
    const session = store.openSession();
    session.incrementalTimeSeriesFor("products/1-A", "INC:Downloads").increment(time, values as number);
    await session.saveChanges();
  };
  await add(minute(0), 10);
  await add(minute(0), 5);
  await add(minute(1), [1, 2]);
  await add(minute(1), -3);
  const session = store.openSession();
  const series = session.incrementalTimeSeriesFor("products/1-A", "INC:Downloads");
  print((await series.get()).map((entry) => entry.values));
  series.deleteAt(minute(0));
  await session.saveChanges();
  const left = await store.openSession().incrementalTimeSeriesFor("products/1-A", "INC:Downloads").get();
  print(left.map((entry) => entry.values));
}

export async function deletingADocumentDeletesItsSeries({ store, print }: Context) {
  const session = store.openSession();
  await session.store({ "@metadata": { "@collection": "Users" } }, "users/gone");
  session.timeSeriesFor("users/gone", "HeartRates").append(minute(0), 1);
  await session.saveChanges();
  const deleting = store.openSession();
  await deleting.delete("users/gone");
  await deleting.saveChanges();
  print(await store.openSession().timeSeriesFor("users/gone", "HeartRates").get());
}
