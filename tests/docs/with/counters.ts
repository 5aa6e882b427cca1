import {
  CounterBatch,
  CounterBatchOperation,
  CounterOperation,
  DocumentCountersOperation,
  DocumentStore,
  GetCountersOperation,
  RavenEdgeError,
} from "raven-edge";

const store = new DocumentStore("https://ravendb.example", "Shop").initialize();
const session = store.openSession();
await session.store({ name: "Coffee", "@metadata": { "@collection": "Products" } }, "products/1-A");
await session.store({ name: "Green Tea", "@metadata": { "@collection": "Products" } }, "products/2-A");
session.countersFor("products/2-A").increment("Likes", 5);
session.countersFor("products/2-A").increment("Views", 7);
await session.saveChanges();
session.advanced.clear();
const counters = session.countersFor("products/1-A");

void [CounterBatch, CounterBatchOperation, CounterOperation, DocumentCountersOperation, GetCountersOperation];
void [RavenEdgeError, counters];
{
  // the block
}
await store.dispose();
