import { DocumentStore } from "raven-edge";

const store = new DocumentStore("https://ravendb.example", "Shop").initialize();
const session = store.openSession();
await session.store({ name: "Tea", "@metadata": { "@collection": "Products" } }, "products/1-A");
const { attachments } = session.advanced;
const file = Object.assign(new Blob(["photo"], { type: "image/png" }), { name: "photo.png" });
void [attachments, file];
// the block
await store.dispose();
