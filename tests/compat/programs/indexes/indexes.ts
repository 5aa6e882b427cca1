// Documentation "Creating and Deploying Indexes", "Map Indexes", "Multi-Map Indexes", "Map-Reduce Indexes".
import {
  AbstractCsharpIndexCreationTask,
  AbstractJavaScriptIndexCreationTask,
  AbstractJavaScriptMultiMapIndexCreationTask,
  DeleteIndexOperation,
  GetIndexNamesOperation,
  GetIndexOperation,
  GetIndexStatisticsOperation,
  IndexDefinition,
  PutIndexesOperation,
  ResetIndexOperation,
  SetIndexesPriorityOperation,
  StartIndexOperation,
  StopIndexOperation,
} from "client";
import type { Context } from "../context.js";
import { type Company, Employee, type Order, type Product } from "../northwind.js";

class Employees_ByName extends AbstractJavaScriptIndexCreationTask<
  Employee,
  { FullName: string; Title: string }
> {
  constructor() {
    super();
    this.map("Employees", (employee) => ({
      FullName: `${employee.FirstName} ${employee.LastName}`,
      Title: employee.Title,
    }));
    this.store("FullName", "Yes");
  }
}

class Employees_ByNotes extends AbstractJavaScriptIndexCreationTask<Employee, { Notes: string[] }> {
  constructor() {
    super();
    this.map("Employees", (employee) => ({ Notes: employee.Notes }));
    this.index("Notes", "Search");
  }
}

class Orders_ByCompany extends AbstractJavaScriptIndexCreationTask<
  Order,
  { Company: string; Count: number; Total: number }
> {
  constructor() {
    super();
    this.map("Orders", (order) => ({
      Company: order.Company,
      Count: 1,
      Total: order.Lines.reduce((sum, line) => sum + line.PricePerUnit * line.Quantity, 0),
    }));
    this.reduce((results) =>
      results
        .groupBy((result) => result.Company)
        .aggregate((group) => ({
          Company: group.key,
          Count: group.values.reduce((sum, value) => sum + value.Count, 0),
          Total: group.values.reduce((sum, value) => sum + value.Total, 0),
        })),
    );
  }
}

class Everything_ByName extends AbstractJavaScriptMultiMapIndexCreationTask<{ Name: string }> {
  constructor() {
    super();
    this.map("Companies", (company: Company) => ({ Name: company.Name }));
    this.map("Products", (product: Product) => ({ Name: product.Name }));
  }
}

class Products_ByCategoryName extends AbstractJavaScriptIndexCreationTask<Product, { CategoryName: string }> {
  constructor() {
    super();
    const { load } = this.mapUtils();
    this.map("Products", (product) => ({
      CategoryName: (load(product.Category, "Categories") as unknown as { Name: string }).Name,
    }));
  }
}

class Employees_ByCountry extends AbstractCsharpIndexCreationTask {
  constructor() {
    super();
    this.map = `from employee in docs.Employees select new { Country = employee.Address.Country }`;
  }
}

export async function queryAnIndexByItsClass({ store, print }: Context) {
  await store.executeIndex(new Employees_ByName());
  const session = store.openSession();
  const employees = await session
    .query({ indexName: "Employees/ByName", documentType: Employee })
    .waitForNonStaleResults()
    .whereEquals("FullName" as never, "Anne Hill")
    .all();
  print(employees.length, employees[0].id, employees[0] instanceof Employee);
  const second = await session
    .query(Employee, Employees_ByName)
    .waitForNonStaleResults()
    .whereEquals("FullName" as never, "Laura Moss")
    .single();
  print(second.id);
}

export async function executeOnTheStore({ store, print }: Context) {
  const index = new Employees_ByName();
  print(index.getIndexName());
  await index.execute(store);
  print((await store.maintenance.send(new GetIndexNamesOperation(0, 100))).includes("Employees/ByName"));
}

export async function severalIndexesAtOnce({ store, print }: Context) {
  await store.executeIndexes([new Employees_ByName(), new Employees_ByNotes(), new Orders_ByCompany()]);
  const names = await store.maintenance.send(new GetIndexNamesOperation(0, 100));
  print(names.filter((name) => /By(Name|Notes|Company)$/.test(name) && !name.startsWith("Auto/")).sort());
}

export async function fullTextSearch({ store, print }: Context) {
  await new Employees_ByNotes().execute(store);
  const found = await store
    .openSession()
    .query<Employee>({ indexName: "Employees/ByNotes" })
    .waitForNonStaleResults()
    .search("Notes", "german")
    .all();
  print(found.map(({ id }) => id).sort());
}

