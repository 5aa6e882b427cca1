// README "Update documents" and "Delete documents", documentation "Session: Updating Entities", "Deleting Entities" and
// "How to Check for Changes".
import type { Context } from "../context.js";
import { Employee, type Order, Product } from "../northwind.js";

export async function changeAndSave({ store, print }: Context) {
  const session = store.openSession();
  const product = await session.load<Product>("products/1-A");
  product.UnitsInStock -= 5;
  await session.saveChanges();
  print((await store.openSession().load<Product>("products/1-A")).UnitsInStock);
}

export async function nothingChangedNothingSent({ store, print }: Context) {
  const session = store.openSession();
  await session.load<Product>("products/1-A");
  await session.saveChanges();
  print(session.advanced.numberOfRequests);
}

export async function changeAList({ store, print }: Context) {
  const session = store.openSession();
  const order = await session.load<Order>("orders/3-A");
  order.Lines.splice(1, 1);
  order.Lines[0].Quantity = 40;
  order.Lines.push({
    Product: "products/5-A",
    ProductName: "Green Tea",
    PricePerUnit: 6,
    Quantity: 1,
    Discount: 0,
  });
  await session.saveChanges();
  const saved = await store.openSession().load<Order>("orders/3-A");
  print(saved.Lines.map(({ ProductName, Quantity }) => `${Quantity} ${ProductName}`));
}

export async function addAndRemoveFields({ store, print }: Context) {
  const session = store.openSession();
  const category = await session.load<Record<string, unknown>>("categories/1-A");
  category.Description = "Bread and biscuits";
  delete category.Name;
  await session.saveChanges();
  const saved = await store.openSession().load("categories/1-A");
  print(
    Object.keys(saved)
      .filter((key) => !key.startsWith("@"))
      .sort(),
  );
}

export async function changeADate({ store, print }: Context) {
  const session = store.openSession();
  const employee = new Employee();
  employee.Birthday = new Date(1990, 4, 17);
  await session.store(employee, "employees/date");
  await session.saveChanges();

  const other = store.openSession();
  const loaded = await other.load<Employee>("employees/date", Employee);
  print(loaded.Birthday instanceof Date, loaded.Birthday.getTime() === employee.Birthday.getTime());
  loaded.Birthday = new Date(1991, 4, 17);
  await other.saveChanges();
  print((await store.openSession().load<Employee>("employees/date", Employee)).Birthday.getFullYear());
}

export async function hasChanges({ store, print }: Context) {
  const session = store.openSession();
  const employee = await session.load<Employee>("employees/1-A");
  print(session.advanced.hasChanges(), session.advanced.hasChanged(employee));
  employee.LastName = "Rock";
  print(session.advanced.hasChanges(), session.advanced.hasChanged(employee));
  employee.LastName = "Stone";
  print(session.advanced.hasChanged(employee));
}

export async function whatChanged({ store, print }: Context) {
  const session = store.openSession();
  const employee = await session.load<Employee>("employees/1-A");
  await session.store(new Product(), "products/new");
  employee.FirstName = "Bob";
  employee.Territories.push("East");
  const changes = session.advanced.whatChanged();
  for (const id of Object.keys(changes).sort())
    for (const { change, fieldName, fieldOldValue, fieldNewValue } of changes[id])
      print(id, change, fieldName, fieldOldValue, fieldNewValue);
}

export async function whatChangedForOneEntity({ store, print }: Context) {
  const session = store.openSession();
  const employee = await session.load<Employee>("employees/2-A");
  employee.Address.City = "Leeds";
  const [only, ...others] = session.advanced.whatChangedFor(employee);
  print(only.change, only.fieldName, only.fieldPath, only.fieldFullName, others);
}

export async function deleteAnEntity({ store, print }: Context) {
  const session = store.openSession();
  const product = await session.load<Product>("products/1-A");
  await session.delete(product);
  print(await session.load("products/1-A"));
  await session.saveChanges();
  print(await store.openSession().load("products/1-A"));
}

export async function deleteById({ store, print }: Context) {
  const session = store.openSession();
  await session.delete("products/1-A");
  await session.delete("products/404-A");
  await session.saveChanges();
  print(await session.load("products/1-A"), session.advanced.numberOfRequests);
}

export async function deleteWithAChangeVector({ store, print }: Context) {
  const session = store.openSession();
  const product = await session.load<Product>("products/1-A");
  const changeVector = session.advanced.getChangeVectorFor(product);

  const other = store.openSession();
  const theirs = await other.load<Product>("products/1-A");
  theirs.Name = "Changed meanwhile";
  await other.saveChanges();

  const third = store.openSession();
  await third.delete("products/1-A", changeVector);
  try {
    await third.saveChanges();
  } catch (error) {
    print(error.name);
  }
  print((await store.openSession().load<Product>("products/1-A")).Name);
}

export async function deleteWhatIsNotOfTheSession({ store, print }: Context) {
  const session = store.openSession();
  try {
    await session.delete(new Product());
  } catch (error) {
    print(error.name);
  }
}

export async function changeAndDeleteById({ store, print }: Context) {
  const session = store.openSession();
  const product = await session.load<Product>("products/1-A");
  product.Name = "Changed";
  try {
    await session.delete("products/1-A");
  } catch (error) {
    print(error.name);
  }
}
