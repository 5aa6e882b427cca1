import {
  CounterBatch,
  CounterBatchOperation,
  CounterOperation,
  DocumentCountersOperation,
  type DocumentSession,
  DocumentStore,
  GetCountersOperation,
  RavenEdgeError,
} from "raven-edge";

const store = new DocumentStore("https://ravendb.example", "Shop").initialize();
const session = store.openSession();
await session.store({ name: "Coffee", "@metadata": { "@collection": "Others" } }, "products/1-A");
await session.saveChanges();
session.advanced.clear();
const counters = session.countersFor("products/1-A");

async function counted(session: DocumentSession, id: string, values: Record<string, number>): Promise<void> {
  await session.store({ name: id, "@metadata": { "@collection": "Products" } }, id);
  for (const [name, value] of Object.entries(values)) session.countersFor(id).increment(name, value);
  await session.saveChanges();
}

void [CounterBatch, CounterBatchOperation, CounterOperation, DocumentCountersOperation, GetCountersOperation];
void [RavenEdgeError, counters, counted];
{
  // the block
}
await store.dispose();
