// README "Getting started", documentation "What is a Document Store", "Creating a Document Store", "Opening a Session".
import { DocumentStore, type IDocumentSession, type IDocumentStore } from "client";
import type { Context } from "../context.js";
import type { Employee } from "../northwind.js";

export async function gettingStarted({ url, database, print }: Context) {
  const store: IDocumentStore = new DocumentStore(url, database);
  store.initialize();
  const session: IDocumentSession = store.openSession();
  const employee = await session.load<Employee>("employees/1-A");
  print(employee.FirstName);
  session.dispose();
  store.dispose();
}

export async function severalAddresses({ url, database, print }: Context) {
  const store = new DocumentStore([url, url], database);
  print(store.initialize() === store, store.urls.length, store.database === database);
  print(await store.openSession().advanced.exists("employees/1-A"));
  store.dispose();
}

export async function aStoreThatOpensTheDatabaseByName({ url, database, print }: Context) {
  const store = new DocumentStore(url, "another-database");
  store.initialize();
  const byName = store.openSession(database);
  print((await byName.load<Employee>("employees/1-A")).FirstName);
  const byOptions = store.openSession({ database });
  print((await byOptions.load<Employee>("employees/2-A")).FirstName);
  store.dispose();
}

export async function noSessionBeforeInitialize({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  try {
    store.openSession();
  } catch (error) {
    print(error.name);
  }
}

export async function aDatabaseThatDoesNotExist({ url, print }: Context) {
  const store = new DocumentStore(url, "there-is-no-such-database");
  store.initialize();
  try {
    await store.openSession().load("employees/1-A");
  } catch (error) {
    print(error.name);
  }
  store.dispose();
}

export async function theAddressOfTheStore({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.initialize();
  print(store.urls[0] === url, typeof store.identifier);
  store.identifier = "orders-service";
  print(store.identifier);
  store.dispose();
}

export async function aFetchOfYourOwn({ url, database, print }: Context) {
  const paths: string[] = [];
  const store = new DocumentStore(url, database);
  store.conventions.disableTopologyUpdates = true;
  store.conventions.customFetch = (address: string, init: RequestInit) => {
    paths.push(new URL(address).pathname.split("/").slice(3).join("/"));
    return fetch(address, { method: init.method, headers: init.headers, body: init.body });
  };
  store.initialize();
  await store.openSession().load("employees/1-A");
  print(paths.includes("docs"));
  store.dispose();
}

export async function sessionsOfOneStore({ store, print }: Context) {
  const one = store.openSession();
  const two = store.openSession();
  print(one === two, (await one.load("employees/1-A")) === (await two.load("employees/1-A")));
  print(one.advanced.documentStore === store, one.advanced.numberOfRequests);
}

export async function disposingAStoreTellsListeners({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.initialize();
  store.once("afterDispose", (callback) => {
    print("disposed");
    callback();
  });
  await store.openSession().load("employees/1-A");
  await new Promise<void>((resolve) => {
    store.once("executorsDisposed", () => resolve());
    store.dispose();
  });
}

export async function objectLiteralsWithAConvention({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.findCollectionNameForObjectLiteral = (entity: { collection: string }) =>
    entity.collection;
  store.initialize();
  const session = store.openSession();
  const user: { id?: string; collection: string; name: string } = { collection: "Users", name: "John" };
  await session.store(user);
  await session.saveChanges();
  print(user.id, session.advanced.getMetadataFor(user)["@collection"]);
  const found = await session.query<typeof user>({ collection: "Users" }).waitForNonStaleResults().all();
  print(found.length, found[0] === user);
  store.dispose();
}
