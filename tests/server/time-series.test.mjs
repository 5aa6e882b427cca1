// Changes of time series travel in the transaction of their documents, and are sent once: an increment must not count twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AppendOperation,
  TimeSeriesBatchOperation,
  TimeSeriesOperation,
} from "../../pkg/lib/entries/node.js";
import { missing, order, putDocument, ravendb } from "../support/server.mjs";
import { failure, prepared } from "../support/store.mjs";

const SERVER = { skip: missing(ravendb), timeout: 60_000 };

const at = (minute) => new Date(Date.UTC(2026, 0, 1, 0, minute));
const isBatch = ({ path }) => path.endsWith("/bulk_docs");
const isSeries = ({ path }) => /\/timeseries/.test(path);
const lose = (kind) => (request) => (kind(request) ? "lose" : undefined);

/** The values that the server has, beside the session. */
async function stored(store, id, name) {
  const entries = await store.openSession({ noTracking: true }).timeSeriesFor(id, name).get();
  return entries?.map(({ values }) => values.join()).join(" ") ?? null;
}

test("documents and entries are saved by one request, or not at all", SERVER, async (t) => {
  const { wire, store, session } = await prepared(t, ravendb);
  const entity = order({ n: 1 });
  await session.store(entity);
  session.timeSeriesFor(entity, "Heart").append(at(0), 60);
  session.incrementalTimeSeriesFor(entity, "INC:Steps").increment(at(0), 5);
  await session.saveChanges();
  assert.equal(wire.of(isBatch).length, 1);
  entity.n = 2;
  session.timeSeriesFor(entity, "Heart").append(at(1), 61);
  session.timeSeriesFor("orders/none", "Heart").append(at(1), 61);
  assert.equal((await failure(session.saveChanges())).name, "DocumentDoesNotExistException");
  assert.deepEqual(
    [await stored(store, entity.id, "Heart"), await stored(store, entity.id, "INC:Steps")],
    ["60", "5"],
  );
  assert.equal((await store.openSession().load(entity.id)).n, 1);
  assert.equal(session.advanced.hasChanges(), true);
});

for (const optimisticConcurrencyMode of ["None", "Writes"])
  test(`a document is saved again after its time series: ${optimisticConcurrencyMode}`, SERVER, async (t) => {
    const { store } = await prepared(t, ravendb);
    const session = store.openSession({ optimisticConcurrencyMode });
    const entity = order({ n: 1 });
    await session.store(entity);
    const series = session.timeSeriesFor(entity, "Heart");
    series.append(at(0), 60);
    const steps = [() => {}, () => series.append(at(1), 61), () => series.append(at(2), 62)];
    // RavenDB does not tell the vector that this gives the document.
    if (optimisticConcurrencyMode === "None")
      steps.push(
        () => session.timeSeriesFor(entity, "Other").append(at(0), 1),
        () => series.delete(),
      );
    for (const step of steps) {
      step();
      await session.saveChanges();
      entity.n++;
      await session.saveChanges();
    }
    assert.equal((await store.openSession().load(entity.id)).n, 1 + steps.length);
  });

test("a new time series does not hide the change of another client", SERVER, async (t) => {
  const { store } = await prepared(t, ravendb);
  const first = store.openSession();
  const entity = order({ n: 1 });
  await first.store(entity);
  await first.saveChanges();
  const session = store.openSession({ optimisticConcurrencyMode: "Writes" });
  const mine = await session.load(entity.id);
  entity.n = 2;
  await first.saveChanges();
  session.timeSeriesFor(mine, "Heart").append(at(0), 60);
  await session.saveChanges();
  mine.n = 3;
  assert.equal((await failure(session.saveChanges())).code, "Concurrency");
  assert.equal((await store.openSession().load(entity.id)).n, 2);
});

test("an increment whose response is lost is not sent again by itself", SERVER, async (t) => {
  const { wire, store, session } = await prepared(t, ravendb);
  const entity = order({ n: 1 });
  await session.store(entity);
  await session.saveChanges();
  session.incrementalTimeSeriesFor(entity, "INC:Steps").increment(at(0), 5);
  wire.rule = lose(isBatch);
  const error = await failure(session.saveChanges());
  wire.rule = undefined;
  assert.deepEqual([error.code, error.outcome], ["OutcomeUnknown", "unknown"]);
  assert.equal(wire.of(isBatch).length, 2, "sent once, after the document");
  assert.equal(await stored(store, entity.id, "INC:Steps"), "5");
  assert.equal(session.advanced.hasChanges(), true, "the app decides");
  const steps = session.incrementalTimeSeriesFor(entity, "INC:Steps");
  steps.increment(at(0), 1);
  assert.equal((await failure(session.saveChanges())).code, "InvalidOperation");
  assert.equal(wire.of(isBatch).length, 2, "nothing is sent");
  steps.discard();
  steps.increment(at(0), 2);
  await session.saveChanges();
  assert.equal(await stored(store, entity.id, "INC:Steps"), "7");
});

