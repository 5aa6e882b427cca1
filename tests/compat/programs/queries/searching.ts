// README `search()`, documentation "Full-Text Search", "Boost Search Results".
import type { Context } from "../context.js";
import type { Employee } from "../northwind.js";

const people = (found: Employee[]) => found.map(({ LastName }) => LastName).sort();

export async function searchForOneTerm({ store, print }: Context) {
  const session = store.openSession();
  print(people(await session.query<Employee>({ collection: "Employees" }).search("Notes", "French").all()));
}

export async function anyOfTheTerms({ store, print }: Context) {
  const session = store.openSession();
  print(
    people(
      await session.query<Employee>({ collection: "Employees" }).search("Notes", "university books").all(),
    ),
  );
}

export async function allOfTheTerms({ store, print }: Context) {
  const session = store.openSession();
  const query = session.query<Employee>({ collection: "Employees" }).search("Notes", "french german", "AND");
  print(people(await query.all()), query.toString());
}

export async function searchInSeveralFields({ store, print }: Context) {
  const session = store.openSession();
  const query = session
    .query<Employee>({ collection: "Employees" })
    .search("Notes", "university")
    .search("Title", "manager");
  print(people(await query.all()), query.toString());
}

export async function searchAndAnotherCondition({ store, print }: Context) {
  const session = store.openSession();
  const query = session
    .query<Employee>({ collection: "Employees" })
    .search("Notes", "german")
    .andAlso()
    .whereEquals("Title", "Accountant");
  print(people(await query.all()), query.toString());
}

export async function wildcards({ store, print }: Context) {
  const session = store.openSession();
  print(people(await session.query<Employee>({ collection: "Employees" }).search("Notes", "univ*").all()));
  print(people(await session.query<Employee>({ collection: "Employees" }).search("Notes", "*aris").all()));
}

export async function boostedResults({ store, print }: Context) {
  const session = store.openSession();
  const query = session
    .query<Employee>({ collection: "Employees" })
    .search("Notes", "university")
    .boost(2)
    .search("Notes", "books")
    .boost(10)
    .orderByScore();
  print(
    (await query.all()).map(({ LastName }) => LastName),
    query.toString(),
  );
}
