// Documentation "Highlight Search Results", "Include Query Explanations", "Include Query Timings".
import {
  AbstractJavaScriptIndexCreationTask,
  type Explanations,
  type Highlightings,
  type QueryTimings,
} from "client";
import type { Context } from "../context.js";
import type { Employee, Product } from "../northwind.js";

class Employees_Notes extends AbstractJavaScriptIndexCreationTask<Employee> {
  constructor() {
    super();
    this.map("Employees", ({ Notes }) => ({ Notes }));
    this.store("Notes", "Yes");
    this.index("Notes", "Search");
    this.termVector("Notes", "WithPositionsAndOffsets");
    this.searchEngineType = "Lucene";
  }
}

export async function fragmentsWithOwnTags({ store, print }: Context) {
  await new Employees_Notes().execute(store);
  let found: Highlightings;
  const employees = await store
    .openSession()
    .query<Employee>({ indexName: "Employees/Notes" })
    .waitForNonStaleResults()
    .search("Notes", "french university")
    .highlight(
      { fieldName: "Notes", fragmentLength: 50, fragmentCount: 1, preTags: ["<i>"], postTags: ["</i>"] },
      (given) => (found = given),
    )
    .all();
  print(found.fieldName, found.resultIndents.sort());
  for (const { id } of employees) print(id, found.getFragments(id));
}

export async function explanations({ store, print }: Context) {
  await new Employees_Notes().execute(store);
  let found: Explanations;
  const employees = await store
    .openSession()
    .query<Employee>({ indexName: "Employees/Notes" })
    .waitForNonStaleResults()
    .includeExplanations((given) => (found = given))
    .search("Notes", "french university")
    .all();
  print(employees.length, Object.keys(found.explanations).sort());
  for (const { id } of employees) print(id, found.explanations[id].length > 0);
}

export async function timings({ store, print }: Context) {
  let found: QueryTimings;
  await store
    .openSession()
    .query<Product>({ collection: "Products" })
    .timings((given) => (found = given))
    .whereEquals("Name", "Green Tea")
    .noCaching()
    .all();
  print(found.durationInMs >= 0, Object.keys(found.timings).length > 0);
}
