// README "Query documents", documentation "Filter Query Results": conditions.
import type { Context } from "../context.js";
import { Employee, type Order, type Product } from "../northwind.js";

const names = (products: Product[]) => products.map(({ Name }) => Name).sort();

export async function allOfACollection({ store, print }: Context) {
  const session = store.openSession();
  print(names(await session.query<Product>({ collection: "Products" }).all()));
}

export async function allOfAClass({ store, print }: Context) {
  const session = store.openSession();
  const employees = await session.query(Employee).all();
  print(
    employees.length,
    employees.every((employee) => employee instanceof Employee),
  );
}

export async function equality({ store, print }: Context) {
  const session = store.openSession();
  const products = () => session.query<Product>({ collection: "Products" });
  print(names(await products().whereEquals("Category", "categories/2-A").all()));
  print(names(await products().whereNotEquals("Category", "categories/2-A").all()));
  print(names(await products().whereEquals("Discontinued", true).all()));
  print(names(await products().whereEquals("Name", "green tea").all()));
  print(names(await products().whereEquals("Name", "green tea", true).all()));
}

export async function oneOfSeveralValues({ store, print }: Context) {
  const session = store.openSession();
  print(
    names(
      await session
        .query<Product>({ collection: "Products" })
        .whereIn("Name", ["Rye Bread", "Black Tea"])
        .all(),
    ),
  );
  print(names(await session.query<Product>({ collection: "Products" }).whereIn("Name", []).all()));
}

export async function ranges({ store, print }: Context) {
  const session = store.openSession();
  const products = () => session.query<Product>({ collection: "Products" });
  print(names(await products().whereGreaterThan("PricePerUnit", 6).all()));
  print(names(await products().whereGreaterThanOrEqual("PricePerUnit", 6).all()));
  print(names(await products().whereLessThan("UnitsInStock", 40).all()));
  print(names(await products().whereLessThanOrEqual("UnitsInStock", 40).all()));
  print(names(await products().whereBetween("UnitsInStock", 40, 80).all()));
}

export async function datesBetween({ store, print }: Context) {
  const session = store.openSession();
  const orders = await session
    .query<Order>({ collection: "Orders" })
    .whereBetween("OrderedAt", "2024-02-01", "2024-02-28")
    .all();
  print(orders.map(({ id }) => id).sort());
}

export async function beginningsAndEnds({ store, print }: Context) {
  const session = store.openSession();
  const products = () => session.query<Product>({ collection: "Products" });
  print(names(await products().whereStartsWith("Name", "gr").all()));
  print(names(await products().whereEndsWith("Name", "cheese").all()));
}

export async function fieldsThatExist({ store, print }: Context) {
  const session = store.openSession();
  await session.store(
    { Name: "With a note", Note: "x", "@metadata": { "@collection": "Products" } },
    "products/note",
  );
  await session.saveChanges();
  const products = await session
    .query<Product & { Note?: string }>({ collection: "Products" })
    .waitForNonStaleResults()
    .whereExists("Note")
    .all();
  print(names(products));
}

export async function nestedFieldsAndLists({ store, print }: Context) {
  const session = store.openSession();
  const orders = () => session.query<Order>({ collection: "Orders" });
  print(await orders().whereEquals("ShipTo.Country", "Norway").count());
  print(await orders().whereEquals("Lines[].ProductName", "Goat Cheese").count());
}

export async function containsAnyAndAll({ store, print }: Context) {
  const session = store.openSession();
  const employees = () => session.query<Employee>({ collection: "Employees" });
  const last = (found: Employee[]) => found.map(({ LastName }) => LastName).sort();
  print(last(await employees().containsAny("Territories", ["North", "South"]).all()));
  print(last(await employees().containsAll("Territories", ["North", "West"]).all()));
}

export async function byId({ store, print }: Context) {
  const session = store.openSession();
  const employees = () => session.query<Employee>({ collection: "Employees" });
  print((await employees().whereEquals("id", "employees/2-A").single()).FirstName);
  print((await employees().whereEquals("id()", "employees/2-A").single()).FirstName);
  print((await employees().whereIn("id", ["employees/1-A", "employees/3-A"]).all()).length);
  print((await employees().whereStartsWith("id", "employees/").all()).length);
}

export async function patterns({ store, print }: Context) {
  const session = store.openSession();
  const products = () => session.query<Product>({ collection: "Products" });
  print(names(await products().whereRegex("Name", "^(Green|Black)").all()));
}

export async function nullValues({ store, print }: Context) {
  const session = store.openSession();
  const employees = () => session.query<Employee>({ collection: "Employees" });
  print((await employees().whereEquals("ReportsTo", null).all()).map(({ id }) => id));
  print(await employees().whereNotEquals("ReportsTo", null).count());
}
