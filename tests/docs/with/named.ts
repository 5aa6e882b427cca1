import { DocumentStore, type Names } from "raven-edge";

interface Order {
  customerId: string;
  total: number;
  lines: { product: string; amount: number }[];
}

const names = {
  claims: ["name"],
  queries: {
    openOrders: {
      query: "from Orders where customerId = $name and total >= $from",
      parameters: { from: { type: "number", default: 0 } },
      page: { default: 25, max: 100 },
      wait: 15_000,
    },
  },
  patches: {
    addLine: {
      collection: "Orders",
      script: "this.lines.push($line)",
      parameters: { line: { type: "object", maxBytes: 2_000 } },
    },
  },
} as const satisfies Names;

const store = new DocumentStore("https://ravendb.example", "Shop")
  .named(names, { name: "users/1-A" })
  .initialize();
const session = store.openSession();
const made = { customerId: "users/1-A", total: 10, lines: [], "@metadata": { "@collection": "Orders" } };
await session.store(made, "orders/1-A");
await session.saveChanges();
const order = (await session.load<Order>("orders/1-A")) as Order;
// the block
if (order.lines.length !== 1) throw new Error("the patch is shown by the entity");
await store.dispose();
