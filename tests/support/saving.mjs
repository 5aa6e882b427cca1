// What an app does: it saves an order and gives back the rest. Text, for scripts that are built or sent somewhere.

/** Statements after which `order.id` is there; `DocumentStore` is imported before them. */
export const saving = (url, name) => `
const store = new DocumentStore(${JSON.stringify(url)}, ${JSON.stringify(name)}).initialize();
const session = store.openSession();
const order = { total: 5, "@metadata": { "@collection": "Orders" } };
await session.store(order);
await session.saveChanges();
await store.dispose();
`;
