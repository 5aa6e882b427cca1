// One program as an app has it, in the order of a day: a store, its conventions and events, an index, customers and their
// orders, prices that change, a conflict, reports, streams, a clean-up.
import {
  AbstractJavaScriptIndexCreationTask,
  DeleteByQueryOperation,
  DocumentStore,
  GetStatisticsOperation,
  type IDocumentSession,
  type IDocumentStore,
  IndexQuery,
  NextIdentityForOperation,
  PatchByQueryOperation,
  PatchCommandData,
  PatchRequest,
  type QueryStatistics,
} from "client";
import type { Context } from "../context.js";

class Customer {
  id?: string;
  createdAt: Date | null = null;
  tags: string[] = [];

  constructor(
    public name = "",
    public email = "",
    public address: { city: string; country: string } = { city: "", country: "" },
  ) {}
}

class Article {
  id?: string;

  constructor(
    public title = "",
    public price = 0,
    public stock = 0,
    public keywords: string[] = [],
  ) {}
}

class Purchase {
  id?: string;
  number = 0;
  state: "open" | "sent" = "open";
  lines: { article: string; count: number; price: number }[] = [];

  constructor(public customer = "") {}

  get total() {
    return this.lines.reduce((sum, { count, price }) => sum + count * price, 0);
  }
}

/** Waits for the index in place of "Index is stale". */
const UP_TO_DATE = {
  allowStale: false,
  staleTimeout: 60_000,
  maxOpsPerSecond: 1_000,
  retrieveDetails: false,
};

interface Sales {
  article: string;
  count: number;
  value: number;
}

class Purchases_ByArticle extends AbstractJavaScriptIndexCreationTask<Purchase, Sales> {
  constructor() {
    super();
    this.map("Purchases", (purchase) =>
      purchase.lines.map((line) => ({
        article: line.article,
        count: line.count,
        value: line.count * line.price,
      })),
    );
    this.reduce((results) =>
      results
        .groupBy((result) => result.article)
        .aggregate((group) => ({
          article: group.key,
          count: group.values.reduce((sum, result) => sum + result.count, 0),
          value: group.values.reduce((sum, result) => sum + result.value, 0),
        })),
    );
  }
}

/** The store of the app, which notes who wrote what. */
function open(url: string, database: string): IDocumentStore {
  const store = new DocumentStore(url, database);
  store.conventions.registerEntityType(Customer);
  store.conventions.registerEntityType(Article);
  store.conventions.registerEntityType(Purchase);
  store.conventions.storeDatesInUtc = true;
  store.conventions.maxNumberOfRequestsPerSession = 10;
  store.conventions.registerIdConvention(Article, (_database, entity) =>
    Promise.resolve(`articles/${(entity as Article).title.toLowerCase().replaceAll(" ", "-")}`),
  );
  store.addSessionListener("beforeStore", (event) => {
    event.getDocumentMetadata()["Written-By"] = "shop";
  });
  store.addSessionListener("beforeDelete", ({ documentId }) => {
    if (documentId === "articles/rye-bread") throw new Error("there is always bread");
  });
  return store.initialize();
}

async function stockTheShelves(session: IDocumentSession) {
  await session.store(new Article("Rye Bread", 3.5, 20, ["bread", "rye"]));
  await session.store(new Article("Goat Cheese", 8, 5, ["cheese", "goat"]));
  await session.store(new Article("Green Tea", 6, 50, ["tea", "green"]));
  await session.saveChanges();
}

async function welcomeCustomers(session: IDocumentSession) {
  const ida = new Customer("Ida Berg", "ida@harbour.example", { city: "Bergen", country: "Norway" });
  ida.createdAt = new Date(Date.UTC(2024, 0, 2));
  const jon = new Customer("Jon Frei", "jon@alpine.example", { city: "Bern", country: "Switzerland" });
  jon.tags.push("wholesale");
  await session.store(ida);
  await session.store(jon);
  await session.saveChanges();
  return [ida.id, jon.id];
}

async function buy(store: IDocumentStore, customer: string, wanted: Record<string, number>) {
  const session = store.openSession();
  const purchase = new Purchase(customer);
  purchase.number = (await store.maintenance.send(new NextIdentityForOperation("purchases"))) as number;
  const articles = await session.load<Article>(Object.keys(wanted), Article);
  for (const [id, count] of Object.entries(wanted)) {
    purchase.lines.push({ article: id, count, price: articles[id].price });
    session.advanced.increment(id, "stock", -count);
  }
  await session.store(purchase);
  await session.saveChanges();
  return purchase;
}

