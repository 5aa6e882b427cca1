// Documentation "How to Get and Modify Entity Metadata", "Document Expiration", README tests of `@metadata`.
import type { Context } from "../context.js";
import { Employee, type Product } from "../northwind.js";

export async function readTheMetadata({ store, print }: Context) {
  const session = store.openSession();
  const employee = await session.load<Employee>("employees/1-A");
  const metadata = session.advanced.getMetadataFor(employee);
  print(metadata["@collection"], metadata["@id"]);
  print(typeof metadata["@last-modified"], typeof metadata["@change-vector"]);
}

export async function addMetadataOfYourOwn({ store, print }: Context) {
  const session = store.openSession();
  const employee = new Employee();
  await session.store(employee, "employees/permits");
  const metadata = session.advanced.getMetadataFor(employee);
  metadata.Permissions = ["ReadOnly", "Print"];
  metadata.Level = { of: "trust", is: 3 };
  await session.saveChanges();

  const other = store.openSession();
  const loaded = await other.load<Employee>("employees/permits");
  const stored = other.advanced.getMetadataFor(loaded);
  print(stored.Permissions, stored.Level);
}

export async function changeMetadataOfAStoredDocument({ store, print }: Context) {
  const session = store.openSession();
  const product = await session.load<Product>("products/1-A");
  session.advanced.getMetadataFor(product).Reviewed = true;
  await session.saveChanges();

  const other = store.openSession();
  const loaded = await other.load<Product>("products/1-A");
  print(other.advanced.getMetadataFor(loaded).Reviewed, loaded.Name);
}

export async function aDocumentThatExpires({ store, print }: Context) {
  const session = store.openSession();
  const token = { Code: "secret" };
  await session.store(token, "tokens/1");
  const tomorrow = new Date(Date.UTC(2040, 0, 2, 3, 4, 5));
  session.advanced.getMetadataFor(token)["@expires"] = tomorrow.toISOString();
  await session.saveChanges();

  const other = store.openSession();
  const loaded = await other.load<{ Code: string }>("tokens/1");
  print(other.advanced.getMetadataFor(loaded)["@expires"]);
}

export async function metadataGivenWithTheObject({ store, print }: Context) {
  const session = store.openSession();
  const user = { name: "Ken", "@metadata": { "@collection": "Users", Origin: "import" } };
  await session.store(user, "users/ken");
  await session.saveChanges();

  const other = store.openSession();
  const loaded = await other.load("users/ken");
  const metadata = other.advanced.getMetadataFor(loaded);
  print(metadata["@collection"], metadata.Origin);
}

export async function theNodeTypeOfAClass({ store, print }: Context) {
  const session = store.openSession();
  await session.store(new Employee(), "employees/typed");
  await session.saveChanges();
  const loaded = await store.openSession().load("employees/typed");
  print(loaded instanceof Employee);
}
