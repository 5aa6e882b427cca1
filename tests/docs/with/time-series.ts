import {
  AppendOperation,
  DeleteOperation,
  DocumentStore,
  GetTimeSeriesOperation,
  TimeSeriesAggregationResult,
  TimeSeriesBatchOperation,
  TimeSeriesOperation,
  type TimeSeriesValue,
  TimeValue,
} from "raven-edge";

const store = new DocumentStore("https://ravendb.example", "Shop").initialize();
const at = (minute: number) => new Date(Date.UTC(2026, 4, 17, 8, minute));
{
  const first = store.openSession();
  await first.store({ "@metadata": { "@collection": "Employees" } }, "employees/1-A");
  await first.store({ "@metadata": { "@collection": "Companies" } }, "companies/1-A");
  await first.store({ "@metadata": { "@collection": "Pages" } }, "pages/1-A");
  for (let minute = 0; minute < 3; minute++)
    first.timeSeriesFor("employees/1-A", "HeartRate").append(at(minute), 70 + minute);
  await first.saveChanges();
}
const session = store.openSession();
void [
  AppendOperation,
  DeleteOperation,
  GetTimeSeriesOperation,
  TimeSeriesBatchOperation,
  TimeSeriesOperation,
];
void [session, TimeSeriesAggregationResult, TimeValue, [] satisfies TimeSeriesValue<object>];
// the block
await store.dispose();
