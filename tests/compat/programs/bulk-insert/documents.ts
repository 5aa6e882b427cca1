// Documentation "Bulk Insert: How to Work With Bulk Insert Operation".
import type { Any, Context } from "../context.js";

class Employee {
  constructor(
    public firstName = "",
    public lastName = "",
  ) {}
}

/** Many documents of a class. */
export async function employees({ store, print }: Context) {
  const bulkInsert = store.bulkInsert();
  for (let i = 0; i < 500; i++) {
    const employee = new Employee(`FirstName #${i}`, `LastName #${i}`);
    await bulkInsert.store(employee);
  }
  await bulkInsert.finish();
  const session = store.openSession();
  print(
    await session.query<Any>({ collection: "Employees" }).whereStartsWith("firstName", "FirstName #").count(),
  );
}

/** The price list of a supplier, under ids of the app. */
export async function bulkInsert({ store, print }: Context) {
  const bulk = store.bulkInsert();
  for (let count = 0; count < 100; count++)
    await bulk.store({ Supplier: "suppliers/1", Price: count }, `prices/${count}`, {
      "@collection": "Prices",
    } as Any);
  await bulk.finish();
  print((await store.openSession().advanced.loadStartingWith("prices/", { pageSize: 1_000 })).length);
}

/** Documents that are there already are left alone if they are the same. */
export async function skipOverwriteIfUnchanged({ store, print }: Context) {
  const insert = async (limit: number) => {
    const bulk = store.bulkInsert({ skipOverwriteIfUnchanged: true });
    for (let n = 0; n < limit; n++) await bulk.store({ n }, `rates/${n}`, { "@collection": "Rates" } as Any);
    await bulk.finish();
  };
  await insert(3);
  const vector = async () => {
    const session = store.openSession();
    return session.advanced.getChangeVectorFor((await session.load("rates/1")) as object);
  };
  const before = await vector();
  await insert(5);
  print(before === (await vector()), await store.openSession().advanced.exists("rates/4"));
}

/** Documents with metadata: they expire. */
export async function withMetadata({ store, print }: Context) {
  const bulk = store.bulkInsert();
  const expires = "2099-01-01T00:00:00.0000000Z";
  for (const name of ["a", "b"])
    await bulk.store({ name }, `tokens/${name}`, { "@collection": "Tokens", "@expires": expires } as Any);
  await bulk.finish();
  const session = store.openSession();
  const token = await session.load<Any>("tokens/b");
  print(token.name, session.advanced.getMetadataFor(token)["@expires"]);
}

/** The synchronous call in a loop. */
export async function tryStoreFirst({ store, print }: Context) {
  const bulk = store.bulkInsert();
  for (let n = 0; n < 200; n++) {
    const id = `samples/${n}`;
    const sample = new Employee(`Sample ${n}`);
    if (!bulk.tryStoreSync(sample, id)) await bulk.store(sample, id);
  }
  await bulk.finish();
  print((await store.openSession().advanced.loadStartingWith("samples/", { pageSize: 1_000 })).length);
}

/** Progress is shown. */
export async function progress({ store, print }: Context) {
  const bulk = store.bulkInsert();
  const seen: number[] = [];
  bulk.on("progress", ({ progress }) => seen.push(progress.total));
  // The server tells it now and then.
  let stored = 0;
  while (seen.length === 0) {
    await bulk.store(new Employee("Ada"), `staff/${++stored}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await bulk.finish();
  print((seen[0] ?? 0) <= stored, await store.openSession().advanced.exists(`staff/${stored}`));
}
