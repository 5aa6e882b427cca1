// README `not`; documentation "Filter Query Results".
import type { Context } from "../context.js";
import type { Employee } from "../northwind.js";

const people = (found: Employee[]) =>
  found.map(({ FirstName, LastName }) => `${FirstName} ${LastName}`).sort();

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
