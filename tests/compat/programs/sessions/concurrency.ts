// Documentation "How to Enable Optimistic Concurrency".
import { DocumentStore } from "client";
import type { Context } from "../context.js";
import type { Product } from "../northwind.js";

async function changedByAnother(store: DocumentStore, price: number) {
  const other = store.openSession();
  const product = await other.load<Product>("products/1-A");
  product.PricePerUnit = price;
  await other.saveChanges();
}

export async function theLastWriteWins({ store, print }: Context) {
  const session = store.openSession();
  const product = await session.load<Product>("products/1-A");
  await changedByAnother(store, 100);
  product.PricePerUnit = 5;
  await session.saveChanges();
  print((await store.openSession().load<Product>("products/1-A")).PricePerUnit);
}

export async function optimisticConcurrencyForASession({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.useOptimisticConcurrency = true;
  const product = await session.load<Product>("products/1-A");
  await changedByAnother(store, 100);
  product.PricePerUnit = 5;
  try {
    await session.saveChanges();
  } catch (error) {
    print(error.name);
  }
  print((await store.openSession().load<Product>("products/1-A")).PricePerUnit);
}

export async function optimisticConcurrencyForAllSessions({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.useOptimisticConcurrency = true;
  store.initialize();
  const session = store.openSession();
  print(session.advanced.useOptimisticConcurrency);
  await session.store({ Name: "exists already" }, "products/1-A");
  try {
    await session.saveChanges();
  } catch (error) {
    print(error.name);
  }
  store.dispose();
}

export async function conflictResolvedByRefresh({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.useOptimisticConcurrency = true;
  const product = await session.load<Product>("products/1-A");
  await changedByAnother(store, 100);
  product.UnitsInStock = 1;
  for (;;) {
    try {
      await session.saveChanges();
      break;
    } catch (error) {
      print(error.name);
      await session.advanced.refresh(product);
      product.UnitsInStock = 2;
    }
  }
  const saved = await store.openSession().load<Product>("products/1-A");
  print(saved.PricePerUnit, saved.UnitsInStock);
}

export async function aChangeVectorForOneDocument({ store, print }: Context) {
  const session = store.openSession();
  await session.store({ Name: "Tea" }, "products/tea", { changeVector: "" });
  await session.saveChanges();

  const second = store.openSession();
  await second.store({ Name: "Coffee" }, "products/tea", { changeVector: "" });
  try {
    await second.saveChanges();
  } catch (error) {
    print(error.name);
  }
  print((await store.openSession().load<Product>("products/tea")).Name);
}

export async function readsCheckedToo({ store, print }: Context) {
  const session = store.openSession({ optimisticConcurrencyMode: "WritesAndReads" });
  await session.load<Product>("products/1-A");
  const second = await session.load<Product>("products/2-A");
  await changedByAnother(store, 100);
  second.Name = "depends on the first";
  try {
    await session.saveChanges();
  } catch (error) {
    print(error.name);
  }
}

export async function deletedByAnother({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.useOptimisticConcurrency = true;
  const product = await session.load<Product>("products/1-A");
  const other = store.openSession();
  await other.delete("products/1-A");
  await other.saveChanges();
  product.Name = "too late";
  try {
    await session.saveChanges();
  } catch (error) {
    print(error.name);
  }
}
