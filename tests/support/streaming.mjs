// A stream that is read to its end and one that is left; prints JSON. Arguments: the package's entry, the server's
// URL, the database.
const [entry, url, database] = process.argv.slice(2);
const { DocumentStore } = await import(entry);

const store = new DocumentStore(url, database).initialize();
const { advanced } = store.openSession();
let [all, some, first] = [0, 0, undefined];
for await (const { id, document } of advanced.stream("orders/")) {
  first ??= id;
  if (document.freight > 0) all++;
}
for await (const _ of advanced.stream("orders/")) if (++some === 10) break;
await store.dispose();
console.log(JSON.stringify({ all, some, first }));
