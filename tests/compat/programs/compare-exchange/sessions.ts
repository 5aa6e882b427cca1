// Documentation "Compare Exchange in Cluster-Wide Transactions", "Include Compare Exchange Values", "Atomic Guards".
import { GetCompareExchangeValueOperation, PutCompareExchangeValueOperation } from "client";
import type { Any, Context } from "../context.js";

const CLUSTER = { transactionMode: "ClusterWide" } as const;

/** An e-mail address that only one customer may have: the address and the customer are saved together, or neither. */
export async function aUniqueAddressAtSignUp({ store, print }: Context) {
  const signUp = async (id: string, email: string) => {
    const session = store.openSession(CLUSTER);
    session.advanced.clusterTransaction.createCompareExchangeValue(`emails/${email}`, id);
    await session.store({ email, "@metadata": { "@collection": "Customers" } }, id);
    try {
      await session.saveChanges();
      return "welcome";
    } catch (error) {
      return (error as Error).name;
    }
  };
  print(await signUp("customers/jon", "jon@alpine.example"));
  print(await signUp("customers/joanna", "jon@alpine.example"));
  const session = store.openSession();
  print(!!(await session.load("customers/jon")), await session.load("customers/joanna"));
}

/** Who left: the address is free again. */
export async function anAddressThatIsFreed({ store, print }: Context) {
  const session = store.openSession(CLUSTER);
  session.advanced.clusterTransaction.createCompareExchangeValue(
    "emails/eve@alpine.example",
    "customers/eve",
  );
  await session.store({ Name: "Eve" }, "customers/eve");
  await session.saveChanges();
  const again = store.openSession(CLUSTER);
  const found = (await again.advanced.clusterTransaction.getCompareExchangeValue<string>(
    "emails/eve@alpine.example",
  )) as Any;
  again.advanced.clusterTransaction.deleteCompareExchangeValue(found);
  await again.saveChanges();
  print(found.value);
  const get = new GetCompareExchangeValueOperation<string>("emails/eve@alpine.example");
  print((await store.operations.send(get)) === null || (await store.operations.send(get)) === undefined);
}

export async function changeAValue({ store, print }: Context) {
  const session = store.openSession(CLUSTER);
  session.advanced.clusterTransaction.createCompareExchangeValue("stock/coffee", { left: 10 });
  await session.saveChanges();
  const selling = store.openSession(CLUSTER);
  const stock = await selling.advanced.clusterTransaction.getCompareExchangeValue<Any>("stock/coffee");
  if (stock) stock.value = { left: stock.value.left - 3 };
  await selling.saveChanges();
  const fresh = store.openSession(CLUSTER);
  const left = await fresh.advanced.clusterTransaction.getCompareExchangeValue<Any>("stock/coffee");
  print(left?.value);
}

export async function deleteByKeyAndIndex({ store, print }: Context) {
  const put = new PutCompareExchangeValueOperation("locks/night", "me", 0);
  const { index } = await store.operations.send(put);
  const session = store.openSession(CLUSTER);
  session.advanced.clusterTransaction.deleteCompareExchangeValue("locks/night", index);
  await session.saveChanges();
  const fresh = store.openSession(CLUSTER);
  print(await fresh.advanced.clusterTransaction.getCompareExchangeValue("locks/night"));
}

export async function readSeveral({ store, print }: Context) {
  const session = store.openSession(CLUSTER);
  for (const row of ["a", "b"])
    for (const seat of [1, 2, 3])
      session.advanced.clusterTransaction.createCompareExchangeValue(`rows/${row}${seat}`, {
        free: seat > 1,
      });
  await session.saveChanges();
  const reading = store.openSession(CLUSTER);
  const values = reading.advanced.clusterTransaction;
  const row = await values.getCompareExchangeValues<Any>("rows/a");
  print(Object.values(row).map((seat) => [seat?.key, seat?.value.free]));
  const page = await values.getCompareExchangeValues<Any>("rows/", null as Any, 2, 2);
  print(Object.keys(page));
  const some = await values.getCompareExchangeValues<Any>(["rows/b1", "rows/b9"]);
  print(some["rows/b1"]?.value.free, some["rows/b9"]);
}

export async function lazily({ store, print }: Context) {
  await store.operations.send(new PutCompareExchangeValueOperation("rates/eur", 1.1, 0));
  await store.operations.send(new PutCompareExchangeValueOperation("rates/chf", 0.9, 0));
  const session = store.openSession(CLUSTER);
  const { lazily } = session.advanced.clusterTransaction;
  const eur = lazily.getCompareExchangeValue<number>("rates/eur");
  const both = lazily.getCompareExchangeValues<number>(["rates/eur", "rates/chf"]);
  await session.advanced.eagerly.executeAllPendingLazyOperations();
  print((await eur.getValue())?.value, Object.keys(await both.getValue()).sort());
  print(session.advanced.numberOfRequests);
}

/** The value whose key is in a document comes with the document. */
export async function includeInALoad({ store, print }: Context) {
  await store.operations.send(new PutCompareExchangeValueOperation("discounts/spring", 0.2, 0));
  const writing = store.openSession();
  await writing.store({ discount: "discounts/spring" }, "carts/1");
  await writing.saveChanges();
  const session = store.openSession(CLUSTER);
  await session.load("carts/1", {
    includes: (builder) => builder.includeCompareExchangeValue("discount"),
  });
  const found = await session.advanced.clusterTransaction.getCompareExchangeValue<number>("discounts/spring");
  print(found?.value, session.advanced.numberOfRequests);
}

export async function includeInAQuery({ store, print }: Context) {
  await store.operations.send(new PutCompareExchangeValueOperation("companies/limit", 500, 0));
  const writing = store.openSession();
  await writing.store({ limit: "companies/limit", "@metadata": { "@collection": "Limits" } }, "limits/1");
  await writing.saveChanges();
  const session = store.openSession(CLUSTER);
  await session
    .query<Any>({ collection: "Limits" })
    .waitForNonStaleResults()
    .include((builder) => builder.includeCompareExchangeValue("limit"))
    .all();
  const found = await session.advanced.clusterTransaction.getCompareExchangeValue<number>("companies/limit");
  print(found?.value, session.advanced.numberOfRequests);
}

/** A document that was written in a cluster-wide transaction has a guard, a compare-exchange value of the server. */
export async function atomicGuards({ store, print }: Context) {
  const session = store.openSession(CLUSTER);
  await session.store({ Name: "guarded" }, "guards/1");
  await session.saveChanges();
  const guard = await store.operations.send(new GetCompareExchangeValueOperation<Any>("rvn-atomic/guards/1"));
  print(guard.key);
  const [one, two] = [store.openSession(CLUSTER), store.openSession(CLUSTER)];
  const [mine, theirs] = [await one.load<Any>("guards/1"), await two.load<Any>("guards/1")];
  Object.assign(mine as Any, { Name: "mine" });
  Object.assign(theirs as Any, { Name: "theirs" });
  await one.saveChanges();
  print(await two.saveChanges().catch((error: Error) => error.name));
}

export async function onlyInClusterWideSessions({ store, print }: Context) {
  const session = store.openSession();
  try {
    session.advanced.clusterTransaction.createCompareExchangeValue("k", 1);
  } catch (error) {
    print((error as Error).name);
  }
}
