import {
  DeleteAttachmentOperation,
  DocumentStore,
  GetAttachmentOperation,
  PutAttachmentOperation,
} from "raven-edge";

const store = new DocumentStore("https://ravendb.example", "Shop").initialize();
const session = store.openSession();
await session.store({ name: "Coffee", "@metadata": { "@collection": "Products" } }, "products/2-A");
await session.saveChanges();
void [DeleteAttachmentOperation, GetAttachmentOperation, PutAttachmentOperation];
// the block
await store.dispose();
