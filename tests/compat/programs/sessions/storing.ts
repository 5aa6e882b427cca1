// README "Store documents", documentation "Session: Storing Entities" and "Saving changes".
import { DeleteCommandData, PutCommandDataBase } from "client";
import type { Context } from "../context.js";
import { Company, Employee, type Product } from "../northwind.js";

export async function storeAPlainObjectUnderItsId({ store, print }: Context) {
  const product = { id: null, title: "Radio", price: 99.99, inStock: true };
  const session = store.openSession();
  await session.store(product, "products/radio");
  print(product.id);
  await session.saveChanges();
  print(await store.openSession().load("products/radio"));
}

export async function storeAnInstanceOfAClass({ store, print }: Context) {
  const session = store.openSession();
  const employee = new Employee();
  employee.FirstName = "Nora";
  await session.store(employee);
  print(employee.id);
  await session.saveChanges();

  const loaded = await store.openSession().load<Employee>(employee.id, Employee);
  const metadata = session.advanced.getMetadataFor(employee);
  print(loaded instanceof Employee, metadata["@collection"], metadata["Raven-Node-Type"]);
}

export async function nothingIsSentBeforeSaveChanges({ store, print }: Context) {
  const session = store.openSession();
  await session.store({ Name: "Draft" }, "drafts/1");
  print(await store.openSession().load("drafts/1"), session.advanced.numberOfRequests);
  await session.saveChanges();
  print(await store.openSession().load("drafts/1"), session.advanced.numberOfRequests);
}

export async function severalDocumentsInOneRequest({ store, print }: Context) {
  const session = store.openSession();
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) {
    const company = new Company();
    company.Name = `Company ${count}`;
    await session.store(company);
    ids.push(company.id);
  }
  await session.saveChanges();
  print(ids, session.advanced.numberOfRequests);
}

export function promisesInsteadOfAwait({ store, print }: Context) {
  const session = store.openSession();
  return session
    .load<Employee>("employees/2-A")
    .then((employee) => {
      if (employee) employee.Title = "Sales Director";
    })
    .then(() => session.saveChanges())
    .then(() => store.openSession().load<Employee>("employees/2-A"))
    .then((employee) => print(employee.Title));
}

export async function theCollectionInTheMetadata({ store, print }: Context) {
  const session = store.openSession();
  const category = { Name: "Spices", "@metadata": { "@collection": "Categories" } };
  await session.store(category, "categories/spices");
  await session.saveChanges();
  const found = await store
    .openSession()
    .query<{ Name: string }>({ collection: "Categories" })
    .waitForNonStaleResults()
    .whereEquals("Name", "Spices")
    .single();
  print(found.Name);
}

export async function anObjectOfNoCollection({ store, print }: Context) {
  const session = store.openSession();
  await session.store({ Text: "no class, no collection" }, "notes/1");
  await session.saveChanges();
  const note = await session.load("notes/1");
  print(session.advanced.getMetadataFor(note)["@collection"]);
  await session.advanced.refresh(note);
  print(session.advanced.getMetadataFor(note)["@collection"]);
}

export async function twoObjectsUnderOneId({ store, print }: Context) {
  const session = store.openSession();
  await session.store({ Name: "first" }, "things/1");
  try {
    await session.store({ Name: "second" }, "things/1");
  } catch (error) {
    print(error.name);
  }
}

export async function allOrNothing({ store, print }: Context) {
  const session = store.openSession();
  await session.store({ Name: "would be stored" }, "things/1");
  await session.store({ Name: "exists" }, "products/1-A", { changeVector: "" });
  try {
    await session.saveChanges();
  } catch (error) {
    print(error.name);
  }
  print(await store.openSession().load("things/1"));
}

export async function deferCommandsToTheNextSave({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.defer(
    new PutCommandDataBase("products/999-A", null, null, {
      Name: "Deferred",
      "@metadata": { "@collection": "Products" },
    }),
    new DeleteCommandData("products/4-A", null),
  );
  print(session.advanced.hasChanges());
  await session.saveChanges();
  const products = await store.openSession().load<Product>(["products/999-A", "products/4-A"]);
  print(products["products/999-A"].Name, products["products/4-A"]);
}

export async function waitForIndexes({ store, print }: Context) {
  const session = store.openSession();
  await session.query({ collection: "Companies" }).whereEquals("Name", "nobody").all();
  const company = new Company();
  company.Name = "Fresh";
  session.advanced.waitForIndexesAfterSaveChanges({ timeout: 30_000, throwOnTimeout: true });
  await session.store(company);
  await session.saveChanges();
  print(await session.query({ collection: "Companies" }).whereEquals("Name", "Fresh").count());
}

export async function waitForReplicationOnASingleNode({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.waitForReplicationAfterSaveChanges({ replicas: 1, timeout: 300, throwOnTimeout: false });
  await session.store(new Company(), "companies/waiting");
  await session.saveChanges();
  print(await store.openSession().advanced.exists("companies/waiting"));
}

export async function aClusterWideTransaction({ store, print }: Context) {
  const session = store.openSession({ transactionMode: "ClusterWide" });
  const employee = new Employee();
  employee.FirstName = "Olga";
  await session.store(employee, "employees/olga");
  await session.saveChanges();
  const again = store.openSession({ transactionMode: "ClusterWide" });
  const loaded = await again.load<Employee>("employees/olga", Employee);
  if (loaded) loaded.FirstName = "Olga II";
  await again.saveChanges();
  print((await store.openSession().load<Employee>("employees/olga")).FirstName);
}
