// What the documentation of RavenDB shows of data subscriptions: creating them, receiving their batches, managing them.
import {
  ConfigureRevisionsOperation,
  type DocumentStore,
  RevisionsCollectionConfiguration,
  RevisionsConfiguration,
} from "client";
import type { Any, Context } from "../context.js";
import { Company, Order, Product } from "../northwind.js";

type Worker = ReturnType<DocumentStore["subscriptions"]["getSubscriptionWorker"]>;

/** Receives batches until `count` documents are acknowledged. */
function receive(worker: Worker, count: number, handle: (batch: Any) => unknown): Promise<void> {
  let received = 0;
  return new Promise((resolve, reject) => {
    worker.on("error", reject);
    worker.on("end", () => resolve());
    worker.on("afterAcknowledgment", () => {
      if (received >= count) worker.dispose();
    });
    worker.on("batch", async (batch, callback) => {
      received += batch.items.length;
      try {
        await handle(batch);
        callback();
      } catch (error) {
        callback(error as Error);
      }
    });
  });
}

/** A server without a licence has few subscriptions. */
async function deleted(store: DocumentStore, ...names: string[]): Promise<void> {
  for (const name of names) await store.subscriptions.delete(name);
}

export async function allDocumentsOfACollection({ store, print }: Context) {
  const name = await store.subscriptions.create({ name: "Products", documentType: Product });
  print(name);
  const count = await store.openSession().query<Product>(Product).count();
  const worker = store.subscriptions.getSubscriptionWorker<Product>({
    subscriptionName: name,
    documentType: Product,
  });
  let received = 0;
  await receive(worker as Worker, count, (batch) => {
    received += batch.getNumberOfItemsInBatch();
    print(batch.items.every(({ result }: Any) => result instanceof Product));
  });
  print(received === count);
  await deleted(store, name);
}

export async function filteredDocuments({ store, print }: Context) {
  const name = await store.subscriptions.create({ query: "from Products where id() = 'products/1-A'" });
  await receive(store.subscriptions.getSubscriptionWorker(name), 1, ({ items }) => {
    for (const { id, result } of items) print(id, result.Name !== "");
  });
  await deleted(store, name);
}

export async function aFilterAndAProjectionInJavaScript({ store, print }: Context) {
  const name = await store.subscriptions.create({
    query: `declare function worth(o) {
        return o.Lines.reduce((sum, line) => sum + line.PricePerUnit * line.Quantity, 0);
      }
      from Orders as o where worth(o) > 0 and id() = 'orders/1-A'
      select { Id: id(o), IsWorth: worth(o) > 0 }`,
  });
  await receive(store.subscriptions.getSubscriptionWorker(name), 1, ({ items }) => {
    for (const { result, projection } of items) print(result.Id, result.IsWorth, projection);
  });
  await deleted(store, name);
}

export async function includedDocuments({ store, print }: Context) {
  const name = await store.subscriptions.create({
    documentType: Order,
    includes: (builder) => builder.includeDocuments("Company"),
  });
  const worker = store.subscriptions.getSubscriptionWorker<Order>({
    subscriptionName: name,
    documentType: Order,
  });
  let isFirst = true;
  await receive(worker as Worker, 1, async (batch) => {
    if (!isFirst) return;
    isFirst = false;
    const session = batch.openSession();
    const company = await session.load(batch.items[0].result.Company, Company);
    print(company instanceof Company, session.advanced.numberOfRequests);
  });
  await deleted(store, name);
}

export async function changingTheDocumentsOfABatch({ store, print }: Context) {
  const name = await store.subscriptions.create({ query: "from Companies where id() = 'companies/1-A'" });
  let isDone = false;
  await receive(store.subscriptions.getSubscriptionWorker(name), 1, async (batch) => {
    if (isDone) return;
    isDone = true;
    const session = batch.openSession();
    for (const { result } of batch.items) result.Phone = "0";
    await session.saveChanges();
  });
  print((await store.openSession().load<Company>("companies/1-A"))?.Phone);
  await deleted(store, name);
}