export async function storedFields({ store, print }: Context) {
  await new Employees_ByName().execute(store);
  const found = await store
    .openSession()
    .query<{ FullName: string; Title: string }>({ indexName: "Employees/ByName" })
    .waitForNonStaleResults()
    .orderBy("FullName")
    .selectFields<{ FullName: string }>(["FullName", "Title"])
    .all();
  print(found.map(({ FullName }) => FullName));
}

export async function mapReduce({ store, print }: Context) {
  await new Orders_ByCompany().execute(store);
  const found = await store
    .openSession()
    .query<{ Company: string; Count: number; Total: number }>({ indexName: "Orders/ByCompany" })
    .waitForNonStaleResults()
    .orderByDescending("Total", "Double")
    .all();
  for (const { Company, Count, Total } of found) print(Company, Count, Total);
}

export async function multiMap({ store, print }: Context) {
  await new Everything_ByName().execute(store);
  const found = await store
    .openSession()
    .query<{ Name: string }>({ indexName: "Everything/ByName" })
    .waitForNonStaleResults()
    .whereStartsWith("Name", "g")
    .orElse()
    .whereStartsWith("Name", "h")
    .all();
  print(found.map(({ Name }) => Name).sort());
}

export async function relatedDocuments({ store, print }: Context) {
  await new Products_ByCategoryName().execute(store);
  const found = await store
    .openSession()
    .query<Product & { CategoryName: string }>({ indexName: "Products/ByCategoryName" })
    .waitForNonStaleResults()
    .whereEquals("CategoryName", "Dairy")
    .all();
  print(found.map(({ Name }) => Name).sort());
}

export async function anIndexInCSharp({ store, print }: Context) {
  await new Employees_ByCountry().execute(store);
  const count = await store
    .openSession()
    .query<{ Country: string }>({ indexName: "Employees/ByCountry" })
    .waitForNonStaleResults()
    .whereEquals("Country", "USA")
    .count();
  print(count);
}

export async function aDefinitionOfAnIndex({ store, print }: Context) {
  const definition = new IndexDefinition();
  definition.name = "OrdersByCountry";
  definition.maps = new Set(["from order in docs.Orders select new { order.ShipTo.Country }"]);
  await store.maintenance.send(new PutIndexesOperation(definition));
  const stored = await store.maintenance.send(new GetIndexOperation("OrdersByCountry"));
  print(stored.name, stored.maps.size);
  print(
    await store
      .openSession()
      .query<{ Country: string }>({ indexName: "OrdersByCountry" })
      .waitForNonStaleResults()
      .whereEquals("Country", "Norway")
      .count(),
  );
}

export async function statisticsOfAnIndex({ store, print }: Context) {
  await new Employees_ByName().execute(store);
  await store.openSession().query({ indexName: "Employees/ByName" }).waitForNonStaleResults().all();
  const statistics = await store.maintenance.send(new GetIndexStatisticsOperation("Employees/ByName"));
  print(statistics.name, statistics.entriesCount, statistics.state);
}

export async function stopAndStart({ store, print }: Context) {
  await new Employees_ByName().execute(store);
  await store.maintenance.send(new StopIndexOperation("Employees/ByName"));
  await store.maintenance.send(new StartIndexOperation("Employees/ByName"));
  await store.maintenance.send(new ResetIndexOperation("Employees/ByName"));
  print(await store.openSession().query({ indexName: "Employees/ByName" }).waitForNonStaleResults().count());
}

export async function priorityOfAnIndex({ store, print }: Context) {
  await new Employees_ByName().execute(store);
  await store.maintenance.send(new SetIndexesPriorityOperation("Employees/ByName", "High"));
  print((await store.maintenance.send(new GetIndexOperation("Employees/ByName"))).priority);
}

export async function deleteAnIndex({ store, print }: Context) {
  await new Employees_ByName().execute(store);
  await store.maintenance.send(new DeleteIndexOperation("Employees/ByName"));
  print((await store.maintenance.send(new GetIndexNamesOperation(0, 100))).includes("Employees/ByName"));
}

export async function anIndexThatDoesNotCompile({ store, print }: Context) {
  const definition = new IndexDefinition();
  definition.name = "Broken";
  definition.maps = new Set(["from order in docs.Orders select nothing at all"]);
  try {
    await store.maintenance.send(new PutIndexesOperation(definition));
  } catch (error) {
    print(error.name);
  }
}
