// What raven-edge does not have yet: with npm `ravendb` these run, with raven-edge they fail. `../named.mjs` says of each why,
// and a test fails when one of them runs, so that it moves to its topic.
import {
  AbstractJavaScriptIndexCreationTask,
  DatabaseSmugglerExportOptions,
  DocumentStore,
  PointField,
} from "client";
import type { Context } from "../context.js";
import type { Employee, Product } from "../northwind.js";

export async function facets({ store, print }: Context) {
  class Products_Facets extends AbstractJavaScriptIndexCreationTask<Product> {
    constructor() {
      super();
      this.map("Products", ({ Category, UnitsInStock }) => ({ Category, UnitsInStock }));
    }
  }
  await new Products_Facets().execute(store);
  const found = await store
    .openSession()
    .query<Product>({ indexName: "Products/Facets" })
    .waitForNonStaleResults()
    .aggregateBy((facet) => facet.byField("Category").sumOn("UnitsInStock"))
    .execute();
  print(found.Category.values.map(({ range, sum }) => [range, sum]));
}

export async function suggestions({ store, print }: Context) {
  const found = await store
    .openSession()
    .query<Product>({ collection: "Products" })
    .suggestUsing((builder) => builder.byField("Name", "Gren"))
    .execute();
  print(Object.keys(found));
}

export async function moreLikeThis({ store, print }: Context) {
  class Employees_Alike extends AbstractJavaScriptIndexCreationTask<Employee> {
    constructor() {
      super();
      this.map("Employees", ({ Notes }) => ({ Notes }));
      this.index("Notes", "Search");
      this.store("Notes", "Yes");
    }
  }
  await new Employees_Alike().execute(store);
  const found = await store
    .openSession()
    .query<Employee>({ indexName: "Employees/Alike" })
    .waitForNonStaleResults()
    .moreLikeThis((builder) => builder.usingDocument((query) => query.whereEquals("id()", "employees/1-A")))
    .all();
  print(found.length);
}

export async function spatialQueries({ store, print }: Context) {
  const session = store.openSession();
  await session.store({ lat: 10, lng: 20, "@metadata": { "@collection": "Houses" } }, "houses/1");
  await session.saveChanges();
  const found = await session.advanced
    .documentQuery<{ lat: number; lng: number }>({ collection: "Houses" })
    .waitForNonStaleResults()
    .spatial(new PointField("lat", "lng"), (place) => place.withinRadius(100, 10, 20))
    .all();
  print(found.length);
}

export async function highlighting({ store, print }: Context) {
  let fragments: { getFragments(id: string): string[] };
  await store
    .openSession()
    .query<Employee>({ collection: "Employees" })
    .search("Notes", "french")
    .highlight({ fieldName: "Notes", fragmentCount: 1, fragmentLength: 35 }, (found) => (fragments = found))
    .all();
  print(fragments.getFragments("employees/1-A").length);
}

export async function filters({ store, print }: Context) {
  const found = await store
    .openSession()
    .query<Product>({ collection: "Products" })
    .filter((product) => product.greaterThan("PricePerUnit", 7))
    .all();
  print(found.length);
}

export async function smuggler({ store, print }: Context) {
  const operation = await store.smuggler.export(new DatabaseSmugglerExportOptions(), "/dev/null");
  await operation.waitForCompletion();
  print("exported");
}

class Customer {
  id?: string;
  firstName = "";
  homeAddress: { streetName: string } = { streetName: "" };
}

export async function fieldsInAnotherCaseOnTheServer({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.localToServerFieldNameConverter = (name) => name.charAt(0).toUpperCase() + name.slice(1);
  store.conventions.serverToLocalFieldNameConverter = (name) => name.charAt(0).toLowerCase() + name.slice(1);
  store.initialize();
  const session = store.openSession();
  const customer = new Customer();
  customer.firstName = "Mia";
  customer.homeAddress.streetName = "High Street";
  await session.store(customer, "customers/case");
  await session.saveChanges();
  const stored = await fetch(`${url}/databases/${database}/docs?id=customers/case`);
  const { Results } = await stored.json();
  print(Results[0].FirstName, Results[0].HomeAddress);
  const loaded = await store.openSession().load<Customer>("customers/case", Customer);
  print(loaded.firstName, loaded.homeAddress);
  store.dispose();
}
