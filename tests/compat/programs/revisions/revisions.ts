// What the documentation of RavenDB shows of revisions: reading, counting, including, forcing and configuring them.
import {
  ConfigureRevisionsOperation,
  type DocumentStore,
  GetRevisionsOperation,
  RevisionsCollectionConfiguration,
  RevisionsConfiguration,
} from "client";
import type { Context } from "../context.js";
import { Company, Product } from "../northwind.js";

async function keepRevisions(store: DocumentStore, ...collections: string[]): Promise<void> {
  const configuration = new RevisionsConfiguration();
  configuration.collections = new Map(
    collections.map((name) => [name, new RevisionsCollectionConfiguration()]),
  );
  await store.maintenance.send(new ConfigureRevisionsOperation(configuration));
}

/** Saves a product under these names, one after the other. */
async function renamed(store: DocumentStore, id: string, ...names: string[]): Promise<string[]> {
  const vectors: string[] = [];
  for (const name of names) {
    const session = store.openSession();
    const product = await session.load<Product>(id, Product);
    if (!product) continue;
    product.Name = name;
    await session.saveChanges();
    vectors.push(session.advanced.getChangeVectorFor(product) ?? "");
  }
  return vectors;
}

export async function configuringACollection({ store, print }: Context) {
  const products = new RevisionsCollectionConfiguration();
  products.minimumRevisionsToKeep = 2;
  products.purgeOnDelete = true;
  const configuration = new RevisionsConfiguration();
  configuration.collections = new Map([["Products", products]]);
  await store.maintenance.send(new ConfigureRevisionsOperation(configuration));
  await renamed(store, "products/1-A", "a", "b", "c", "d");
  const revisions = await store.openSession().advanced.revisions.getFor<Product>("products/1-A");
  print(revisions.map(({ Name }) => Name));
}

export async function readingAllRevisions({ store, print }: Context) {
  await keepRevisions(store, "Products");
  await renamed(store, "products/2-A", "first", "second", "third");
  const session = store.openSession();
  const revisions = await session.advanced.revisions.getFor<Product>("products/2-A", { pageSize: 2 });
  print(revisions.map(({ Name }) => Name));
  const next = await session.advanced.revisions.getFor<Product>("products/2-A", { start: 2, pageSize: 2 });
  print(next.map(({ Name }) => Name));
  print(await session.advanced.revisions.getCountFor("products/2-A"));
}

export async function readingTheirMetadata({ store, print }: Context) {
  await keepRevisions(store, "Products");
  await renamed(store, "products/3-A", "first", "second");
  const session = store.openSession();
  const all = await session.advanced.revisions.getMetadataFor("products/3-A", { start: 0, pageSize: 10 });
  print(all.map((metadata) => [metadata["@id"], metadata["@flags"]]));
  const [, older] = all;
  const revision = await session.advanced.revisions.get<Product>(String(older?.["@change-vector"]));
  print(revision?.Name);
}

export async function readingByTime({ store, print }: Context) {
  await keepRevisions(store, "Products");
  await renamed(store, "products/4-A", "first");
  const between = new Date(Date.now() + 5);
  while (Date.now() < between.getTime() + 5) await store.openSession().load("products/4-A");
  await renamed(store, "products/4-A", "second");
  const { revisions } = store.openSession().advanced;
  print((await revisions.get<Product>("products/4-A", between))?.Name);
  print((await revisions.get<Product>("products/4-A", new Date(Date.now() + 60_000)))?.Name);
  print(await revisions.get<Product>("products/4-A", new Date(2000, 1, 1)));
}

export async function readingByChangeVectors({ store, print }: Context) {
  await keepRevisions(store, "Products");
  const vectors = await renamed(store, "products/5-A", "first", "second", "third");
  const { revisions } = store.openSession().advanced;
  print((await revisions.get<Product>(vectors[1] ?? "", Product)) instanceof Product);
  const several = await revisions.get<Product>(vectors);
  print(vectors.map((vector) => several[vector]?.Name));
}

export async function readingLazily({ store, print }: Context) {
  await keepRevisions(store, "Products");
  const vectors = await renamed(store, "products/6-A", "first", "second");
  const session = store.openSession();
  const all = session.advanced.revisions.lazily.getFor<Product>("products/6-A");
  const one = session.advanced.revisions.lazily.get<Product>(vectors[0] ?? "");
  await session.advanced.eagerly.executeAllPendingLazyOperations();
  print((await all.getValue()).map(({ Name }) => Name));
  print((await one.getValue())?.Name);
  print(session.advanced.numberOfRequests);
}

export async function includingARevision({ store, print }: Context) {
  await keepRevisions(store, "Products");
  const [signed = ""] = await renamed(store, "products/5-A", "as it was signed", "as it is now");
  let session = store.openSession();
  await session.store({ Vector: signed, "@metadata": { "@collection": "Contracts" } }, "contracts/1");
  await session.saveChanges();
  session = store.openSession();
  const contract = await session.load<{ Vector: string }>("contracts/1", {
    includes: (builder) => builder.includeRevisions("Vector"),
  });
  print((await session.advanced.revisions.get<Product>(contract?.Vector ?? ""))?.Name);
  print(session.advanced.numberOfRequests);
  session = store.openSession();
  const [found] = await session
    .query<{ Vector: string }>({ collection: "Contracts" })
    .waitForNonStaleResults()
    .include((builder) => builder.includeRevisions("Vector"))
    .all();
  print((await session.advanced.revisions.get<Product>(found?.Vector ?? ""))?.Name);
  print(session.advanced.numberOfRequests);
}

export async function forcingARevision({ store, print }: Context) {
  const session = store.openSession();
  const company = await session.load<Company>("companies/1-A", Company);
  if (!company) return;
  const before = company.Name;
  session.advanced.revisions.forceRevisionCreationFor(company);
  company.Name = "Renamed";
  await session.saveChanges();
  const revisions = await session.advanced.revisions.getFor<Company>("companies/1-A");
  print(revisions.length, revisions[0]?.Name === before);
  session.advanced.revisions.forceRevisionCreationFor("companies/2-A");
  await session.saveChanges();
  print(await session.advanced.revisions.getCountFor("companies/2-A"));
}

export async function readingByAnOperation({ store, print }: Context) {
  await keepRevisions(store, "Products");
  await renamed(store, "products/2-A", "first", "second", "third");
  const operation = new GetRevisionsOperation<Product>("products/2-A", {
    start: 0,
    pageSize: 2,
    documentType: Product,
  });
  const { results, totalResults } = await store.operations.send(operation);
  print(
    totalResults,
    results.map(({ Name }) => Name),
    results[0] instanceof Product,
  );
}
