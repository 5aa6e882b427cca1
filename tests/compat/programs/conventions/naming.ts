// Documentation "Conventions", "Global Identifier Generation Conventions".
import { DocumentConventions, DocumentStore } from "client";
import type { Context } from "../context.js";

class Customer {
  id?: string;
  firstName = "";
  homeAddress: { streetName: string } = { streetName: "" };
}

export async function collectionsOfClasses({ store, print }: Context) {
  const session = store.openSession();
  class Category {}
  class OrderLine {}
  class Person {}
  for (const Type of [Category, OrderLine, Person]) {
    const entity = new Type();
    await session.store(entity);
    print(session.advanced.getDocumentId(entity), session.advanced.getMetadataFor(entity)["@collection"]);
  }
}

export async function findCollectionName({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.findCollectionName = (type) =>
    type === Customer ? "Clients" : DocumentConventions.defaultGetCollectionName(type);
  store.initialize();
  const session = store.openSession();
  const customer = new Customer();
  await session.store(customer);
  await session.saveChanges();
  print(customer.id, session.advanced.getMetadataFor(customer)["@collection"]);
  print(
    store.conventions.getCollectionNameForType(Customer),
    store.conventions.getCollectionNameForEntity(customer),
  );
  store.dispose();
}

export async function prefixOfIds({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.transformClassCollectionNameToDocumentIdPrefix = (name) => `shop-${name.toLowerCase()}`;
  store.initialize();
  const customer = new Customer();
  await store.openSession().store(customer);
  print(customer.id);
  store.dispose();
}

export async function namesOfTypes({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.findJsTypeName = (type) => `models.${type.name}`;
  store.conventions.findJsType = (_id, document) =>
    document["@metadata"]?.["Raven-Node-Type"] === "models.Customer" ? Customer : null;
  store.initialize();
  const session = store.openSession();
  const customer = new Customer();
  await session.store(customer, "customers/1");
  await session.saveChanges();
  print(session.advanced.getMetadataFor(customer)["Raven-Node-Type"]);
  store.dispose();
}

export async function registeredTypes({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.registerEntityType(Customer);
  store.initialize();
  const session = store.openSession();
  await session.store(new Customer(), "customers/registered");
  await session.saveChanges();
  print((await store.openSession().load("customers/registered")) instanceof Customer);
  print((await store.openSession().query({ collection: "Customers" }).all())[0] instanceof Customer);
  store.dispose();
}

export async function objectLiteralsByADescriptor({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.registerEntityType({
    name: "Parcel",
    isType: (candidate: object) => "weight" in candidate,
    construct: (fields: object) => ({ weight: 0, ...fields }),
  });
  store.initialize();
  const session = store.openSession();
  const parcel: { id?: string; weight: number } = { weight: 2 };
  await session.store(parcel);
  await session.saveChanges();
  print(parcel.id, session.advanced.getMetadataFor(parcel)["@collection"]);
  store.dispose();
}
