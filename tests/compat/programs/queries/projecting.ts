// README `selectFields`; documentation "Project Query Results", "Group By".
import { GroupBy } from "client";
import type { Any, Context } from "../context.js";
import type { Company } from "../northwind.js";

export async function aFieldThatIsMissing({ store, print }: Context) {
  const session = store.openSession();
  const found = await session
    .query<Company & { Missing?: string }>({ collection: "Companies" })
    .whereEquals("Name", "North Star")
    .selectFields<{ Name: string; Missing?: string }>(["Name", "Missing"])
    .first();
  print(found.Name, found.Missing);
}

export async function projectionsAreNotTracked({ store, print }: Context) {
  const session = store.openSession();
  await session
    .query<Company>({ collection: "Companies" })
    .selectFields<{ Name: string }>(["Name", "Phone"])
    .all();
  print(session.advanced.isLoaded("companies/1-A"), session.advanced.hasChanges());
}

export async function groupsOfWholeLists({ store, print }: Context) {
  const session = store.openSession();
  const query = session
    .query<Any>({ collection: "Orders" })
    .groupBy(GroupBy.array("Lines[].Product"))
    .selectKey(null, "products")
    .selectCount();
  const groups = await query.all();
  print(groups.map(({ products, count }) => `${products.length}: ${count}`).sort());
}
