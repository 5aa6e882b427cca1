import { DocumentStore } from "raven-edge";

const store = new DocumentStore("https://ravendb.example", "Shop").initialize();
const session = store.openSession();
await session.store({ customer: "ada", "@metadata": { "@collection": "Orders" } }, "orders/1-A");
await session.saveChanges();
// the block
await store.dispose();
