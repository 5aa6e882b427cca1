// Documentation "Events" of stores and sessions.
import { DocumentStore } from "client";
import type { Context } from "../context.js";
import { Employee, type Product } from "../northwind.js";

export async function beforeStoreChangesMetadata({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.addSessionListener("beforeStore", (event) => {
    event.getDocumentMetadata().Tenant = "north";
  });
  store.initialize();
  const session = store.openSession();
  await session.store(new Employee(), "employees/tenant");
  await session.saveChanges();
  const other = store.openSession();
  const loaded = await other.load("employees/tenant");
  print(other.advanced.getMetadataFor(loaded).Tenant);
  store.dispose();
}

export async function beforeStoreChangesTheEntity({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.on("beforeStore", ({ documentId, getEntity }) => {
    print(documentId, typeof getEntity);
  });
  session.advanced.on("beforeStore", (event) => {
    (event.getEntity() as Employee).Notes.push("checked");
  });
  const employee = new Employee();
  await session.store(employee, "employees/checked");
  await session.saveChanges();
  print((await store.openSession().load<Employee>("employees/checked")).Notes);
}

export async function beforeDeleteRefuses({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.addSessionListener("beforeDelete", (event) => {
    if (event.documentId.startsWith("employees/")) throw new Error(`${event.documentId} stays`);
  });
  store.initialize();
  const session = store.openSession();
  await session.delete(await session.load("employees/1-A"));
  try {
    await session.saveChanges();
  } catch (error) {
    print(error.name, error.message);
  }
  print(await store.openSession().advanced.exists("employees/1-A"));
  store.dispose();
}

export async function afterSaveChanges({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.on("afterSaveChanges", ({ documentId, entity, documentMetadata }) => {
    print(documentId, (entity as Product).Name, documentMetadata["@collection"]);
  });
  const product = await session.load<Product>("products/1-A");
  product.Name = "Toast";
  await session.saveChanges();
}

export async function sessionsThatOpen({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.on("sessionCreated", ({ session }) => {
    session.advanced.maxNumberOfRequestsPerSession = 100;
    print("opened");
  });
  store.addSessionListener("sessionDisposing", () => print("disposing"));
  store.initialize();
  const session = store.openSession();
  print(session.advanced.maxNumberOfRequestsPerSession);
  session.dispose();
  store.dispose();
}

export async function queriesThatBegin({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.addSessionListener("beforeQuery", ({ queryCustomization }) => {
    queryCustomization.noCaching();
    print("a query");
  });
  store.initialize();
  const session = store.openSession();
  print(await session.query<Product>({ collection: "Products" }).whereEquals("Name", "Black Tea").count());
  store.dispose();
}

export async function conversionToAnEntity({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.on("beforeConversionToEntity", ({ id, document }) => {
    (document as Product).Name += " (sale)";
    print("before", id);
  });
  session.advanced.on("afterConversionToEntity", ({ id, entity }) =>
    print("after", id, (entity as Product).Name),
  );
  await session.load<Product>("products/1-A");
}

export async function conversionToADocument({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.on("beforeConversionToDocument", ({ id }) => print("before", id));
  session.advanced.on("afterConversionToDocument", (event) => {
    (event.document.value as { Stamp: number }).Stamp = 7;
  });
  await session.store({ Name: "Stamped" }, "things/stamped");
  await session.saveChanges();
  print((await store.openSession().load<{ Stamp: number }>("things/stamped")).Stamp);
}

export async function listenersThatEnd({ store, print }: Context) {
  const listener = () => print("told");
  store.addSessionListener("afterSaveChanges", listener);
  const first = store.openSession();
  await first.store({}, "things/1");
  await first.saveChanges();
  store.removeSessionListener("afterSaveChanges", listener);
  const second = store.openSession();
  await second.store({}, "things/2");
  await second.saveChanges();

  const third = store.openSession();
  third.advanced.on("afterSaveChanges", listener);
  third.advanced.removeListener("afterSaveChanges", listener);
  await third.store({}, "things/3");
  await third.saveChanges();
}

export async function listenersForOneTime({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.once("sessionCreated", () => print("opened"));
  store.initialize();
  store.openSession();
  store.openSession();
  store.dispose();
}

export async function requests({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  const told = new Promise<string>((resolve) => {
    store.addSessionListener("succeedRequest", ({ url }) => {
      if (url.includes("/docs?")) resolve(new URL(url).searchParams.get("id"));
    });
  });
  store.initialize();
  await store.openSession().load("products/1-A");
  print(await told);
  store.dispose();
}
