import {
  BatchPatchCommandData,
  DeleteCommandData,
  DocumentStore,
  GetStatisticsOperation,
  NextIdentityForCommand,
  PatchCommandData,
  PatchRequest,
  PutCommandDataBase,
  PutDocumentCommand,
  RavenEdgeError,
  SeedIdentityForCommand,
} from "raven-edge";

class Order {
  id?: string | undefined;
  customerId = "";
  lines: { product: string; count?: number }[] = [];
}
class Customer {
  id?: string | undefined;
  name = "";
}
class Company {
  id?: string | undefined;
  constructor(public name = "") {}
}
class Log {
  id?: string | undefined;
}
void [
  BatchPatchCommandData,
  DeleteCommandData,
  GetStatisticsOperation,
  NextIdentityForCommand,
  PatchCommandData,
  PatchRequest,
];
void [PutCommandDataBase, PutDocumentCommand, RavenEdgeError, SeedIdentityForCommand, Company, Log];

const store = new DocumentStore("/raven", "Shop");
for (const type of [Order, Customer, Company, Log]) store.conventions.registerEntityType(type, type.name);
store.initialize();
const first = store.openSession();
const customer = new Customer();
await first.store(customer);
const order = Object.assign(new Order(), { customerId: customer.id, lines: [{ product: "products/1-A" }] });
await first.store(order);
await first.store({ "@metadata": { "@collection": "Products", Draft: true } }, "products/1-A");
await first.saveChanges();
const ids = [order.id ?? ""];
const session = store.openSession();
{
  const order = await session.load(ids[0] ?? "", Order);
  if (!order) throw new Error("it was saved");
  {
    // the block
  }
}
await store.dispose();
