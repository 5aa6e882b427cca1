// Documentation "How to Perform Set Based Operations": patch and delete by query.
import { DeleteByQueryOperation, IndexQuery, PatchByQueryOperation } from "client";
import type { Any, Context } from "../context.js";
import type { Order, Product } from "../northwind.js";

/** Waits for the index in place of "Index is stale". */
const UP_TO_DATE = {
  allowStale: false,
  staleTimeout: 60_000,
  maxOpsPerSecond: 1_000,
  retrieveDetails: false,
};

export async function patchAllOfACollection({ store, print }: Context) {
  const operation = await store.operations.send(
    new PatchByQueryOperation("from Products update { this.PricePerUnit = this.PricePerUnit * 2; }"),
  );
  await operation.waitForCompletion();
  const products = await store.openSession().advanced.loadStartingWith<Product>("products/");
  print(products.map(({ PricePerUnit }) => PricePerUnit));
}

export async function patchWithParameters({ store, print }: Context) {
  const query = new IndexQuery(
    "from Products where Category = $category update { this.Discontinued = $value; }",
  );
  query.queryParameters = { category: "categories/3-A", value: true } as Any;
  const operation = await store.operations.send(new PatchByQueryOperation(query, UP_TO_DATE));
  await operation.waitForCompletion();
  const products = await store.openSession().advanced.loadStartingWith<Product>("products/");
  print(products.filter(({ Discontinued }) => Discontinued).map(({ Name }) => Name));
}

export async function patchAndQuery({ store, print }: Context) {
  const query = new IndexQuery("from Products where UnitsInStock < 50 update { this.Low = true; }");
  const operation = await store.operations.send(new PatchByQueryOperation(query, UP_TO_DATE));
  await operation.waitForCompletion();
  const found = await store
    .openSession()
    .query<Product & { Low: boolean }>({ collection: "Products" })
    .waitForNonStaleResults()
    .whereEquals("Low", true)
    .count();
  print(found);
}

export async function deleteByQuery({ store, print }: Context) {
  const operation = await store.operations.send(
    new DeleteByQueryOperation(new IndexQuery("from Products where Discontinued = true"), UP_TO_DATE),
  );
  await operation.waitForCompletion();
  print(await store.openSession().query({ collection: "Products" }).waitForNonStaleResults().count());
}

export async function deleteByAnIndexQuery({ store, print }: Context) {
  const query = new IndexQuery("from Orders where ShipTo.Country = $country");
  query.queryParameters = { country: "Norway" } as Any;
  const operation = await store.operations.send(new DeleteByQueryOperation(query, UP_TO_DATE));
  await operation.waitForCompletion();
  const left = await store.openSession().advanced.loadStartingWith<Order>("orders/");
  print(left.map(({ id }) => id));
}

export async function aScriptThatThrows({ store, print }: Context) {
  try {
    const operation = await store.operations.send(
      new PatchByQueryOperation("from Products update { throw 'no'; }"),
    );
    await operation.waitForCompletion();
  } catch (error) {
    print(error.name);
  }
}
