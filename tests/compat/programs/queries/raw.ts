// Documentation "What is RQL", "How to Query: rawQuery", "Query: documentQuery".
import type { QueryStatistics } from "client";
import type { Context } from "../context.js";
import { Employee, type Order } from "../northwind.js";

export async function aTextWithParameters({ store, print }: Context) {
  const session = store.openSession();
  const employees = await session.advanced
    .rawQuery<Employee>("from 'Employees' where FirstName = $name order by LastName")
    .addParameter("name", "Robert")
    .all();
  print(employees.map(({ LastName }) => LastName));
}

export async function resultsOfAClass({ store, print }: Context) {
  const session = store.openSession();
  const [employee] = await session.advanced
    .rawQuery("from Employees where id() = 'employees/2-A'", Employee)
    .all();
  print(employee instanceof Employee, employee.id, session.advanced.isLoaded("employees/2-A"));
}

export async function aProjectionInJavaScript({ store, print }: Context) {
  const session = store.openSession();
  const totals = await session.advanced
    .rawQuery<{ Total: number }>(
      `from Orders as o order by id() select { Total: o.Lines.map(l => l.PricePerUnit * l.Quantity).reduce((a, b) => a + b, 0) }`,
    )
    .all();
  print(totals.map(({ Total }) => Total));
}

export async function aDeclaredFunction({ store, print }: Context) {
  const session = store.openSession();
  const found = await session.advanced
    .rawQuery<{ name: string }>(
      `declare function full(e) { return { name: e.FirstName + " " + e.LastName } }
       from Employees as e order by e.LastName select full(e)`,
    )
    .all();
  print(found.map(({ name }) => name));
}

export async function aLoadedDocument({ store, print }: Context) {
  const session = store.openSession();
  const found = await session.advanced
    .rawQuery<{ Order: string; Name: string }>(
      "from Orders as o where o.Freight > 20 load o.Company as c select { Order: id(o), Name: c.Name }",
    )
    .all();
  print(found.map(({ Order, Name }) => `${Order} ${Name}`).sort());
}

export async function groupsInRql({ store, print }: Context) {
  const session = store.openSession();
  const found = await session.advanced
    .rawQuery<{ Company: string; Count: number }>(
      "from Orders group by Company order by count() as long desc select Company, count() as Count",
    )
    .all();
  print(found.map(({ Company, Count }) => [Company, Count]).sort());
}

export async function includesAndPaging({ store, print }: Context) {
  const session = store.openSession();
  let statistics: QueryStatistics;
  const orders = await session.advanced
    .rawQuery<Order>("from Orders order by Freight as double include Company")
    .statistics((found) => (statistics = found))
    .skip(1)
    .take(2)
    .all();
  print(
    orders.map(({ id, Freight }) => [id, Freight]),
    statistics.totalResults,
  );
  await session.load(orders[0].Company);
  print(session.advanced.numberOfRequests);
}

export async function documentQuery({ store, print }: Context) {
  const session = store.openSession();
  const employees = await session.advanced
    .documentQuery<Employee>({ collection: "Employees" })
    .whereEquals("Title", "Sales Representative")
    .orderBy("LastName")
    .all();
  print(employees.map(({ LastName }) => LastName));
}

export async function anUnknownIndex({ store, print }: Context) {
  const session = store.openSession();
  try {
    await session.query({ indexName: "There/Is/None" }).all();
  } catch (error) {
    print(error.name);
  }
}

export async function aTextThatIsNoRql({ store, print }: Context) {
  const session = store.openSession();
  try {
    await session.advanced.rawQuery("find everything").all();
  } catch (error) {
    print(error.name);
  }
}

export async function whatAQueryTells({ store, print }: Context) {
  const session = store.openSession();
  const query = session.query<Employee>({ collection: "Employees" }).whereEquals("LastName", "Hill");
  query.on("beforeQueryExecuted", (indexQuery) => print(indexQuery.query, indexQuery.queryParameters));
  query.on("afterQueryExecuted", ({ totalResults }) => print(totalResults));
  print((await query.all()).length);
}
