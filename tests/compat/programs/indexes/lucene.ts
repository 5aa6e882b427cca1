// Documentation "Fuzzy Search", "Proximity Search", "Filter by Lucene expression": what the search engine Lucene has alone.
import { AbstractJavaScriptIndexCreationTask } from "client";
import type { Context } from "../context.js";
import type { Employee } from "../northwind.js";

class Employees_InLucene extends AbstractJavaScriptIndexCreationTask<
  Employee,
  Pick<Employee, "LastName" | "Notes">
> {
  constructor() {
    super();
    this.map("Employees", (employee) => ({ LastName: employee.LastName, Notes: employee.Notes }));
    this.index("Notes", "Search");
    this.searchEngineType = "Lucene";
  }
}

const names = (employees: Employee[]) => employees.map(({ LastName }) => LastName).sort();

export async function fuzzyTerms({ store, print }: Context) {
  await new Employees_InLucene().execute(store);
  const query = store
    .openSession()
    .query<Employee>({ indexName: "Employees/InLucene" })
    .waitForNonStaleResults()
    .whereEquals("LastName", "Stome")
    .fuzzy(0.5);
  print(names(await query.all()), query.toString());
}

export async function wordsNearEachOther({ store, print }: Context) {
  await new Employees_InLucene().execute(store);
  const query = store
    .openSession()
    .query<Employee>({ indexName: "Employees/InLucene" })
    .waitForNonStaleResults()
    .search("Notes", "speaks german")
    .proximity(2);
  print(names(await query.all()), query.toString());
}

export async function aLuceneExpression({ store, print }: Context) {
  await new Employees_InLucene().execute(store);
  const query = store
    .openSession()
    .query<Employee>({ indexName: "Employees/InLucene" })
    .waitForNonStaleResults()
    .whereLucene("LastName", "m*");
  print(names(await query.all()), query.toString());
}
