// README "Query documents", documentation "Filter Query Results": conditions.
import type { Context } from "../context.js";
import type { Employee, Product } from "../northwind.js";

const names = (products: Product[]) => products.map(({ Name }) => Name).sort();

export async function ranges({ store, print }: Context) {
  const session = store.openSession();
  const products = () => session.query<Product>({ collection: "Products" });
  print(names(await products().whereGreaterThan("PricePerUnit", 6).all()));
  print(names(await products().whereGreaterThanOrEqual("PricePerUnit", 6).all()));
  print(names(await products().whereLessThan("UnitsInStock", 40).all()));
  print(names(await products().whereLessThanOrEqual("UnitsInStock", 40).all()));
  print(names(await products().whereBetween("UnitsInStock", 40, 80).all()));
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

export async function containsAnyAndAll({ store, print }: Context) {
  const session = store.openSession();
  const employees = () => session.query<Employee>({ collection: "Employees" });
  const last = (found: Employee[]) => found.map(({ LastName }) => LastName).sort();
  print(last(await employees().containsAny("Territories", ["North", "South"]).all()));
  print(last(await employees().containsAll("Territories", ["North", "West"]).all()));
}

export async function patterns({ store, print }: Context) {
  const session = store.openSession();
  const products = () => session.query<Product>({ collection: "Products" });
  print(names(await products().whereRegex("Name", "^(Green|Black)").all()));
}
