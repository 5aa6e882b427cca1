// What a shop also needs, beside `shop.ts`: a page that is up to date.
import { settled } from "../../program/harness.js";
import type { Context } from "../context.js";

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
  await settled(changes);
  changes.dispose();
}
