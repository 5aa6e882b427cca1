// README `andAlso`, `orElse`, `not`, `openSubclause`, `usingDefaultOperator`; documentation "Filter Query Results".
import type { Context } from "../context.js";
import type { Employee } from "../northwind.js";

const people = (found: Employee[]) =>
  found.map(({ FirstName, LastName }) => `${FirstName} ${LastName}`).sort();

export async function bothConditions({ store, print }: Context) {
  const session = store.openSession();
  const employees = () => session.query<Employee>({ collection: "Employees" });
  print(
    people(await employees().whereEquals("FirstName", "Robert").whereEquals("Address.Country", "USA").all()),
  );
  const same = employees().whereEquals("FirstName", "Robert").andAlso().whereEquals("Address.Country", "USA");
  print(people(await same.all()), same.toString());
}

export async function eitherCondition({ store, print }: Context) {
  const session = store.openSession();
  const query = session
    .query<Employee>({ collection: "Employees" })
    .whereEquals("Title", "Accountant")
    .orElse()
    .whereEquals("FirstName", "Anne");
  print(people(await query.all()), query.toString());
}

export async function aSubclause({ store, print }: Context) {
  const session = store.openSession();
  const query = session
    .query<Employee>({ collection: "Employees" })
    .whereEquals("FirstName", "Anne")
    .orElse()
    .openSubclause()
    .whereEquals("FirstName", "Robert")
    .andAlso()
    .whereNotEquals("LastName", "Stone")
    .closeSubclause();
  print(people(await query.all()), query.toString());
}

export async function negation({ store, print }: Context) {
  const session = store.openSession();
  const query = session.query<Employee>({ collection: "Employees" }).not().whereEquals("FirstName", "Robert");
  print(people(await query.all()), query.toString());
  const second = session
    .query<Employee>({ collection: "Employees" })
    .whereEquals("Address.Country", "USA")
    .andAlso()
    .not()
    .whereStartsWith("LastName", "M");
  print(people(await second.all()), second.toString());
}

export async function anotherDefaultOperator({ store, print }: Context) {
  const session = store.openSession();
  const query = session
    .query<Employee>({ collection: "Employees" })
    .usingDefaultOperator("OR")
    .whereEquals("LastName", "Hill")
    .whereEquals("LastName", "Moss");
  print(people(await query.all()), query.toString());
}

export async function thePreviousClausesInBrackets({ store, print }: Context) {
  const session = store.openSession();
  const query = session
    .query<Employee>({ collection: "Employees" })
    .whereEquals("LastName", "Hill")
    .orElse()
    .whereEquals("LastName", "Moss")
    .andAlso(true)
    .whereEquals("Address.City", "Seattle");
  print(people(await query.all()), query.toString());
}

export async function aQueryBuiltStepByStep({ store, print }: Context) {
  const session = store.openSession();
  let query = session.query<Employee>({ collection: "Employees" });
  const filter: { title?: string; country?: string } = { country: "UK" };
  if (filter.title) query = query.whereEquals("Title", filter.title);
  if (filter.country) query = query.whereEquals("Address.Country", filter.country);
  print(people(await query.orderBy("LastName").all()), query.toString());
}
