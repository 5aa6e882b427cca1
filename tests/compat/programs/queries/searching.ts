// README `search()`, documentation "Full-Text Search", "Boost Search Results".
import type { Context } from "../context.js";
import type { Employee } from "../northwind.js";

const people = (found: Employee[]) => found.map(({ LastName }) => LastName).sort();

export async function allOfTheTerms({ store, print }: Context) {
  const session = store.openSession();
  const query = session.query<Employee>({ collection: "Employees" }).search("Notes", "french german", "AND");
  print(people(await query.all()), query.toString());
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
