// Documentation "Document Identifier Generation", "Working with Document Identifiers", "Identities", "HiLo Algorithm".
import {
  DocumentStore,
  GetIdentitiesOperation,
  HiloIdGenerator,
  NextIdentityForCommand,
  NextIdentityForOperation,
  SeedIdentityForCommand,
  SeedIdentityForOperation,
} from "client";
import type { Context } from "../context.js";
import { Company, Employee } from "../northwind.js";

class Invoice {
  id?: string;
  Total = 0;
}

export async function theClientMakesTheId({ store, print }: Context) {
  const session = store.openSession();
  const first = new Invoice();
  const second = new Invoice();
  await session.store(first);
  await session.store(second);
  print(first.id, second.id, session.advanced.numberOfRequests);
}

export async function theAppMakesTheId({ store, print }: Context) {
  const session = store.openSession();
  const byArgument = new Company();
  await session.store(byArgument, "companies/harbour");
  const byProperty = new Company();
  byProperty.id = "companies/north-star";
  await session.store(byProperty);
  await session.saveChanges();
  print(byArgument.id, byProperty.id, session.advanced.getDocumentId(byProperty));
}

export async function theServerMakesTheId({ store, print }: Context) {
  const session = store.openSession();
  const company = new Company();
  await session.store(company, "companies/");
  await session.saveChanges();
  print(/^companies\/\d{19}-A$/.test(company.id));
}

export async function theClusterMakesTheId({ store, print }: Context) {
  const session = store.openSession();
  const companies = [new Company(), new Company(), new Company()];
  for (const company of companies) await session.store(company, "companies|");
  await session.saveChanges();
  print(companies.map(({ id }) => id));
}

export async function identitiesByOperation({ store, print }: Context) {
  print(await store.maintenance.send(new NextIdentityForOperation("companies|")));
  print(await store.maintenance.send(new NextIdentityForOperation("companies|")));
  print(await store.maintenance.send(new SeedIdentityForOperation("companies|", 1_994)));
  print(await store.maintenance.send(new SeedIdentityForOperation("companies|", 7)));
  print(await store.maintenance.send(new SeedIdentityForOperation("companies|", 7, true)));
  print(await store.maintenance.send(new GetIdentitiesOperation()));
}

export async function identitiesByCommand({ store, print }: Context) {
  const command = new NextIdentityForCommand("products");
  await store.getRequestExecutor().execute(command);
  print(command.result);
  const seed = new SeedIdentityForCommand("products", 100);
  await store.getRequestExecutor().execute(seed);
  print(seed.result);
}

export async function anIdConventionForAClass({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.registerIdConvention(Employee, (_database, entity) => {
    const { LastName, FirstName } = entity as Employee;
    return Promise.resolve(`employees/${LastName}/${FirstName}`);
  });
  store.initialize();
  const session = store.openSession();
  const employee = Object.assign(new Employee(), { FirstName: "Ada", LastName: "Page" });
  await session.store(employee);
  const company = new Company();
  await session.store(company);
  print(employee.id, company.id);
  store.dispose();
}

export async function anIdConventionForDerivedClasses({ url, database, print }: Context) {
  class Manager extends Employee {}
  const store = new DocumentStore(url, database);
  store.conventions.registerIdConvention(
    Employee,
    async (_database, entity) => `staff/${(entity as Employee).LastName}`,
  );
  store.initialize();
  const session = store.openSession();
  const manager = Object.assign(new Manager(), { LastName: "Reed" });
  await session.store(manager);
  print(manager.id);
  store.dispose();
}

export async function anotherPropertyForTheId({ url, database, print }: Context) {
  class Ticket {
    number?: string;
    text = "";
  }
  const store = new DocumentStore(url, database);
  store.conventions.registerEntityIdPropertyName(Ticket, "number");
  store.initialize();
  const session = store.openSession();
  const ticket = new Ticket();
  await session.store(ticket);
  await session.saveChanges();
  const loaded = await store.openSession().load<Ticket>(ticket.number, Ticket);
  print(ticket.number, loaded.number, store.conventions.getIdentityProperty(Ticket));
  store.dispose();
}

export async function anotherSeparator({ url, database, print }: Context) {
  const store = new DocumentStore(url, database);
  store.conventions.identityPartsSeparator = "-";
  store.initialize();
  const invoice = new Invoice();
  await store.openSession().store(invoice);
  print(invoice.id);
  store.dispose();
}

export async function nextNumberOfACollection({ store, print }: Context) {
  const generator = store.hiLoIdGenerator;
  print(await generator.generateNextIdFor(null, new Invoice()));
  print(await generator.generateNextIdFor(null, "Invoices"));
}

export async function aGeneratorForATag({ store, database, print }: Context) {
  const generator = new HiloIdGenerator("receipts", store, database, "/");
  const { id } = await generator.getNextId();
  print(id, await generator.generateDocumentId({}));
  await generator.returnUnusedRange();
}

export async function eachCollectionHasItsOwnNumbers({ store, print }: Context) {
  const session = store.openSession();
  const ids: unknown[] = [];
  for (const entity of [new Invoice(), new Company(), new Invoice()]) {
    await session.store(entity);
    ids.push(session.advanced.getDocumentId(entity));
  }
  print(ids);
}
