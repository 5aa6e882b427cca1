// Documentation "What is a Session and How Does it Work", "How to Evict", "Clear", "Refresh", "Ignore Entity Changes",
// "Disable Tracking", "How to Get Tracked Entities".
import type { Context } from "../context.js";
import { Employee, type Product } from "../northwind.js";

export async function evictForgetsOneEntity({ store, print }: Context) {
  const session = store.openSession();
  const first = await session.load<Product>("products/1-A");
  first.Name = "not saved";
  session.advanced.evict(first);
  await session.saveChanges();
  const second = await session.load<Product>("products/1-A");
  print(first === second, second.Name, session.advanced.numberOfRequests);
}

export async function evictBeforeSaving({ store, print }: Context) {
  const session = store.openSession();
  const kept = new Employee();
  const evicted = new Employee();
  await session.store(kept, "employees/kept");
  await session.store(evicted, "employees/evicted");
  session.advanced.evict(evicted);
  await session.saveChanges();
  const other = store.openSession();
  print(await other.advanced.exists("employees/kept"), await other.advanced.exists("employees/evicted"));
}

export async function clearForgetsAll({ store, print }: Context) {
  const session = store.openSession();
  await session.store(new Employee(), "employees/cleared");
  await session.load("products/1-A");
  session.advanced.clear();
  print(session.advanced.hasChanges(), session.advanced.isLoaded("products/1-A"));
  await session.saveChanges();
  print(await session.advanced.exists("employees/cleared"));
}

export async function refreshReadsAgain({ store, print }: Context) {
  const session = store.openSession();
  const mine = await session.load<Product>("products/1-A");

  const other = store.openSession();
  const theirs = await other.load<Product>("products/1-A");
  theirs.PricePerUnit = 4.5;
  await other.saveChanges();

  print(mine.PricePerUnit);
  await session.advanced.refresh(mine);
  print(mine.PricePerUnit, (await session.load("products/1-A")) === mine);
}

export async function refreshSeveral({ store, print }: Context) {
  const session = store.openSession();
  const found = await session.load<Product>(["products/1-A", "products/2-A"]);
  const products = Object.values(found);
  for (const product of products) product.Name = "local";
  await session.advanced.refresh(products);
  print(
    products.map(({ Name }) => Name),
    session.advanced.numberOfRequests,
  );
}

export async function ignoreChangesOfAnEntity({ store, print }: Context) {
  const session = store.openSession();
  const product = await session.load<Product>("products/1-A");
  session.advanced.ignoreChangesFor(product);
  product.UnitsInStock = 0;
  await session.saveChanges();
  print((await store.openSession().load<Product>("products/1-A")).UnitsInStock);
}

export async function aSessionWithoutTracking({ store, print }: Context) {
  const session = store.openSession({ noTracking: true });
  const first = await session.load<Employee>("employees/1-A");
  const second = await session.load<Employee>("employees/1-A");
  print(first === second, first.FirstName, session.advanced.numberOfRequests);
  try {
    await session.store(new Employee());
  } catch (error) {
    print(error.name);
  }
}

export async function idAndChangeVectorOfAnEntity({ store, print }: Context) {
  const session = store.openSession();
  const employee = await session.load<Employee>("employees/1-A");
  print(session.advanced.getDocumentId(employee));
  print(session.advanced.getChangeVectorFor(employee).includes("A:"));
  print(session.advanced.getLastModifiedFor(employee) instanceof Date);
  print(session.advanced.getDocumentId({}));
}

export async function aSavedEntityHasANewChangeVector({ store, print }: Context) {
  const session = store.openSession();
  const employee = await session.load<Employee>("employees/1-A");
  const before = session.advanced.getChangeVectorFor(employee);
  employee.Title = "Head of Sales";
  await session.saveChanges();
  const after = session.advanced.getChangeVectorFor(employee);
  const fresh = store.openSession();
  const loaded = await fresh.load<Employee>("employees/1-A");
  print(before === after, fresh.advanced.getChangeVectorFor(loaded) === after);
}

export async function trackedEntities({ store, print }: Context) {
  const session = store.openSession();
  await session.load("employees/1-A");
  await session.store(new Employee(), "employees/new");
  await session.delete("products/1-A");
  for (const [id, { isDeleted, entity }] of session.advanced.getTrackedEntities())
    print(id, isDeleted, entity !== null && entity !== undefined);
}

export async function aSessionIsAUnitOfWork({ store, print }: Context) {
  const session = store.openSession();
  await session.store(Object.assign(new Employee(), { FirstName: "Iris" }), "employees/iris");
  const manager = await session.load<Employee>("employees/1-A");
  manager.Notes.push("Manages Iris");
  await session.delete("employees/4-A");
  await session.saveChanges();
  const found = await store
    .openSession()
    .load<Employee>(["employees/iris", "employees/1-A", "employees/4-A"]);
  print(found["employees/iris"].FirstName, found["employees/1-A"].Notes.length, found["employees/4-A"]);
}
