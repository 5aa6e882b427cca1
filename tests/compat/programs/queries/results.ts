// README `orderBy`, `take`, `skip`, `statistics`, `first`, `single`, `count`; documentation "Sort", "Page Query Results",
// "Get Query Statistics", "Count Query Results".
import type { QueryStatistics } from "client";
import type { Context } from "../context.js";
import type { Employee, Order, Product } from "../northwind.js";

const names = (products: Product[]) => products.map(({ Name }) => Name);

export async function sortByAField({ store, print }: Context) {
  const session = store.openSession();
  const products = () => session.query<Product>({ collection: "Products" });
  print(names(await products().orderBy("Name").all()));
  print(names(await products().orderByDescending("Name").all()));
}

export async function sortNumbers({ store, print }: Context) {
  const session = store.openSession();
  const products = () => session.query<Product>({ collection: "Products" });
  print(names(await products().orderBy("UnitsInStock", "Long").all()));
  print(names(await products().orderByDescending("PricePerUnit", "Double").all()));
}

export async function sortByTwoFields({ store, print }: Context) {
  const session = store.openSession();
  const query = session
    .query<Employee>({ collection: "Employees" })
    .orderBy("FirstName")
    .orderByDescending("LastName");
  print(
    (await query.all()).map(({ FirstName, LastName }) => `${FirstName} ${LastName}`),
    query.toString(),
  );
}

export async function sortAlphanumerically({ store, print }: Context) {
  const session = store.openSession();
  for (const Name of ["shelf 10", "shelf 9", "shelf 1"])
    await session.store({ Name, "@metadata": { "@collection": "Shelves" } }, `shelves/${Name.slice(6)}`);
  await session.saveChanges();
  const shelves = () => session.query<Product>({ collection: "Shelves" }).waitForNonStaleResults();
  print(names(await shelves().orderBy("Name", "AlphaNumeric").all()));
  print(names(await shelves().orderBy("Name").all()));
}

export async function randomOrderWithASeed({ store, print }: Context) {
  const session = store.openSession();
  const query = () => session.query<Product>({ collection: "Products" }).randomOrdering("seed");
  const first = names(await query().all());
  const second = names(await query().all());
  print(first.join() === second.join(), query().toString());
}

export async function pages({ store, print }: Context) {
  const session = store.openSession();
  for (let page = 0; page < 3; page++) {
    let statistics: QueryStatistics;
    const products = await session
      .query<Product>({ collection: "Products" })
      .statistics((found) => (statistics = found))
      .orderBy("Name")
      .skip(page * 4)
      .take(4)
      .all();
    print(names(products), statistics.totalResults);
  }
}

export async function statistics({ store, print }: Context) {
  const session = store.openSession();
  let statistics: QueryStatistics;
  await session
    .query<Employee>({ collection: "Employees" })
    .whereEquals("FirstName", "Anne")
    .statistics((found) => (statistics = found))
    .all();
  print(statistics.totalResults, statistics.isStale, statistics.indexName, statistics.skippedResults);
  print(statistics.timestamp instanceof Date, statistics.indexTimestamp instanceof Date, statistics.nodeTag);
}

export async function firstAndSingle({ store, print }: Context) {
  const session = store.openSession();
  const called = (name: string) =>
    session.query<Employee>({ collection: "Employees" }).whereEquals("LastName", name);
  print((await session.query<Employee>({ collection: "Employees" }).orderBy("LastName").first()).LastName);
  print((await called("Hill").single()).FirstName);
  print(await called("Nobody").firstOrNull(), await called("Nobody").singleOrNull());
}

export async function noneOrTooMany({ store, print }: Context) {
  const session = store.openSession();
  const called = (name: string) =>
    session.query<Employee>({ collection: "Employees" }).whereEquals("FirstName", name);
  for (const attempt of [
    () => called("Nobody").first(),
    () => called("Nobody").single(),
    () => called("Robert").single(),
    () => called("Robert").singleOrNull(),
  ]) {
    try {
      print((await attempt()).LastName);
    } catch (error) {
      print(error.name);
    }
  }
}

export async function countAndAny({ store, print }: Context) {
  const session = store.openSession();
  const norway = () => session.query<Order>({ collection: "Orders" }).whereEquals("ShipTo.Country", "Norway");
  print(await norway().count(), await norway().take(1).count(), await norway().longCount());
  print(await norway().any(), await norway().whereEquals("Freight", 1_000).any());
}

export async function resultsAreTracked({ store, print }: Context) {
  const session = store.openSession();
  const employee = await session
    .query<Employee>({ collection: "Employees" })
    .whereEquals("LastName", "Hill")
    .first();
  employee.Title = "Team Lead";
  await session.saveChanges();
  print((await store.openSession().load<Employee>("employees/2-A")).Title);
  print((await session.load("employees/2-A")) === employee);
}

export async function resultsThatAreNotTracked({ store, print }: Context) {
  const session = store.openSession();
  const employee = await session
    .query<Employee>({ collection: "Employees" })
    .noTracking()
    .whereEquals("LastName", "Hill")
    .first();
  employee.Title = "not saved";
  await session.saveChanges();
  print(
    (await store.openSession().load<Employee>("employees/2-A")).Title,
    session.advanced.isLoaded("employees/2-A"),
  );
}

export async function includedDocuments({ store, print }: Context) {
  const session = store.openSession();
  const orders = await session
    .query<Order>({ collection: "Orders" })
    .include("Company")
    .include("Employee")
    .all();
  for (const { Company } of orders) await session.load(Company);
  print(orders.length, session.advanced.numberOfRequests);
  const second = store.openSession();
  await second
    .query<Order>({ collection: "Orders" })
    .include((includes) => includes.includeDocuments("Lines[].Product"))
    .all();
  print(second.advanced.isLoaded("products/1-A"), second.advanced.isLoaded("products/6-A"));
}

export async function theWholeAnswer({ store, print }: Context) {
  const session = store.openSession();
  const { totalResults, results, isStale, indexName } = await session
    .query<Employee>({ collection: "Employees" })
    .whereEquals("FirstName", "Robert")
    .getQueryResult();
  print(totalResults, results.length, isStale, indexName);
}

export async function whereTheTimeGoes({ store, print }: Context) {
  const session = store.openSession();
  let timings: { durationInMs: number };
  await session
    .query<Employee>({ collection: "Employees" })
    .timings((found) => (timings = found))
    .whereEquals("FirstName", "Laura")
    .all();
  print(typeof timings.durationInMs);
}

export async function theTextOfAQuery({ store, print }: Context) {
  const session = store.openSession();
  const query = session
    .query<Employee>({ collection: "Employees" })
    .whereEquals("FirstName", "Anne")
    .whereIn("Title", ["a", "b"])
    .orderByDescending("LastName");
  print(query.toString());
  const { query: text, queryParameters } = query.getIndexQuery();
  print(text, queryParameters);
}
