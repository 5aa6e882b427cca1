// One program with time series for every platform: a page, a Worker, Node, Deno, Bun. Returns what it has seen.

const at = (minute) => new Date(Date.UTC(2026, 0, 1, 0, minute));

class Beat {
  static TIME_SERIES_VALUES = ["rate", "load"];
  constructor() {
    this.rate = 0;
    this.load = 0;
  }
}

export async function timeSeriesProgram(store) {
  const session = store.openSession();
  await session.store({ "@metadata": { "@collection": "Patients" } }, "patients/1");
  // In a page and in a Worker the code is not loaded yet.
  const series = session.timeSeriesFor("patients/1", "Heart");
  for (let minute = 0; minute < 5; minute++) series.append(at(minute), [60 + minute, minute], "watch");
  session.incrementalTimeSeriesFor("patients/1", "INC:Steps").increment(at(0), 7);
  await session.saveChanges();
  const seen = { saved: session.advanced.numberOfRequests };
  const entries = await series.get(at(1), at(3));
  seen.entries = entries.map(({ timestamp, values, tag }) => [timestamp.toISOString(), values, tag]);
  await series.get(at(2), at(2));
  seen.cached = session.advanced.numberOfRequests;
  seen.steps = (await session.incrementalTimeSeriesFor("patients/1", "INC:Steps").get())[0].value;

  const wrong = store.openSession();
  const refused = [];
  const refuse = async (call) => {
    try {
      await call();
      await wrong.saveChanges();
    } catch ({ code }) {
      refused.push(code);
    }
  };
  await refuse(() => wrong.timeSeriesFor("patients/1", "Heart").append(at(0), Number.NaN));
  await refuse(() => wrong.incrementalTimeSeriesFor("patients/1", "Heart").increment(1));
  await refuse(() => wrong.timeSeriesFor("patients/1", "").get());
  seen.refused = refused;
  wrong.timeSeriesFor("patients/1", "Heart").deleteAt(at(0));
  await wrong.saveChanges();

  const reading = store.openSession();
  await reading.load("patients/1", {
    includes: (includes) => includes.includeTimeSeries("Heart", "Last", 2),
  });
  const [last] = await reading.timeSeriesFor("patients/1", "Heart", Beat).get(at(4), null);
  seen.last = [last.value instanceof Beat, last.value.rate, reading.advanced.numberOfRequests];
  const rql = "from Patients as p select timeseries(from p.Heart group by '1 hour' select count()) as hours";
  const [row] = await reading.advanced.rawQuery(rql).all();
  seen.hours = row.hours.results.map(({ from, count }) => [from.toISOString(), count]);
  await store.timeSeries.register("Patients", "Heart", ["rate", "load"]);
  return seen;
}

export const EXPECTED = {
  saved: 1,
  entries: [1, 2, 3].map((minute) => [at(minute).toISOString(), [60 + minute, minute], "watch"]),
  cached: 2,
  steps: 7,
  refused: ["InvalidArgument", "InvalidArgument", "InvalidArgument"],
  last: [true, 64, 1],
  hours: [["2026-01-01T00:00:00.000Z", [4, 4]]],
};

// `node time-series-program.js ENTRY URL DATABASE` prints what it has seen.
if (globalThis.process?.argv?.[4]) {
  const [entry, url, database] = globalThis.process.argv.slice(2);
  const { DocumentStore } = await import(entry);
  const store = new DocumentStore(url, database).initialize();
  const seen = await timeSeriesProgram(store);
  await store.dispose();
  console.log(JSON.stringify(seen));
}
