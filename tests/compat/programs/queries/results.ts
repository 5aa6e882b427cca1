// README `orderBy`, `single`, `noTracking`, `include`; documentation "Sort".
import type { Context } from "../context.js";
import type { Employee, Order, Product } from "../northwind.js";

const names = (products: Product[]) => products.map(({ Name }) => Name);

export async function sortAlphanumerically({ store, print }: Context) {
  const session = store.openSession();
  for (const Name of ["shelf 10", "shelf 9", "shelf 1"])
    await session.store({ Name, "@metadata": { "@collection": "Shelves" } }, `shelves/${Name.slice(6)}`);
  await session.saveChanges();
  const shelves = () => session.query<Product>({ collection: "Shelves" }).waitForNonStaleResults();
  print(names(await shelves().orderBy("Name", "AlphaNumeric").all()));
  print(names(await shelves().orderBy("Name").all()));
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
