// Documentation "Counters Batch Operation", "Get Counters Operation", "How to Subscribe to Counter Changes", "Indexing Counters".
import {
  CounterBatch,
  CounterBatchOperation,
  CounterOperation,
  DocumentCountersOperation,
  GetCountersOperation,
  IndexDefinition,
  PutIndexesOperation,
} from "client";
import { settled } from "../../program/harness.js";
import type { Context } from "../context.js";

function on(documentId: string, ...operations: CounterOperation[]): DocumentCountersOperation {
  const document = new DocumentCountersOperation();
  document.documentId = documentId;
  document.operations = operations;
  return document;
}

async function stored(store: Context["store"], ...ids: string[]): Promise<void> {
  const session = store.openSession();
  for (const id of ids) await session.store({ Name: id, "@metadata": { "@collection": "Products" } }, id);
  await session.saveChanges();
}

async function sent(store: Context["store"], ...documents: DocumentCountersOperation[]) {
  const batch = new CounterBatch();
  batch.documents = documents;
  return (await store.operations.send(new CounterBatchOperation(batch))).counters;
}

export async function batchOfSeveralDocuments({ store, print }: Context) {
  await stored(store, "products/tea", "products/coffee");
  const counters = await sent(
    store,
    on(
      "products/tea",
      CounterOperation.create("Likes", "Increment", 5),
      CounterOperation.create("Views", "Increment", 1),
    ),
    on("products/coffee", CounterOperation.create("Likes", "Increment", 7)),
  );
  for (const { documentId, counterName, totalValue } of counters) print(documentId, counterName, totalValue);
}

export async function batchThatDeletesAndReads({ store, print }: Context) {
  await stored(store, "products/tea");
  await sent(store, on("products/tea", CounterOperation.create("Likes", "Increment", 5)));
  await sent(store, on("products/tea", CounterOperation.create("Views", "Increment", 2)));
  const counters = await sent(
    store,
    on("products/tea", CounterOperation.create("Likes", "Delete"), CounterOperation.create("Views", "Get")),
  );
  print(counters.length, counters[0].counterName, counters[0].totalValue);
}

export async function getOperations({ store, print }: Context) {
  await stored(store, "products/tea");
  await sent(
    store,
    on(
      "products/tea",
      CounterOperation.create("Likes", "Increment", 5),
      CounterOperation.create("Views", "Increment", 1),
    ),
  );
  const read = async (operation: GetCountersOperation) =>
    (await store.operations.send(operation)).counters.map(
      (counter) => counter && [counter.counterName, counter.totalValue],
    );
  print(await read(new GetCountersOperation("products/tea", "Likes")));
  print(await read(new GetCountersOperation("products/tea", ["Likes", "Views", "None"])));
  print((await read(new GetCountersOperation("products/tea"))).sort());
}

export async function getOperationWithTheValuesOfNodes({ store, print }: Context) {
  await stored(store, "products/tea");
  await sent(store, on("products/tea", CounterOperation.create("Likes", "Increment", 5)));
  const { counters } = await store.operations.send(new GetCountersOperation("products/tea", "Likes", true));
  print(Object.values(counters[0].counterValues), counters[0].totalValue);
}

export async function changesOfCounters({ store, print }: Context) {
  await stored(store, "products/tea");
  const changes = store.changes();
  await changes.ensureConnectedNow();
  const likes = changes.forCounterOfDocument("products/tea", "Likes");
  const all = changes.forCountersOfDocument("products/tea");
  const seen: string[] = [];
  const told = new Promise<void>((resolve) => {
    const see = (line: string) => seen.push(line) === 3 && resolve();
    likes.on("data", ({ type, name, value }) => see(`one: ${type} ${name} ${value}`));
    all.on("data", ({ type, name, value, documentId }) => see(`all: ${type} ${name} ${value} ${documentId}`));
  });
  await likes.ensureSubscribedNow();
  await all.ensureSubscribedNow();
  const session = store.openSession();
  session.countersFor("products/tea").increment("Likes", 2);
  await session.saveChanges();
  session.countersFor("products/tea").increment("Views");
  await session.saveChanges();
  await told;
  print(seen.sort());
  await settled(changes);
  changes.dispose();
}

export async function indexOfCounters({ store, print }: Context) {
  await stored(store, "products/tea", "products/coffee");
  await sent(store, on("products/tea", CounterOperation.create("Likes", "Increment", 70)));
  await sent(store, on("products/coffee", CounterOperation.create("Likes", "Increment", 80)));
  const definition = new IndexDefinition();
  definition.name = "Products/ByLikes";
  definition.maps = new Set([
    "counters.map('Products', 'Likes', (counter) => ({ Likes: counter.Value, Product: counter.DocumentId }))",
  ]);
  await store.maintenance.send(new PutIndexesOperation(definition));
  const rows = await store
    .openSession()
    .advanced.rawQuery("from index 'Products/ByLikes' where Likes > 75")
    .waitForNonStaleResults()
    .all();
  print(rows.length);
}
