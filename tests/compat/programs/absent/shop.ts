// What a shop also needs, beside `../whole/shop.ts`: compare exchange in a session, which raven-edge does not have yet, and changes.
import type { Context } from "../context.js";

/** Compare exchange in a session: an e-mail address that only one customer may have. */
export async function compareExchange({ store, print }: Context) {
  const session = store.openSession({ transactionMode: "ClusterWide" });
  session.advanced.clusterTransaction.createCompareExchangeValue(
    "emails/jon@alpine.example",
    "companies/2-A",
  );
  await session.store({ Name: "Jon" }, "customers/jon");
  await session.saveChanges();
  const again = store.openSession({ transactionMode: "ClusterWide" });
  const found =
    await again.advanced.clusterTransaction.getCompareExchangeValue<string>("emails/jon@alpine.example");
  again.advanced.clusterTransaction.deleteCompareExchangeValue(found);
  await again.saveChanges();
  print(found.value);
}

/** Changes: a page that shows how many are left. */
export async function changes({ store, print }: Context) {
  const changes = store.changes();
  await changes.ensureConnectedNow();
  const products = changes.forDocumentsInCollection("Products");
  const seen: string[] = [];
  const told = new Promise<void>((resolve) => {
    products.on("data", ({ type, id }) => {
      seen.push(`${type} ${id}`);
      if (seen.length === 2) resolve();
    });
  });
  await products.ensureSubscribedNow();
  const session = store.openSession();
  session.advanced.increment("products/1-A", "UnitsInStock", -1);
  session.advanced.increment("products/2-A", "UnitsInStock", -1);
  await session.saveChanges();
  await told;
  print(seen.sort());
  changes.dispose();
}
