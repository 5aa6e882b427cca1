import {
  DeleteByQueryOperation,
  DocumentStore,
  IndexQuery,
  PatchByQueryOperation,
  PatchOperation,
  PatchRequest,
} from "raven-edge";

interface Line {
  product: string;
}
class Order {
  id?: string | undefined;
  lines: Line[] = [];
}
class Product {
  id?: string | undefined;
  constructor(
    public stock = 10,
    public texts: Record<string, string> = {},
  ) {}
}
class Visits {
  id?: string | undefined;
  constructor(public count = 0) {}
}
class Shop {
  id?: string | undefined;
  hours: Record<string, string> = { sun: "closed" };
}
void [DeleteByQueryOperation, IndexQuery, PatchByQueryOperation, PatchOperation, PatchRequest, Visits];

const store = new DocumentStore("/raven", "Shop");
for (const type of [Order, Product, Visits, Shop]) store.conventions.registerEntityType(type, type.name);
store.initialize();
const first = store.openSession();
await first.store(new Product(), "products/7-A");
await first.store(new Order(), "orders/1-A");
await first.store(new Shop(), "stores/1-A");
await first.saveChanges();
const session = store.openSession();
const product = await session.load("products/7-A", Product);
if (!product) throw new Error("products/7-A is missing");
const line: Line = { product: "products/7-A" };
void line;
// the block
await store.dispose();
