// What an app does: saves an order and returns unused numbers. As text, for scripts that are bundled or sent
// somewhere.

/** Statements after which `order.id` exists; `DocumentStore` must be imported before. */
export const saving = (url, name) => `
const store = new DocumentStore(${JSON.stringify(url)}, ${JSON.stringify(name)}).initialize();
const session = store.openSession();
const order = { total: 5, "@metadata": { "@collection": "Orders" } };
await session.store(order);
await session.saveChanges();
await store.dispose();
`;
