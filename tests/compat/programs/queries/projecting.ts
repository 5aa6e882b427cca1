// README `selectFields`, `distinct`; documentation "Project Query Results", "Group By", "Index Query with Projection".
import { GroupBy, QueryData } from "client";
import type { Any, Context } from "../context.js";
import type { Company, Employee } from "../northwind.js";

class NameAndCity {
  Name = "";
  City = "";
}

class FullNameAndNotes {
  Full = "";
  Notes = 0;
}

export async function oneField({ store, print }: Context) {
  const session = store.openSession();
  print(await session.query({ collection: "Companies" }).orderBy("Name").selectFields<string>("Name").all());
}

export async function severalFields({ store, print }: Context) {
  const session = store.openSession();
  const found = await session
    .query<Company>({ collection: "Companies" })
    .orderBy("Name")
    .selectFields<{ Name: string; Phone: string }>(["Name", "Phone"])
    .all();
  for (const { Name, Phone } of found) print(Name, Phone);
}

export async function ofAClass({ store, print }: Context) {
  const session = store.openSession();
  const [first] = await session
    .query<Company & { City: string }>({ collection: "Companies" })
    .orderBy("Name")
    .selectFields(["Name", "Phone"], NameAndCity)
    .all();
  print(first instanceof NameAndCity, first.Name, first.City);
}

export async function fieldsUnderOtherNames({ store, print }: Context) {
  const session = store.openSession();
  const data = new QueryData(["Name", "Address.City"], ["Name", "City"]);
  const found = await session
    .query<Company>({ collection: "Companies" })
    .orderBy("Name")
    .selectFields(data, NameAndCity)
    .all();
  for (const { Name, City } of found) print(Name, City);
}

export async function aFunctionOfTheDocument({ store, print }: Context) {
  const session = store.openSession();
  const data = QueryData.customFunction(
    "e",
    "{ Full: e.FirstName + ' ' + e.LastName, Notes: e.Notes.length }",
  );
  const found = await session
    .query<Employee>({ collection: "Employees" })
    .orderBy("LastName")
    .selectFields(data, FullNameAndNotes)
    .all();
  for (const { Full, Notes } of found) print(Full, Notes);
}

export async function distinctValues({ store, print }: Context) {
  const session = store.openSession();
  const query = session
    .query<Employee>({ collection: "Employees" })
    .selectFields<string>("FirstName")
    .distinct();
  print((await query.all()).sort());
}

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

export async function groupsAndTheirSizes({ store, print }: Context) {
  const session = store.openSession();
  const groups = await session
    .query<Any>({ collection: "Orders" })
    .groupBy("Company")
    .selectKey("Company")
    .selectCount()
    .all();
  for (const { Company, count } of groups) print(Company, count);
}

export async function groupsAndTheirSums({ store, print }: Context) {
  const session = store.openSession();
  const groups = await session
    .query<Any>({ collection: "Orders" })
    .groupBy("ShipTo.Country")
    .selectKey("ShipTo.Country", "country")
    .selectSum({ fieldName: "Freight", projectedName: "freight" })
    .all();
  for (const { country, freight } of groups) print(country, freight);
}

export async function groupsOfTwoFields({ store, print }: Context) {
  const session = store.openSession();
  const query = session
    .query<Any>({ collection: "Orders" })
    .groupBy("Company", "Employee")
    .selectKey("Company", "company")
    .selectKey("Employee", "employee")
    .selectCount();
  print((await query.all()).length, query.toString());
}

export async function groupsOfListItems({ store, print }: Context) {
  const session = store.openSession();
  const groups = await session
    .query<Any>({ collection: "Orders" })
    .groupBy("Lines[].Product")
    .selectKey("Lines[].Product", "product")
    .selectCount()
    .all();
  print(groups.map(({ product, count }) => [product, count]));
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
