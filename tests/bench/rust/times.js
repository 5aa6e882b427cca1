// As src/lib.rs, with the npm package, in Node and in pages.
const PAGE = 1_000;

const order = (number) => ({
  customer: `customers/${number}-A`,
  total: number * 1.5,
  lines: [0, 1, 2].map((at) => ({ product: `products/${at}-A`, pieces: 3 })),
  "@metadata": { "@collection": "Orders" },
});

/** Microseconds per document, by step. */
export async function measure(DocumentStore, url, database, count) {
  const times = {};
  let since = performance.now();
  function lap(name) {
    times[name] = ((performance.now() - since) * 1_000) / count;
    since = performance.now();
  }

  const store = new DocumentStore(url, database).initialize();
  const hilo = store.hilo("ids");
  await hilo.next();
  since = performance.now();
  for (let at = 0; at < count; at++) hilo.take() ?? (await hilo.next());
  lap("id");
  const session = store.openSession();
  const ids = [];
  for (let number = 0; number < count; number++) {
    const entity = order(number);
    await session.store(entity);
    ids.push(entity.id);
  }
  lap("store");
  await session.saveChanges();
  lap("save");
  const other = store.openSession();
  for (let at = 0; at < count; at += PAGE) {
    const found = await other.load(ids.slice(at, at + PAGE));
    if (Object.values(found).some((document) => document === null)) throw new Error("a document is missing");
  }
  lap("load");
  await store.dispose();
  return times;
}
