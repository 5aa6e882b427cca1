import { DocumentStore } from "raven-edge";

class Order {
  id?: string | undefined;
  constructor(public total = 0) {}
}
class Log {
  id?: string | undefined;
  constructor(public level = "info") {}
}

const store = new DocumentStore("/raven", "Shop");
for (const type of [Order, Log]) store.conventions.registerEntityType(type, type.name);
store.initialize();
const first = store.openSession();
await first.store(new Order(150));
for (const level of ["info", "fatal", "info"]) await first.store(new Log(level));
await first.saveChanges();
await first.query(Order).waitForNonStaleResults().whereGreaterThan("total", 100).any();
const session = store.openSession();
void session;
// the block
await store.dispose();
