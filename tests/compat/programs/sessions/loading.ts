// README "Load documents", documentation "Session: Loading Entities".
import type { Context } from "../context.js";
import { Employee, type Product } from "../northwind.js";

export async function loadOneDocument({ store, print }: Context) {
  const session = store.openSession();
  const product = await session.load<Product>("products/1-A");
  print(product.Name, product.id, product.PricePerUnit);
}

export async function whatIsNotThereIsNull({ store, print }: Context) {
  print(await store.openSession().load("products/404-A"));
}

export async function loadAsAClass({ store, print }: Context) {
  const session = store.openSession();
  const one = await session.load<Employee>("employees/1-A", Employee);
  const two = await session.load<Employee>("employees/2-A", { documentType: Employee });
  print(one instanceof Employee, two instanceof Employee, two.LastName);
}

export async function loadSeveralById({ store, print }: Context) {
  const session = store.openSession();
  const products = await session.load<Product>(["products/1-A", "products/2-A", "products/404-A"]);
  for (const id of Object.keys(products)) print(id, products[id]?.Name);
  print(session.advanced.numberOfRequests);
}

export async function theSameObjectAgain({ store, print }: Context) {
  const session = store.openSession();
  const first = await session.load("employees/1-A");
  const second = await session.load("employees/1-A");
  const third = await session.load("EMPLOYEES/1-a");
  print(first === second, first === third, session.advanced.numberOfRequests);
}

export async function loadStartingWith({ store, print }: Context) {
  const session = store.openSession();
  const products = await session.advanced.loadStartingWith<Product>("products/");
  print(products.map(({ Name }) => Name));
  const some = await session.advanced.loadStartingWith<Product>("products/", { matches: "1-A|5-?" });
  print(some.map(({ id }) => id));
  const page = await session.advanced.loadStartingWith<Product>("products/", {
    start: 1,
    pageSize: 2,
    exclude: "3*",
  });
  print(page.map(({ id }) => id));
  const after = await session.advanced.loadStartingWith<Product>("products/", { startAfter: "products/4-A" });
  print(after.map(({ id }) => id));
}

export async function existsAndIsLoaded({ store, print }: Context) {
  const session = store.openSession();
  print(await session.advanced.exists("products/1-A"), await session.advanced.exists("products/404-A"));
  print(session.advanced.isLoaded("products/1-A"));
  await session.load("products/1-A");
  print(session.advanced.isLoaded("products/1-A"));
}

export async function includeARelatedDocument({ store, print }: Context) {
  const session = store.openSession();
  const product = await session.include("Category").load<Product>("products/1-A");
  const category = await session.load<{ Name: string }>(product.Category);
  print(product.Name, category.Name, session.advanced.numberOfRequests);
}

export async function includeFromAList({ store, print }: Context) {
  const session = store.openSession();
  await session.include("Company").include("Lines[].Product").load("orders/1-A");
  print(session.advanced.isLoaded("companies/1-A"));
  const products = await session.load<Product>(["products/1-A", "products/3-A"]);
  print(Object.values(products).map((product) => product.Name));
  print(session.advanced.numberOfRequests);
}

export async function includeByOptions({ store, print }: Context) {
  const session = store.openSession();
  await session.load("orders/1-A", { includes: ["Employee"] });
  await session.load("employees/2-A");
  await session.load("orders/3-A", { includes: (includes) => includes.includeDocuments("Company") });
  await session.load("companies/2-A");
  print(session.advanced.numberOfRequests);
}

export async function includeForSeveralDocuments({ store, print }: Context) {
  const session = store.openSession();
  const orders = await session.include("Company").load(["orders/1-A", "orders/3-A"]);
  print(Object.keys(orders));
  await session.load(["companies/1-A", "companies/2-A"]);
  print(session.advanced.numberOfRequests);
}

export async function tooManyRequests({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.maxNumberOfRequestsPerSession = 2;
  await session.load("products/1-A");
  await session.load("products/2-A");
  try {
    await session.load("products/3-A");
  } catch (error) {
    print(error.name);
  }
}