export async function smallBatches({ store, print }: Context) {
  const subscriptionName = await store.subscriptions.create({ query: "from Products" });
  const sizes: number[] = [];
  const worker = store.subscriptions.getSubscriptionWorker({ subscriptionName, maxDocsPerBatch: 3 });
  await receive(worker, 6, (batch) => sizes.push(batch.getNumberOfItemsInBatch()));
  print(sizes.slice(0, 2));
  await deleted(store, subscriptionName);
}

export async function runningUntilNothingIsLeft({ store, print }: Context) {
  const subscriptionName = await store.subscriptions.create({ query: "from Employees" });
  const worker = store.subscriptions.getSubscriptionWorker({ subscriptionName, closeWhenNoDocsLeft: true });
  const seen: string[] = [];
  await new Promise<void>((resolve) => {
    worker.on("batch", (_, callback) => callback());
    worker.on("afterAcknowledgment", () => seen.push("acknowledged"));
    worker.on("error", (error) => seen.push(error?.name ?? ""));
    worker.on("end", () => resolve());
  });
  print(seen);
  await deleted(store, subscriptionName);
}

export async function onlyNewDocuments({ store, print }: Context) {
  const name = await store.subscriptions.create({ query: "from Companies", changeVector: "LastDocument" });
  const session = store.openSession();
  await session.store(Object.assign(new Company(), { Name: "New" }), "companies/new");
  await session.saveChanges();
  await receive(store.subscriptions.getSubscriptionWorker(name), 1, ({ items }) => {
    print(items.map(({ result }: Any) => result.Name));
  });
  await deleted(store, name);
}

export async function managingSubscriptions({ store, print }: Context) {
  const { subscriptions } = store;
  const name = await subscriptions.create({ name: "Managed", query: "from Orders" });
  print((await subscriptions.getSubscriptions(0, 10)).map(({ subscriptionName }) => subscriptionName));
  await subscriptions.update({ name, query: "from Orders where Freight > 10" });
  print((await subscriptions.getSubscriptionState(name)).query);
  await subscriptions.disable(name);
  print((await subscriptions.getSubscriptionState(name)).disabled);
  await subscriptions.enable(name);
  print((await subscriptions.getSubscriptionState(name)).disabled);
  await subscriptions.dropConnection(name);
  await subscriptions.delete(name);
  print((await subscriptions.getSubscriptions(0, 10)).length);
}

export async function takingOver({ store, print }: Context) {
  const subscriptionName = await store.subscriptions.create({ query: "from Employees" });
  const first = store.subscriptions.getSubscriptionWorker(subscriptionName);
  const ended = new Promise<string>((resolve) => first.on("error", (error) => resolve(error?.name ?? "")));
  const ready = new Promise<void>((resolve) => first.on("afterAcknowledgment", () => resolve()));
  first.on("batch", (_, callback) => callback());
  await ready;
  const second = store.subscriptions.getSubscriptionWorker({ subscriptionName, strategy: "TakeOver" });
  const taken = new Promise<void>((resolve) =>
    second.on("onEstablishedSubscriptionConnection", () => resolve()),
  );
  second.on("batch", (_, callback) => callback());
  print(await ended);
  await taken;
  second.dispose();
  await deleted(store, subscriptionName);
}

export async function revisionsOfDocuments({ store, print }: Context) {
  const configuration = new RevisionsConfiguration();
  configuration.collections = new Map([["Companies", new RevisionsCollectionConfiguration()]]);
  await store.maintenance.send(new ConfigureRevisionsOperation(configuration));
  try {
    await store.subscriptions.createForRevisions({ documentType: Company });
  } catch (error) {
    // A server without a licence has no subscriptions to revisions.
    print((error as Error).name);
  }
}
