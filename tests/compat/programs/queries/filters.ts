// Documentation "Exploration Queries", "Now and today in queries".
import { RavenQuery } from "client";
import type { Context } from "../context.js";
import type { Employee, Order, Product } from "../northwind.js";

export async function resultsOfACollection({ store, print }: Context) {
  const query = store
    .openSession()
    .query<Product>({ collection: "Products" })
    .filter((product) => product.greaterThan("PricePerUnit", 5).andAlso().lessThan("PricePerUnit", 11))
    .orderBy("Name");
  print(query.toString());
  print((await query.all()).map(({ Name }) => Name));
}

export async function resultsOfConditions({ store, print }: Context) {
  const query = store
    .openSession()
    .query<Employee>({ collection: "Employees" })
    .whereNotEquals("Address.Country", "France")
    .filter((employee) =>
      employee
        .openSubclause()
        .equals("Title", "Sales Manager")
        .orElse()
        .equals("FirstName", "Anne")
        .closeSubclause(),
    )
    .selectFields<{ FirstName: string }>(["FirstName"]);
  print((await query.all()).map(({ FirstName }) => FirstName).sort(), query.toString());
}

export async function groups({ store, print }: Context) {
  const found = await store
    .openSession()
    .query<Product>({ collection: "Products" })
    .groupBy("Category")
    .selectKey("Category")
    .filter((group) => group.notEquals("Category", "categories/2-A"))
    .selectCount()
    .orderBy("Category")
    .all();
  print(found.map((group: { Category: string; count?: number }) => [group.Category, group.count]));
}

export async function theServersTime({ store, print }: Context) {
  const orders = () => store.openSession().query<Order>({ collection: "Orders" }).waitForNonStaleResults();
  print(await orders().whereLessThan("OrderedAt", RavenQuery.now()).count());
  print(await orders().whereGreaterThan("OrderedAt", RavenQuery.now("-1d")).count());
  print(await orders().whereLessThanOrEqual("OrderedAt", RavenQuery.today()).any());
}
