// Documentation "Counters: Overview", "Create or Modify Counters", "Get Counters", "Delete Counter", "Counters and Other Features".
import { CounterOperation, CountersBatchCommandData } from "client";
import type { Any, Context } from "../context.js";
import type { Product } from "../northwind.js";

/** Stores a product with these counters, in a session of its own. */
async function counted(
  store: Context["store"],
  id: string,
  counters: Record<string, number> = {},
): Promise<void> {
  const session = store.openSession();
  await session.store(
    { Name: id, Category: "categories/1-A", "@metadata": { "@collection": "Products" } },
    id,
  );
  for (const [name, value] of Object.entries(counters)) session.countersFor(id).increment(name, value);
  await session.saveChanges();
}

/** Counters: likes that many clients count at once. */
export async function countersOfManyClients({ store, print }: Context) {
  await counted(store, "products/tea");
  for (let visitor = 0; visitor < 3; visitor++) {
    const session = store.openSession();
    session.countersFor("products/tea").increment("Likes");
    session.countersFor("products/tea").increment("Views", 10);
    await session.saveChanges();
  }
  const session = store.openSession();
  print(await session.countersFor("products/tea").getAll());
  session.countersFor("products/tea").delete("Views");
  await session.saveChanges();
  print(await store.openSession().countersFor("products/tea").get("Likes"));
}

export async function createAndModify({ store, print }: Context) {
  await counted(store, "products/tea");
  const session = store.openSession();
  const counters = session.countersFor("products/tea");
  counters.increment("ProductLikes");
  counters.increment("ProductModified", 15);
  await session.saveChanges();
  counters.increment("ProductModified", -10);
  await session.saveChanges();
  print(await store.openSession().countersFor("products/tea").get(["ProductLikes", "ProductModified"]));
}

export async function countersOfAnEntity({ store, print }: Context) {
  await counted(store, "products/tea");
  const session = store.openSession();
  const product = await session.load<Product>("products/tea");
  const counters = session.countersFor(product);
  counters.increment("Likes", 100);
  counters.delete("Dislikes");
  await session.saveChanges();
  print(await session.countersFor(product).get("Likes"));
}

export async function withTheirDocumentInOneTransaction({ store, print }: Context) {
  await counted(store, "products/tea");
  const session = store.openSession();
  const post = { Title: "Summer", "@metadata": { "@collection": "Posts" } };
  await session.store(post, "posts/summer");
  session.countersFor(post).increment("Views");
  session.countersFor("products/tea").increment("Mentions");
  await session.saveChanges();
  print(session.advanced.numberOfRequests);
  print(await store.openSession().countersFor("posts/summer").get("Views"));
  print(await store.openSession().countersFor("products/tea").get("Mentions"));
}

export async function aSaveThatIsRefused({ store, print }: Context) {
  await counted(store, "products/coffee");
  const session = store.openSession();
  session.countersFor("products/none").increment("Likes");
  session.countersFor("products/coffee").increment("Likes");
  try {
    await session.saveChanges();
  } catch (error) {
    print(error.name);
  }
  print(await store.openSession().countersFor("products/coffee").get("Likes"));
}

export async function deleteACounter({ store, print }: Context) {
  await counted(store, "products/tea", { Likes: 4, Dislikes: 2 });
  const session = store.openSession();
  session.countersFor("products/tea").delete("Likes");
  await session.saveChanges();
  print(await store.openSession().countersFor("products/tea").getAll());
  const again = store.openSession();
  again.countersFor("products/tea").increment("Likes");
  await again.saveChanges();
  print(await store.openSession().countersFor("products/tea").get("Likes"));
}

export async function deletedWithItsDocument({ store, print }: Context) {
  await counted(store, "products/tea", { Likes: 4 });
  const session = store.openSession();
  await session.delete("products/tea");
  await session.saveChanges();
  print(await store.openSession().countersFor("products/tea").getAll());
}

export async function getOneCounter({ store, print }: Context) {
  await counted(store, "products/tea", { Likes: 100 });
  const counters = store.openSession().countersFor("products/tea");
  print(await counters.get("Likes"), await counters.get("likes"), await counters.get("None"));
}

export async function getSeveralCounters({ store, print }: Context) {
  await counted(store, "products/tea", { Likes: 100, Downloads: 20, Views: 3 });
  const session = store.openSession();
  const values = await session.countersFor("products/tea").get(["Likes", "Downloads"]);
  print(values.Likes, values.Downloads, session.advanced.numberOfRequests);
}

export async function getAllCounters({ store, print }: Context) {
  await counted(store, "products/tea", { Likes: 1, Downloads: 2, Views: 3 });
  const all = await store.openSession().countersFor("products/tea").getAll();
  for (const name of Object.keys(all).sort()) print(name, all[name]);
}

