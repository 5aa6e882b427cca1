// An index of each kind, as a program declares it.
import { of } from "./getters.mjs";

/** A map of each source in C# and in JavaScript. */
const MAPS = {
  "": ["docs.Orders.Select(o => new { o.name })", "map('Orders', (o) => ({ name: o.name }))"],
  TimeSeries: [
    "timeSeries.Orders.HeartRates.SelectMany(ts => ts.Entries, (ts, e) => new { name = e.Tag })",
    "timeSeries.map('Orders', 'HeartRates', (ts) => ts.Entries.map((e) => ({ name: e.Tag })))",
  ],
  Counters: [
    "counters.Orders.likes.Select(c => new { name = c.Name })",
    "counters.map('Orders', 'likes', (c) => ({ name: c.Name }))",
  ],
};

const index = (name, declare) =>
  of(({ client }) => {
    const task = new (class MyIndex extends client[name] {})();
    declare(task);
    return task;
  });

/** How to get an index of each class. */
export const INDEXES = {};

for (const [source, [csharp, script]] of Object.entries(MAPS)) {
  const name = `AbstractCsharp${source}IndexCreationTask`;
  INDEXES[name] = index(name, (task) => (task.map = csharp));
  if (source) INDEXES[`AbstractGeneric${source}IndexCreationTask`] = INDEXES[name];
  const multi = `Abstract${source ? "" : "Csharp"}MultiMap${source}IndexCreationTask`;
  INDEXES[multi] = index(multi, (task) => (task.addMap ?? task._addMap).call(task, csharp));
  const raw = `AbstractRawJavaScript${source}IndexCreationTask`;
  INDEXES[raw] = index(raw, (task) => (task.maps = new Set([script])));
}

for (const name of ["AbstractJavaScriptIndexCreationTask", "AbstractJavaScriptMultiMapIndexCreationTask"])
  INDEXES[name] = index(name, (task) => task.map("Orders", (order) => ({ name: order.name })));

INDEXES.BaseJavaScriptIndexCreationTask = INDEXES.AbstractJavaScriptIndexCreationTask;
INDEXES.IAbstractIndexCreationTask = INDEXES.AbstractCsharpIndexCreationTask;
INDEXES.AbstractCommonApiForIndexes = INDEXES.AbstractCsharpIndexCreationTask;
