// The end-to-end program for Node, Deno and Bun: ids, a save, a load, a return. Prints JSON. Arguments: the package's
// entry, the server's URL, the database.
const [entry, url, database] = process.argv.slice(2);
const { DocumentStore } = await import(entry);

const store = new DocumentStore(url, database).initialize();
const session = store.openSession();
const orders = [1, 2, 3].map((total) => ({
  total,
  name: "käse 🧀",
  "@metadata": { "@collection": "Orders" },
}));
for (const order of orders) await session.store(order);
await session.saveChanges();
const again = store.openSession();
const loaded = await again.load(orders[1].id);
loaded.total = 20;
await again.saveChanges();
const taken = [store.hilo("orders").take(), await store.hilo("orders").next()];
let failure;
try {
  await new DocumentStore("http://127.0.0.1:1", database, { timeout: 200 })
    .initialize()
    .hilo("orders")
    .next();
} catch (error) {
  failure = error.code;
}
await store.dispose();
console.log(JSON.stringify({ ids: orders.map(({ id }) => id), name: loaded.name, taken, failure }));
