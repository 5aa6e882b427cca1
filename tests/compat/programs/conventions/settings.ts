// Documentation "Conventions": what they are before and after `initialize()`.
import { DocumentStore } from "client";
import type { Context } from "../context.js";
import { Employee, type Product } from "../northwind.js";

export async function theMostRequestsOfASession({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.maxNumberOfRequestsPerSession = 1;
  store.initialize();
  const session = store.openSession();
  await session.load("products/1-A");
  try {
    await session.load("products/2-A");
  } catch (error) {
    print(error.name);
  }
  store.dispose();
}

export async function defaults({ url, database, print }: Context) {
  const { conventions } = new DocumentStore(url, database);
  print(
    conventions.maxNumberOfRequestsPerSession,
    conventions.identityPartsSeparator,
    conventions.identityProperty,
  );
  print(conventions.useOptimisticConcurrency, Boolean(conventions.storeDatesInUtc));
  print(conventions.readBalanceBehavior, conventions.waitForNonStaleResultsTimeout);
  print(
    conventions.waitForIndexesAfterSaveChangesTimeout,
    conventions.waitForReplicationAfterSaveChangesTimeout,
  );
}

export async function conventionsAreFrozen({ store, print }: Context) {
  try {
    store.conventions.identityPartsSeparator = "-";
  } catch {
    print("frozen by initialize()");
  }
  print(store.conventions.identityPartsSeparator);
}

export async function datesInUtc({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.storeDatesInUtc = true;
  store.initialize();
  const session = store.openSession();
  const employee = new Employee();
  employee.Birthday = new Date("2001-02-03T04:05:06.007Z");
  await session.store(employee, "employees/utc");
  await session.saveChanges();
  const stored = await fetch(`${url}/databases/${database}/docs?id=employees/utc`);
  const { Results } = await stored.json();
  print(Results[0].Birthday);
  print((await store.openSession().load<Employee>("employees/utc", Employee)).Birthday.toISOString());
  store.dispose();
}

export async function datesWithATimeZone({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.storeDatesWithTimezoneInfo = true;
  store.initialize();
  const session = store.openSession();
  const employee = new Employee();
  employee.Birthday = new Date("2001-02-03T04:05:06.007Z");
  await session.store(employee, "employees/zone");
  await session.saveChanges();
  const stored = await fetch(`${url}/databases/${database}/docs?id=employees/zone`);
  const { Results } = await stored.json();
  print(Results[0].Birthday);
  print((await store.openSession().load<Employee>("employees/zone", Employee)).Birthday.toISOString());
  store.dispose();
}

export async function withoutACache({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.maxHttpCacheSize = 0;
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  for (let round = 0; round < 2; round++)
    print((await store.openSession().load<Product>("products/1-A")).Name);
  store.dispose();
}

export async function readsInTurn({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.readBalanceBehavior = "RoundRobin";
  store.initialize();
  for (let round = 0; round < 3; round++)
    print((await store.openSession().load<Product>("products/1-A")).Name);
  store.dispose();
}

export async function entitiesThatAreNotSaved({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.shouldIgnoreEntityChanges = (_session, entity) =>
    entity instanceof Employee && entity.LastName === "Secret";
  store.initialize();
  const session = store.openSession();
  await session.store(Object.assign(new Employee(), { LastName: "Secret" }), "employees/secret");
  await session.store(Object.assign(new Employee(), { LastName: "Known" }), "employees/known");
  await session.saveChanges();
  const other = store.openSession();
  print(await other.advanced.exists("employees/secret"), await other.advanced.exists("employees/known"));
  store.dispose();
}
