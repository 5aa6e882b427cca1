// Documentation "Bulk Insert: Add Attachments", "Bulk Insert: Add Counters", "Append Time Series with Bulk Insert".
import type { Any, Context } from "../context.js";

class StockPrice {
  static readonly TIME_SERIES_VALUES = ["open", "close", "high", "low", "volume"];
  constructor(
    public open = 0,
    public close = 0,
    public high = 0,
    public low = 0,
    public volume = 0,
  ) {}
}

const day = (n: number) => new Date(Date.UTC(2026, 2, n));

/** A picture for each employee. */
export async function attachments({ store, url, database, print }: Context) {
  const session = store.openSession();
  const employees = await session.query<Any>({ collection: "Employees" }).selectFields<Any>("id()").all();
  const bulk = store.bulkInsert();
  for (const id of ["employees/1-A", "employees/2-A"]) {
    const content = Buffer.from(`greeting of ${id}`);
    await bulk.attachmentsFor(id).store("AttachmentName", content, "text/plain");
  }
  await bulk.finish();
  const response = await fetch(
    `${url}/databases/${database}/attachments?id=employees/2-A&name=AttachmentName`,
  );
  print(employees.length > 0, await response.text());
}

/** Likes are counted for the products of a query. */
export async function counters({ store, url, database, print }: Context) {
  const bulk = store.bulkInsert();
  for (const id of ["products/1-A", "products/2-A"]) {
    const counters = bulk.countersFor(id);
    await counters.increment("likes", 100);
    await counters.increment("views");
  }
  await bulk.finish();
  const response = await fetch(`${url}/databases/${database}/counters?docId=products/2-A`);
  const { Counters } = (await response.json()) as Any;
  print(Counters.map(({ CounterName, TotalValue }: Any) => `${CounterName} ${TotalValue}`).sort());
}

/** A document and its time series. */
export async function appendEntries({ store, url, database, print }: Context) {
  const bulk = store.bulkInsert();
  await bulk.store({ name: "John" }, "watchers/john", { "@collection": "Watchers" } as Any);
  const series = bulk.timeSeriesFor("watchers/john", "HeartRates");
  for (let n = 1; n <= 5; n++) await series.append(day(n), 60 + n, "watches/fitbit");
  series.dispose();
  await bulk.finish();
  const response = await fetch(`${url}/databases/${database}/timeseries?docId=watchers/john&name=HeartRates`);
  const { Entries } = (await response.json()) as Any;
  print(Entries.map(({ Values, Tag }: Any) => [Values[0], Tag]));
}

/** Entries with several values. */
export async function appendSeveralValues({ store, url, database, print }: Context) {
  const bulk = store.bulkInsert();
  await bulk.store({ name: "Mary" }, "watchers/mary", { "@collection": "Watchers" } as Any);
  const series = bulk.timeSeriesFor("watchers/mary", "Exercise");
  await series.append(day(1), [40, 5, 1]);
  await series.append(day(2), [45, 6, 2], "gyms/1");
  series.dispose();
  await bulk.finish();
  const response = await fetch(`${url}/databases/${database}/timeseries?docId=watchers/mary&name=Exercise`);
  print(((await response.json()) as Any).Entries.map(({ Values }: Any) => Values));
}

/** Named values. */
export async function appendNamedValues({ store, url, database, print }: Context) {
  const bulk = store.bulkInsert();
  await bulk.store({ symbol: "TEA" }, "stocks/tea", { "@collection": "Stocks" } as Any);
  const prices = bulk.timeSeriesFor(StockPrice, "stocks/tea", "Prices");
  for (let n = 1; n <= 3; n++)
    await prices.append(day(n), new StockPrice(10 + n, 11 + n, 12 + n, 9 + n, 100 * n), "companies/1-A");
  prices.dispose();
  await bulk.finish();
  const response = await fetch(`${url}/databases/${database}/timeseries?docId=stocks/tea&name=Prices`);
  print(((await response.json()) as Any).Entries.map(({ Values, Tag }: Any) => [Values, Tag]));
}
