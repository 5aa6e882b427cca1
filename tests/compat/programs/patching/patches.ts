// README "Advanced patching", documentation "How to Perform Single Document Patch Operations".
import { PatchCommandData, PatchOperation, PatchRequest } from "client";
import type { Context } from "../context.js";
import { type Company, Employee, type Order, type OrderLine, type Product } from "../northwind.js";

export async function setAField({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.patch("products/1-A", "PricePerUnit", 4.25);
  session.advanced.patch("products/1-A", "Name", "Dark Rye");
  await session.saveChanges();
  const product = await store.openSession().load<Product>("products/1-A");
  print(product.Name, product.PricePerUnit, session.advanced.numberOfRequests);
}

export async function setAFieldOfAnEntity({ store, print }: Context) {
  const session = store.openSession();
  const company = await session.load<Company>("companies/1-A");
  session.advanced.patch(company, "Contact.Name", "Ola Dahl");
  await session.saveChanges();
  print((await store.openSession().load<Company>("companies/1-A")).Contact.Name, company.Contact.Name);
}

export async function increment({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.increment("products/1-A", "UnitsInStock", 10);
  session.advanced.increment("products/2-A", "UnitsInStock", -20);
  await session.saveChanges();
  const products = await store.openSession().load<Product>(["products/1-A", "products/2-A"]);
  print(Object.values(products).map((product) => product.UnitsInStock));
}

export async function addToAList({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.patchArray<Order, OrderLine>("orders/5-A", "Lines", (lines) =>
    lines.push({
      Product: "products/2-A",
      ProductName: "Oat Biscuits",
      PricePerUnit: 2.25,
      Quantity: 3,
      Discount: 0,
    }),
  );
  await session.saveChanges();
  const order = await store.openSession().load<Order>("orders/5-A");
  print(order.Lines.map(({ ProductName }) => ProductName));
}

export async function removeFromAList({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.patchArray<Employee, string>("employees/1-A", "Territories", (territories) =>
    territories.removeAt(0),
  );
  await session.saveChanges();
  print((await store.openSession().load<Employee>("employees/1-A")).Territories);
}

export async function changeAMap({ store, print }: Context) {
  const session = store.openSession();
  await session.store({ attributes: { color: "red", size: "xl" } }, "settings/1");
  await session.saveChanges();
  session.advanced.patchObject<{ attributes: object }, string, string>(
    "settings/1",
    "attributes",
    (attributes) => {
      attributes.set("weight", "light");
      attributes.remove("size");
    },
  );
  await session.saveChanges();
  print((await store.openSession().load<{ attributes: object }>("settings/1")).attributes);
}

export async function addOrPatch({ store, print }: Context) {
  const session = store.openSession();
  const visit = () => Object.assign(new Employee(), { FirstName: "New" });
  session.advanced.addOrPatch("employees/9-A", visit(), "FirstName", "Patched");
  session.advanced.addOrPatch("employees/2-A", visit(), "FirstName", "Patched");
  await session.saveChanges();
  const found = await store.openSession().load<Employee>(["employees/9-A", "employees/2-A"]);
  print(Object.values(found).map((employee) => employee.FirstName));
}

export async function addOrIncrement({ store, print }: Context) {
  for (let time = 0; time < 3; time++) {
    const session = store.openSession();
    session.advanced.addOrIncrement("counters/home", { Visits: 1 }, "Visits", 1);
    await session.saveChanges();
  }
  print((await store.openSession().load<{ Visits: number }>("counters/home")).Visits);
}

export async function addOrPatchArray({ store, print }: Context) {
  for (const entry of ["login", "logout"]) {
    const session = store.openSession();
    session.advanced.addOrPatchArray<{ Entries: string[] }, string>(
      "logs/1",
      { Entries: [entry] },
      "Entries",
      (entries) => entries.push(entry),
    );
    await session.saveChanges();
  }
  print((await store.openSession().load<{ Entries: string[] }>("logs/1")).Entries);
}

export async function aScriptWithArguments({ store, print }: Context) {
  const session = store.openSession();
  const request = new PatchRequest();
  request.script = "this.UnitsInStock += args.count; this.Restocked = true;";
  request.values = { count: 5 };
  session.advanced.defer(new PatchCommandData("products/4-A", null, request, null));
  await session.saveChanges();
  const product = await store.openSession().load<Product & { Restocked: boolean }>("products/4-A");
  print(product.UnitsInStock, product.Restocked);
}

export async function aScriptWhenThereIsNone({ store, print }: Context) {
  const session = store.openSession();
  const patch = PatchRequest.forScript("this.Count++;");
  const missing = PatchRequest.forScript("this.Count = 1;");
  session.advanced.defer(new PatchCommandData("tallies/1", null, patch, missing));
  await session.saveChanges();
  session.advanced.clear();
  session.advanced.defer(new PatchCommandData("tallies/1", null, patch, missing));
  await session.saveChanges();
  print((await store.openSession().load<{ Count: number }>("tallies/1")).Count);
}

export async function aPatchAsAnOperation({ store, print }: Context) {
  const patched = await store.operations.send(
    new PatchOperation("companies/1-A", null, PatchRequest.forScript("this.Phone = '999';")),
  );
  print(patched.status);
  const missing = await store.operations.send(
    new PatchOperation("companies/404-A", null, PatchRequest.forScript("this.Phone = '999';")),
  );
  print(missing.status);
  print((await store.openSession().load<Company>("companies/1-A")).Phone);
}

export async function aPatchThatMovesFields({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.defer(
    new PatchCommandData(
      "employees/1-A",
      null,
      PatchRequest.forScript(
        "this.Name = this.FirstName + ' ' + this.LastName; delete this.FirstName; delete this.LastName;",
      ),
      null,
    ),
  );
  await session.saveChanges();
  const employee = await store.openSession().load<Employee & { Name: string }>("employees/1-A");
  print(employee.Name, employee.FirstName);
}

export async function aScriptThatReadsAnotherDocument({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.defer(
    new PatchCommandData(
      "orders/1-A",
      null,
      PatchRequest.forScript(
        "for (var line of this.Lines) line.ProductName = load(line.Product).Name.toUpperCase();",
      ),
      null,
    ),
  );
  await session.saveChanges();
  print((await store.openSession().load<Order>("orders/1-A")).Lines.map(({ ProductName }) => ProductName));
}

export async function aScriptThatFails({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.defer(
    new PatchCommandData("orders/1-A", null, PatchRequest.forScript("throw 'no';"), null),
  );
  try {
    await session.saveChanges();
  } catch (error) {
    print(error.name);
  }
}
