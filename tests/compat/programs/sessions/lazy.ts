// Documentation "How to Perform Operations Lazily" and "Conditional Load".
import type { Context } from "../context.js";
import { type Employee, type Order, Product } from "../northwind.js";

export async function aLazyLoad({ store, print }: Context) {
  const session = store.openSession();
  const lazy = session.advanced.lazily.load<Employee>("employees/1-A");
  print(session.advanced.numberOfRequests);
  const employee = await lazy.getValue();
  print(employee.FirstName, session.advanced.numberOfRequests);
}

export async function severalLazyOperationsInOneRequest({ store, print }: Context) {
  const session = store.openSession();
  const employee = session.advanced.lazily.load<Employee>("employees/1-A");
  const products = session.advanced.lazily.load<Product>(["products/1-A", "products/2-A"]);
  const orders = session
    .query<Order>({ collection: "Orders" })
    .whereEquals("Company", "companies/1-A")
    .lazily();
  await session.advanced.eagerly.executeAllPendingLazyOperations();
  print(session.advanced.numberOfRequests);
  print(
    (await employee.getValue()).LastName,
    Object.keys(await products.getValue()),
    (await orders.getValue()).length,
  );
  print(session.advanced.numberOfRequests);
}

export async function aLazyCount({ store, print }: Context) {
  const session = store.openSession();
  const count = session
    .query<Order>({ collection: "Orders" })
    .whereEquals("ShipTo.Country", "Norway")
    .countLazily();
  print(await count.getValue());
}

export async function lazyLoadOfAPrefix({ store, print }: Context) {
  const session = store.openSession();
  const lazy = session.advanced.lazily.loadStartingWith<Product>("products/", { pageSize: 3 });
  print(Object.keys(await lazy.getValue()).sort());
}

export async function lazyWithIncludes({ store, print }: Context) {
  const session = store.openSession();
  const order = session.advanced.lazily.include("Company").load<Order>("orders/1-A");
  print((await order.getValue()).Company);
  await session.load("companies/1-A");
  print(session.advanced.numberOfRequests);
}

export async function loadOnlyIfChanged({ store, print }: Context) {
  const session = store.openSession();
  const product = await session.load<Product>("products/1-A");
  const changeVector = session.advanced.getChangeVectorFor(product);

  const same = await store
    .openSession()
    .advanced.conditionalLoad<Product>("products/1-A", changeVector, Product);
  print(same.entity, same.changeVector === changeVector);

  product.Name = "Crisp Bread";
  await session.saveChanges();
  const changed = await store
    .openSession()
    .advanced.conditionalLoad<Product>("products/1-A", changeVector, Product);
  print(changed.entity.Name, changed.changeVector === changeVector);
}
