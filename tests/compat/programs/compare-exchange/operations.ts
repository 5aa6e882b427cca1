// Documentation "Compare Exchange": put, get and delete operations; a unique e-mail address, a reservation.
import {
  DeleteCompareExchangeValueOperation,
  GetCompareExchangeValueOperation,
  GetCompareExchangeValuesOperation,
  PutCompareExchangeValueOperation,
} from "client";
import type { Any, Context } from "../context.js";

/** An e-mail address that only one customer may have. */
export async function aUniqueAddress({ store, print }: Context) {
  const claim = (customer: string) =>
    store.operations.send(new PutCompareExchangeValueOperation("emails/ida@harbour.example", customer, 0));
  print((await claim("companies/1-A")).successful, (await claim("companies/2-A")).successful);
  const get = new GetCompareExchangeValueOperation<string>("emails/ida@harbour.example");
  const { value, index } = await store.operations.send(get);
  print(value);
  const free = new DeleteCompareExchangeValueOperation("emails/ida@harbour.example", index);
  print((await store.operations.send(free)).successful);
}

/** A value is changed if nobody else was faster. */
export async function changeIfUnchanged({ store, print }: Context) {
  const { index } = await store.operations.send(new PutCompareExchangeValueOperation("stock/tea", 10, 0));
  const first = await store.operations.send(new PutCompareExchangeValueOperation("stock/tea", 9, index));
  const late = await store.operations.send(new PutCompareExchangeValueOperation("stock/tea", 8, index));
  print(first.successful, first.value, late.successful, late.value);
}

/** A lock that is taken and given back. */
export async function aLock({ store, print }: Context) {
  const lock = () =>
    store.operations.send(new PutCompareExchangeValueOperation("locks/report", { by: "me" } as Any, 0));
  const mine = await lock();
  print(mine.successful, (await lock()).successful);
  await store.operations.send(new DeleteCompareExchangeValueOperation("locks/report", mine.index));
  print((await lock()).successful);
}

export async function getSeveral({ store, print }: Context) {
  for (const seat of ["a1", "a2", "b1"])
    await store.operations.send(
      new PutCompareExchangeValueOperation(`seats/${seat}`, { seat, taken: true } as Any, 0),
    );
  const row = await store.operations.send(
    new GetCompareExchangeValuesOperation<Any>({ startWith: "seats/a" }),
  );
  print(Object.keys(row), row["seats/a1"]?.value.seat);
  const some = await store.operations.send(
    new GetCompareExchangeValuesOperation<Any>({ keys: ["seats/a2", "seats/b1"] }),
  );
  print(Object.values(some).map(({ key, value }) => [key, value.taken]));
}