export async function namesOfALoadedDocument({ store, print }: Context) {
  await counted(store, "products/tea", { Likes: 1, Views: 3 });
  const session = store.openSession();
  const product = await session.load<Product>("products/tea");
  const other = await session.load<Product>("products/1-A");
  print([...session.advanced.getCountersFor(product)].sort(), session.advanced.getCountersFor(other));
  print(session.advanced.getMetadataFor(product)["@flags"]);
}

export async function includeOneInALoad({ store, print }: Context) {
  await counted(store, "products/tea", { Likes: 9 });
  const session = store.openSession();
  const product = await session.load<Product>("products/tea", {
    includes: (include) => include.includeCounter("Likes") as Any,
  });
  print(product.Name, await session.countersFor(product).get("Likes"), session.advanced.numberOfRequests);
}

export async function includeSeveralInALoad({ store, print }: Context) {
  await counted(store, "products/tea", { Likes: 9, Dislikes: 1 });
  const session = store.openSession();
  const product = await session.load<Product>("products/tea", {
    includes: (include) => include.includeDocuments("Category").includeCounters(["Likes", "Dislikes"]) as Any,
  });
  await session.load(product.Category);
  print(await session.countersFor(product).get(["Likes", "Dislikes"]), session.advanced.numberOfRequests);
}

export async function includeAllInALoad({ store, print }: Context) {
  await counted(store, "products/coffee", { Likes: 2, Dislikes: 1 });
  const session = store.openSession();
  await session.load<Product>("products/coffee", {
    includes: (include) => include.includeAllCounters() as Any,
  });
  print(Object.entries(await session.countersFor("products/coffee").getAll()).sort());
  print(session.advanced.numberOfRequests);
}

export async function includeInAQuery({ store, print }: Context) {
  await counted(store, "products/tea", { Likes: 9 });
  await counted(store, "products/coffee", { Likes: 2 });
  const session = store.openSession();
  const products = await session
    .query<Product>({ collection: "Products" })
    .whereIn("Name", ["products/tea", "products/coffee"])
    .include((include) => include.includeCounter("Likes"))
    .waitForNonStaleResults()
    .orderBy("Name")
    .all();
  for (const product of products) print(product.Name, await session.countersFor(product).get("Likes"));
  print(session.advanced.numberOfRequests);
}

export async function rawQueryThatIncludes({ store, print }: Context) {
  await counted(store, "products/tea", { Likes: 9, Dislikes: 3 });
  const session = store.openSession();
  await session.advanced
    .rawQuery<Product>(
      "from Products where id() = 'products/tea' include counters('Likes'), counters('Dislikes')",
    )
    .all();
  print(
    await session.countersFor("products/tea").get(["Likes", "Dislikes"]),
    session.advanced.numberOfRequests,
  );
}

export async function rawQueryThatSelects({ store, print }: Context) {
  await counted(store, "products/tea", { Likes: 9 });
  const rows = await store
    .openSession()
    .advanced.rawQuery<{ Name: string; Likes: number }>(
      "from Products as p where id() = 'products/tea' select p.Name, counter(p, 'Likes') as Likes",
    )
    .all();
  print(rows.map(({ Name, Likes }) => [Name, Likes]));
}

export async function scriptThatReadsCounters({ store, print }: Context) {
  await counted(store, "products/tea", { Likes: 9 });
  const rows = await store
    .openSession()
    .advanced.rawQuery<{ Text: string }>(
      "from Products as p where id() = 'products/tea' select { Text: 'likes: ' + counter(p, 'Likes') }",
    )
    .all();
  print(rows.map(({ Text }) => Text));
}

export async function whatASessionRemembers({ store, print }: Context) {
  await counted(store, "products/tea", { Likes: 9 });
  const session = store.openSession();
  print(await session.countersFor("products/tea").get("Likes"));
  const another = store.openSession();
  another.countersFor("products/tea").increment("Likes");
  await another.saveChanges();
  print(await session.countersFor("products/tea").get("Likes"));
  session.countersFor("products/tea").increment("Likes", 5);
  await session.saveChanges();
  print(await session.countersFor("products/tea").get("Likes"), session.advanced.numberOfRequests);
}

export async function withoutTracking({ store, print }: Context) {
  await counted(store, "products/tea", { Likes: 9 });
  const session = store.openSession({ noTracking: true });
  for (let read = 0; read < 2; read++) print(await session.countersFor("products/tea").get("Likes"));
  print(session.advanced.numberOfRequests);
}

export async function deferACommand({ store, print }: Context) {
  await counted(store, "products/tea");
  const session = store.openSession();
  session.advanced.defer(
    new CountersBatchCommandData("products/tea", [
      CounterOperation.create("Likes", "Increment", 10),
      CounterOperation.create("Dislikes", "Increment", 1),
    ]),
  );
  session.countersFor("products/tea").increment("Likes");
  await session.saveChanges();
  print(await session.countersFor("products/tea").get("Likes"), session.advanced.numberOfRequests);
}
