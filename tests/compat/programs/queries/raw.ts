// Documentation "What is RQL", "How to Query: rawQuery".
import type { QueryStatistics } from "client";
import type { Context } from "../context.js";
import { Employee, type Order } from "../northwind.js";

export async function resultsOfAClass({ store, print }: Context) {
  const session = store.openSession();
  const [employee] = await session.advanced
    .rawQuery("from Employees where id() = 'employees/2-A'", Employee)
    .all();
  print(employee instanceof Employee, employee.id, session.advanced.isLoaded("employees/2-A"));
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

export async function whatAQueryTells({ store, print }: Context) {
  const session = store.openSession();
  const query = session.query<Employee>({ collection: "Employees" }).whereEquals("LastName", "Hill");
  query.on("beforeQueryExecuted", (indexQuery) => print(indexQuery.query, indexQuery.queryParameters));
  query.on("afterQueryExecuted", ({ totalResults }) => print(totalResults));
  print((await query.all()).length);
}
