import { DocumentStore } from "raven-edge";

interface Order {
  total: number;
  state?: string;
}

const store = new DocumentStore("https://ravendb.example", "Shop").initialize();
const first = store.openSession();
const placed: Order & { "@metadata": object } = { total: 120, "@metadata": { "@collection": "Orders" } };
await first.store(placed, "orders/1-A");
await first.saveChanges();
// the block
const [{ subscriptionName: created } = { subscriptionName: "" }] = await store.subscriptions.getSubscriptions(
  0,
  1,
);
while (!(await store.subscriptions.getSubscriptionState(created)).lastBatchAckTime)
  await new Promise((resolve) => setTimeout(resolve));
await store.dispose();