export async function aDayInAShop({ url, database, print }: Context) {
  const store = open(url, database);
  await new Purchases_ByArticle().execute(store);

  // Morning.
  await stockTheShelves(store.openSession());
  const [ida, jon] = await welcomeCustomers(store.openSession());
  print(ida, jon);
  const bread = await store.openSession().load<Article>("articles/rye-bread");
  print(bread instanceof Article, bread.title, bread["@metadata"]["Written-By"]);

  // Orders: numbers without gaps from an identity, stock that many count down at once.
  const first = await buy(store, ida, { "articles/rye-bread": 2, "articles/green-tea": 1 });
  const second = await buy(store, jon, { "articles/green-tea": 10 });
  const third = await buy(store, jon, { "articles/goat-cheese": 5, "articles/rye-bread": 4 });
  print([first, second, third].map(({ id, number, total }) => [id, number, total]));
  print((await store.openSession().load<Article>("articles/green-tea")).stock);

  // The page of an order: everything in one request.
  const page = store.openSession();
  const order = await page.include("customer").include("lines[].article").load<Purchase>(first.id, Purchase);
  const customer = await page.load<Customer>(order.customer, Customer);
  const titles = await page.load<Article>(order.lines.map(({ article }) => article));
  print(
    customer.name,
    customer.createdAt,
    Object.values(titles).map(({ title }) => title),
  );
  print(page.advanced.numberOfRequests);

  // Two clerks change one article.
  const here = store.openSession();
  here.advanced.useOptimisticConcurrency = true;
  const mine = await here.load<Article>("articles/goat-cheese", Article);
  const there = store.openSession();
  const theirs = await there.load<Article>("articles/goat-cheese", Article);
  theirs.price = 9;
  await there.saveChanges();
  mine.stock += 10;
  print(here.advanced.whatChanged()["articles/goat-cheese"].map(({ fieldName }) => fieldName));
  try {
    await here.saveChanges();
  } catch (error) {
    print(error.name);
    await here.advanced.refresh(mine);
    mine.stock += 10;
    await here.saveChanges();
  }
  print(mine.price, mine.stock);

  // Noon: patches of one document, of a script, and of all.
  const patching = store.openSession();
  patching.advanced.patch<Customer, string>(ida, "address.city", "Oslo");
  patching.advanced.patchArray<Customer, string>(jon, "tags", (tags) => tags.push("loyal", "tea"));
  patching.advanced.addOrIncrement("visits/today", { count: 1 }, "count", 1);
  const discount = new PatchRequest();
  discount.script = "for (const line of this.lines) line.price = Math.max(0, line.price - args.off)";
  discount.values = { off: 0.5 };
  patching.advanced.defer(new PatchCommandData(second.id, null, discount, null));
  await patching.saveChanges();
  const sale = await store.operations.send(
    new PatchByQueryOperation("from Articles update { this.price = Math.round(this.price * 90) / 100; }"),
  );
  await sale.waitForCompletion();
  const articles = await store.openSession().advanced.loadStartingWith<Article>("articles/");
  print(articles.map(({ title, price, stock }) => [title, price, stock]));

  // Reports.
  const report = store.openSession();
  let statistics: QueryStatistics;
  const dear = await report
    .query<Purchase>({ collection: "Purchases" })
    .statistics((found) => (statistics = found))
    .waitForNonStaleResults()
    .whereEquals("state", "open")
    .whereIn("customer", [ida, jon])
    .orderByDescending("number", "Long")
    .take(2)
    .all();
  print(
    dear.map(({ number }) => number),
    statistics.totalResults,
    dear[0] instanceof Purchase,
  );
  const sold = await report
    .query<Sales>({ indexName: "Purchases/ByArticle" })
    .waitForNonStaleResults()
    .orderByDescending("value", "Double")
    .all();
  print(sold.map(({ article, count, value }) => [article, count, value]));
  const found = await report
    .query<Article>({ collection: "Articles" })
    .waitForNonStaleResults()
    .search("keywords", "goat green")
    .orderBy("title")
    .selectFields<{ title: string; price: number }>(["title", "price"])
    .all();
  print(found.map(({ title, price }) => [title, price]));
  const perCustomer = await report.advanced
    .rawQuery<{ customer: string; orders: number }>(
      "from Purchases group by customer order by count() as long select customer, count() as orders",
    )
    .waitForNonStaleResults()
    .all();
  print(perCustomer.map(({ customer, orders }) => [customer, orders]));
  const lazily = store.openSession();
  const later = lazily.advanced.lazily.load<Customer>(jon);
  const open_ = lazily
    .query<Purchase>({ collection: "Purchases" })
    .whereEquals("state", "open")
    .countLazily();
  print(await open_.getValue(), (await later.getValue()).tags, lazily.advanced.numberOfRequests);

  // Evening: everything is sent, one by one from a stream.
  const evening = store.openSession();
  for await (const { id } of await evening.advanced.stream<Purchase>("purchases/"))
    evening.advanced.patch(id, "state", "sent");
  const saved: string[] = [];
  evening.advanced.on("afterSaveChanges", ({ documentId }) => saved.push(documentId));
  const note = {
    text: "all sent",
    "@metadata": { "@collection": "Notes", "@expires": "2040-01-01T00:00:00.000Z" },
  };
  await evening.store(note, "notes/evening");
  await evening.saveChanges();
  print(saved, (await store.openSession().load<Purchase>(third.id)).state);

  // Clean-up: bread stays, as the listener says; the rest of the data goes.
  const cleaning = store.openSession();
  await cleaning.delete(await cleaning.load("articles/rye-bread"));
  await cleaning.delete("visits/today");
  try {
    await cleaning.saveChanges();
  } catch (error) {
    print(error.message);
  }
  const removal = await store.operations.send(
    new DeleteByQueryOperation(new IndexQuery("from Purchases where state = 'sent'"), UP_TO_DATE),
  );
  await removal.waitForCompletion();
  print(
    await store.openSession().advanced.exists("articles/rye-bread"),
    await store.openSession().load(first.id),
  );
  const { countOfIndexes } = await store.maintenance.send(new GetStatisticsOperation());
  print(countOfIndexes > 0);
  store.dispose();
}
