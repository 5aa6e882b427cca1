// Every kind of query in use; checked, never run.
import {
  type DocumentSession,
  type FieldOf,
  GroupBy,
  type QueryStatistics,
  type QueryTimings,
} from "raven-edge";

class Order {
  id?: string;
  total = 0;
  customer = "";
  lines: { product: string; tags: string[] }[] = [];
  address?: { city: string; at: Date };
  double(): number {
    return this.total * 2;
  }
}

const fields: FieldOf<Order>[] = [
  "id",
  "total",
  "lines[]",
  "lines[].product",
  "lines[].tags[]",
  "address.city",
  "@metadata.@collection",
];

async function use(session: DocumentSession): Promise<void> {
  let statistics: QueryStatistics | undefined;
  let timings: QueryTimings | undefined;
  const orders: Order[] = await session
    .query<Order>({ collection: "Orders" })
    .whereEquals("address.city", "x")
    .andAlso()
    .whereIn("lines[].product", new Set(["products/1"]))
    .orderByDescending("total", "Double")
    .orderBy("customer", "Last", "AlphaNumeric")
    .orderBy("customer", { sorterName: "mine", nullsOrdering: "First" })
    .include((includes) => includes.includeDocuments("customer"))
    .statistics((found) => {
      statistics = found;
    })
    .timings((found) => {
      timings = found;
    })
    .waitForNonStaleResults(1_000)
    .skip(1)
    .take(10)
    .all();
  const one: Order | null = await session.query(Order).firstOrNull();
  const customers: string[] = await session.query(Order).selectFields<string>("customer").all();
  const parts: { total: number }[] = await session
    .query(Order)
    .selectFields<{ total: number }>(["total"])
    .all();
  const sums: unknown[] = await session
    .query(Order)
    .groupBy("customer", GroupBy.array("lines[].tags"))
    .selectKey("customer", "who")
    .selectSum({ fieldName: "total", projectedName: "sum" })
    .orderBy("sum")
    .all();
  await session.query<Order, string>({ indexName: "Orders/Totals" }).whereEquals("of the index", 1).any();
  await session.query({ collection: "Anything" }).whereEquals("whatever", 1).count();
  await session.advanced.rawQuery<Order>("from Orders where total > $t").addParameter("t", 1).single();
  for await (const order of session.query(Order)) order.double();
  const [lazy, count] = [session.query(Order).lazily(), session.query(Order).countLazily()];
  const later: [Order[], number] = [await lazy.getValue(), await count.getValue()];
  // Any text is a field: of an index, of metadata, of a document that the class does not describe.
  session.query(Order).whereEquals("totel", 1).orderBy("double").whereEquals("lines[].prodact", 1);
  // @ts-expect-error not a number
  session.query(Order).take("5");
  void [orders, one, customers, parts, sums, later, statistics?.totalResults, timings?.durationInMs, fields];
}

export { use };