test("entries whose response is lost can be appended again without harm", SERVER, async (t) => {
  const { wire, store, session } = await prepared(t, ravendb);
  const entity = order({ n: 1 });
  await session.store(entity);
  session.timeSeriesFor(entity, "Heart").append(at(0), 60);
  wire.rule = lose(isBatch);
  assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
  wire.rule = undefined;
  await session.saveChanges();
  assert.equal(await stored(store, entity.id, "Heart"), "60");
  assert.equal(session.advanced.hasChanges(), false);
});

test("an operation that changes a time series is sent once", SERVER, async (t) => {
  const { wire, store, session } = await prepared(t, ravendb);
  const entity = order({ n: 1 });
  await session.store(entity);
  await session.saveChanges();
  const changes = new TimeSeriesOperation("Heart");
  changes.append(new AppendOperation(at(0), [60]));
  wire.rule = lose(isSeries);
  await failure(store.operations.send(new TimeSeriesBatchOperation(entity.id, changes)));
  wire.rule = undefined;
  assert.equal(wire.of(isSeries).length, 1);
  assert.equal(await stored(store, entity.id, "Heart"), "60");
});

test("what is appended while a save is under way is part of the next one", SERVER, async (t) => {
  const { wire, store, session } = await prepared(t, ravendb);
  const entity = order({ n: 1 });
  await session.store(entity);
  const series = session.timeSeriesFor(entity, "Heart");
  series.append(at(0), 60);
  let release;
  const arrived = new Promise((resolve) => {
    wire.rule = (request) => {
      if (!isBatch(request)) return;
      wire.rule = undefined;
      resolve();
      return new Promise((go) => {
        release = go;
      });
    };
  });
  const saving = session.saveChanges();
  await arrived;
  series.append(at(1), 61);
  release();
  await saving;
  assert.equal(await stored(store, entity.id, "Heart"), "60");
  assert.equal(session.advanced.hasChanges(), true);
  await session.saveChanges();
  assert.equal(await stored(store, entity.id, "Heart"), "60 61");
});

test("a number of an included document that JavaScript rounds is not saved", SERVER, async (t) => {
  const { name, store, session } = await prepared(t, ravendb);
  const text = '{"a":1,"n":9007199254740993,"@metadata":{"@collection":"Orders"}}';
  await putDocument(ravendb, name, "orders/1", text);
  session.timeSeriesFor("orders/1", "Heart").append(at(0), 60);
  await session.saveChanges();
  const reading = store.openSession();
  await reading.timeSeriesFor("orders/1", "Heart").get(null, null, (includes) => includes.includeDocument());
  const entity = await reading.load("orders/1");
  assert.equal(reading.advanced.numberOfRequests, 1);
  entity.a = 2;
  assert.equal((await failure(reading.saveChanges())).code, "InexactNumber");
});

test("a response that is not RavenDB's is an error, not an empty time series", SERVER, async (t) => {
  const { wire, store } = await prepared(t, ravendb);
  for (const body of ["<html>", "{}", '{"Entries":7}', '{"Entries":[{"Timestamp":7}]}']) {
    wire.rule = (request) => (isSeries(request) ? { status: 200, body } : undefined);
    const error = await failure(store.openSession().timeSeriesFor("orders/1", "Heart").get());
    assert.equal(error.code, "BadAnswer", body);
  }
});

test("a query does not include time series up to an invalid date", SERVER, async (t) => {
  const { wire, session } = await prepared(t, ravendb);
  const invalid = new Date(Number.NaN);
  const query = session
    .query({ collection: "Orders" })
    .include((builder) => builder.includeTimeSeries("Heart", at(0), invalid));
  const error = await failure(query.all());
  assert.equal(error.code, "InvalidArgument");
  assert.deepEqual(
    wire.requests.filter(({ path }) => path.includes("/queries")),
    [],
  );
});
