// Every public type in use; `tsc --noEmit` is the test.
import {
  type DocumentConventions,
  DocumentSession,
  DocumentStore,
  type ErrorCode,
  type HeadersSource,
  HiLo,
  type HiLoStatus,
  type LeaseEvent,
  RavenEdgeError,
  type RegressionEvent,
  type ReturnEvent,
  type StoreEvents,
  type StoreOptions,
  type Tracked,
} from "raven-edge";

class Customer {
  name = "";
}

interface Order {
  total: number;
  lines: string[];
}

const headers: HeadersSource = () => ({ authorization: "Bearer x" });
const options: StoreOptions = { headers, fetch, timeout: 5_000 };
const secured: StoreOptions = { certificate: new Uint8Array(1), type: "pfx", password: "p", ca: "pem" };

export async function usage(): Promise<string[]> {
  await using store: DocumentStore = new DocumentStore(["http://a", "http://b"], "Shop", options);
  const conventions: DocumentConventions = store.conventions;
  conventions.registerEntityType(Customer, "Customers").registerEntityType(Date, "Dates");
  conventions.identityProperty = "id";
  conventions.identityPartsSeparator = "-";
  conventions.disableTopologyUpdates = true;
  conventions.findCollectionName = (type) => type.name;
  conventions.findCollectionNameForObjectLiteral = (entity) => ("total" in entity ? "Orders" : undefined);
  conventions.transformClassCollectionNameToDocumentIdPrefix = (collection) => collection.toLowerCase();
  store.initialize().initialize();
  await store.ready();
  const facts: [readonly string[], string, number] = [store.urls, store.database, store.timeout];

  const stop: () => void = store.on("lease", ({ tag, low, high, nodeTag, fenced }: LeaseEvent) =>
    console.log(tag, low, high, nodeTag, fenced),
  );
  store.on("return", ({ applied, error }: ReturnEvent) => console.log(applied, error?.code));
  store.on("regression", ({ highest }: RegressionEvent) => console.log(highest));
  const names: (keyof StoreEvents)[] = ["lease", "return", "regression"];
  stop();

  const ids: HiLo = store.hilo("orders");
  await ids.reserve(1_000);
  const id: string = ids.take() ?? (await ids.next());
  const { atHand, parked, leasing, low, high, nodeTag, fence }: HiLoStatus = ids.status();
  console.log(
    facts,
    names,
    atHand + parked,
    leasing,
    (low ?? 0) + (high ?? 0),
    nodeTag?.length,
    fence?.length,
    ids.tag,
  );

  await using session: DocumentSession = store.openSession();
  const other = store.openSession({ database: "Shop" });
  store.openSession("Shop");
  await session.store({ total: 1, "@metadata": { "@collection": "Orders" } });
  await session.store(new Customer(), "customers/1");
  await session.saveChanges();
  const order: Tracked<Order> | null = await session.load<Order>("orders/1-A");
  const several: Record<string, Tracked<Order> | null> = await other.load<Order>([
    "orders/1-A",
    "orders/2-A",
  ]);
  const plain: object | null = await session.load("orders/1-A");
  if (order) {
    const known: string | null = session.advanced.getDocumentId(order);
    const vector: string | null = session.advanced.getChangeVectorFor(order);
    const states: boolean[] = [
      session.advanced.hasChanges(),
      session.advanced.hasChanged(order),
      session.advanced.isLoaded(order.id),
    ];
    console.log(
      known,
      vector,
      states,
      order.total.toFixed(2),
      order.lines,
      order["@metadata"]["@collection"],
    );
  }
  other.dispose();

  try {
    await session.saveChanges();
  } catch (error) {
    if (!(error instanceof RavenEdgeError)) throw error;
    const code: ErrorCode = error.code;
    const texts: (string | undefined)[] = [error.type, error.request, error.id];
    const vectors: (string | undefined)[] = [error.expectedChangeVector, error.actualChangeVector];
    const status: number | undefined = error.status;
    console.log(code, texts, vectors, status, error.name, error.cause);
  }
  await store.dispose();
  return [id, plain === null ? "" : "plain", ...Object.keys(several)];
}

export function refused(): unknown[] {
  const store = new DocumentStore("http://a", "Shop", secured);
  return [
    // @ts-expect-error: a store needs the name of its database
    () => new DocumentStore("http://a"),
    // @ts-expect-error: there is no such form of a certificate
    () => new DocumentStore("http://a", "b", { type: "jks" }),
    // @ts-expect-error: headers are a function, so that they are fresh
    () => new DocumentStore("http://a", "b", { headers: { a: "b" } }),
    // @ts-expect-error: a generator comes from a store
    () => new HiLo(),
    // @ts-expect-error: a session comes from a store
    () => new DocumentSession(),
    // @ts-expect-error: there is no such event
    () => store.on("leased", () => {}),
    // @ts-expect-error: only objects are stored
    () => store.openSession().store("text"),
    // @ts-expect-error: ids are text
    () => store.openSession().load(5),
    // @ts-expect-error: a document may be missing
    async () => (await store.openSession().load<Order>("a/1")).total,
    // @ts-expect-error: there may be no id at hand
    () => store.hilo("orders").take().length,
    // @ts-expect-error: a count is a number
    () => store.hilo("orders").reserve("5"),
    // @ts-expect-error: codes are known
    (error: RavenEdgeError) => error.code === "Nonsense",
  ];
}
