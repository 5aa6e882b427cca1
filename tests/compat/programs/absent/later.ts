// What raven-edge does not have yet: with npm `ravendb` these run, with raven-edge they fail. `../named.mjs` says of each why,
// and a test fails when one of them runs, so that it moves to its topic.
import { DatabaseSmugglerExportOptions, DocumentStore } from "client";
import type { Context } from "../context.js";

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
