// Every public type in use; `tsc --noEmit` is the test.
import type Standard from "raven-edge";
import {
  type AdvancedSession,
  type ChangeType,
  type ClassicSource,
  type DatabaseStatistics,
  DeleteCommandData,
  DeleteDocumentCommand,
  DocumentConventions,
  DocumentSession,
  type DocumentSource,
  DocumentStore,
  type DocumentsChanges,
  type DocumentType,
  type EntitiesCollectionObject,
  type EntityConstructor,
  type EntityInfo,
  type ErrorCode,
  GetDocumentsCommand,
  type GetDocumentsResult,
  GetIdentitiesOperation,
  GetStatisticsOperation,
  HeadDocumentCommand,
  type HeadersSource,
  type Hi,
  HiLo,
  type HiLoStatus,
  HiloIdGenerator,
  type ICommandData,
  type IHiLoIdGenerator,
  type IMetadataDictionary,
  type Lazy,
  type LeasedRange,
  type LeaseEvent,
  MultiDatabaseHiLoIdGenerator,
  NextIdentityForCommand,
  NextIdentityForOperation,
  type ObjectTypeDescriptor,
  type OwnSource,
  PatchCommandData,
  PatchRequest,
  PutCommandDataBase,
  PutCommandDataWithJson,
  PutDocumentCommand,
  RavenEdgeError,
  type RegressionEvent,
  type ReleasedRange,
  type ReturnEvent,
  SeedIdentityForCommand,
  SeedIdentityForOperation,
  type ServerSource,
  type SessionEvents,
  type SessionOptions,
  type StoreEvents,
  type StoreOptions,
  type Tracked,
} from "raven-edge";
import { type AuthorityNamespace, AuthorityObject, authorityFor, databaseOf } from "raven-edge/authority";
import { ChangesHub } from "raven-edge/changes-hub";
import gateway from "raven-edge/gateway-live";
import { HiLoStore } from "raven-edge/hilo";
import { type HubNamespace, type HubOptions, hub, type LeaseHubWorker, type Span } from "raven-edge/hub";
import wasm from "raven-edge/raven_edge.wasm";
import { DocumentStore as SlimStore, useModule } from "raven-edge/slim";

class Customer {
  name = "";
}

interface Order {
  total: number;
  lines: string[];
}

const headers: HeadersSource = () => ({ authorization: "Bearer x" });
const options: StoreOptions = { headers, fetch, timeout: 5_000 };
const old: DocumentSource = { kind: "document", capacity: 32, spelling: "Replication/HiLo" };
const current: ServerSource = { kind: "server", capacity: 64 };
const hi: Hi = { hi: "5", capacity: 32 };
const classic: ClassicSource = { kind: "classic", next: async (tag: string) => (tag ? hi : 5), capacity: 32 };
const leased: LeasedRange = { low: 1, high: 32, nodeTag: "eu", prefix: "o/" };
const own: OwnSource = {
  lease: async (_tag, size, above) => ({ ...leased, high: above + size }),
  release: ({ tag, low, high, nodeTag }: ReleasedRange) => console.log(tag, low, high, nodeTag),
  scope: "ids",
};
export const stores: StoreOptions[] = [
  { source: "document", capacity: 5 },
  { source: "server", capacity: { orders: 100 } },
  { source: old },
  { source: current },
  { source: classic },
  { source: own },
];
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
  const { atHand, parked, held, leasing, low, high, nodeTag, fence }: HiLoStatus = ids.status();
  console.log(
    facts,
    names,
    atHand + parked,
    held.map((range) => range.high - range.low),
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

export async function session(store: DocumentStore): Promise<unknown[]> {
  const options: SessionOptions = { noTracking: true, transactionMode: "ClusterWide", database: "Archive" };
  store.openSession(options).dispose();
  await using session: DocumentSession = store.openSession({ optimisticConcurrencyMode: "WritesAndReads" });
  const customer: Customer = new Customer();
  await session.store(customer, null, { documentType: Customer, changeVector: "" });
  await session.store(customer, "customers/1", Customer);
  const frozen: Readonly<Order> = Object.freeze({ total: 1, lines: [] });
  await session.store(frozen, "orders/frozen", { changeVector: null });

  const one: Customer | null = await session.load("customers/1", Customer);
  const typed: Customer | null = await session.load("customers/1", { documentType: Customer, includes: "x" });
  // What the variable says is enough, as with npm `ravendb`.
  const inferred: Order | null = await session.load("orders/1-A");
  const same: boolean = (await session.load("customers/1")) === customer;
  const many: EntitiesCollectionObject<Customer> = await session.load(["customers/1"], Customer);
  const included: Tracked<Order> | null = await session
    .include("customerId")
    .include("lines[].product")
    .load<Order>("orders/1-A");
  await session.load("orders/1-A", { includes: (add) => add.includeDocuments("a").includeDocuments("b") });
  await session.delete(customer);
  await session.delete("customers/1", "A:1");

  const advanced: AdvancedSession = session.advanced;
  const metadata: IMetadataDictionary = advanced.getMetadataFor(customer);
  metadata.Color = "red";
  const collection: string | undefined = metadata["@collection"];
  const changes: Record<string, DocumentsChanges[]> = advanced.whatChanged();
  const kinds: ChangeType[] = advanced.whatChangedFor(customer).map(({ change }) => change);
  const info: EntityInfo | undefined = advanced.getTrackedEntities().get("customers/1");
  const logs: Customer[] = await advanced.loadStartingWith("logs/", { documentType: Customer, pageSize: 5 });
  const plain: Tracked<Order>[] = await advanced.loadStartingWith<Order>("orders/");
  const date: Date = advanced.getLastModifiedFor(customer);
  advanced.on("beforeStore", (event) => console.log(event.documentId, event.getDocumentMetadata()));
  const listener = (event: SessionEvents["afterSaveChanges"]) =>
    console.log(event.entity, event.documentMetadata);
  advanced
    .on("afterSaveChanges", listener)
    .off("afterSaveChanges", listener)
    .removeListener("afterSaveChanges", listener);
  advanced.waitForIndexesAfterSaveChanges({ indexes: ["Orders/ByTotal"], timeout: 1_000 });
  advanced.waitForReplicationAfterSaveChanges();
  advanced.useOptimisticConcurrency = true;
  advanced.maxNumberOfRequestsPerSession = 5;
  advanced.transactionMode = "ClusterWide";
  await advanced.refresh([customer]);
  await advanced.refresh(customer);
  for (const entity of [customer, frozen]) advanced.evict(entity);
  advanced.ignoreChangesFor(customer);
  advanced.clear();

  const lazy: Lazy<Customer | null> = advanced.lazily.include("x").load("customers/1", Customer);
  const lazies: Lazy<EntitiesCollectionObject<Tracked<Order>>> = advanced.lazily.load<Order>(["orders/1-A"]);
  advanced.lazily.loadStartingWith<Order>("orders/", { start: 1 }, (found) =>
    console.log(found["orders/1-A"]?.total),
  );
  await advanced.eagerly.executeAllPendingLazyOperations();

  const patch: PatchRequest = Object.assign(PatchRequest.forScript("this.n += args.by"), {
    values: { by: 1 },
  });
  const own: ICommandData = { type: "DELETE", id: "a/1", serialize: () => ({ Type: "DELETE", Id: "a/1" }) };
  advanced.defer(
    new PutCommandDataBase<Order>("a/1", null, null, { total: 1, lines: [] }),
    new PutCommandDataWithJson("a/2", "", null, {}),
    new DeleteCommandData("a/3"),
    new PatchCommandData("a/4", null, patch, PatchRequest.forScript("this.n = 0")),
    own,
  );

  const put = new PutDocumentCommand("companies/", null, {});
  const get = new GetDocumentsCommand({ ids: ["a/1"], conventions: store.conventions });
  const head = new HeadDocumentCommand("a/1");
  const next = new NextIdentityForCommand("invoices");
  for (const command of [
    put,
    get,
    head,
    next,
    new DeleteDocumentCommand("a/1"),
    new SeedIdentityForCommand("i", 5, true),
  ])
    await store.execute(command);
  const results: [string, GetDocumentsResult, string | null, number] = [
    put.result.id,
    get.result,
    head.result,
    next.result,
  ];
  const statistics: DatabaseStatistics = await store.maintenance.send(new GetStatisticsOperation());
  const numbers: number[] = [
    await store.operations.send(new NextIdentityForOperation("invoices")),
    await store.operations.forDatabase("Archive").send(new SeedIdentityForOperation("invoices", 5)),
    ...Object.values(await store.maintenance.send(new GetIdentitiesOperation())),
  ];
  store
    .addSessionListener("sessionCreated", (event) => event.session.dispose())
    .addSessionListener("succeedRequest", ({ response, url }) => console.log(response.status, url))
    .removeSessionListener("beforeDelete", () => {});
  store.on("failedRequest", ({ error }) => console.log(error.message));
  const outcome = (error: RavenEdgeError): "saved" | "not saved" | "unknown" | undefined => error.outcome;
  return [
    one,
    typed,
    inferred,
    same,
    many,
    included,
    collection,
    changes,
    kinds,
    info,
    logs,
    plain,
    date,
  ].concat([lazy, lazies, results, statistics.countOfDocuments, numbers, outcome] as never[]);
}

export function conventions(conventions: DocumentConventions): void {
  conventions
    .registerEntityType(Customer, "Customer")
    .registerEntityIdPropertyName(Customer, "key")
    .registerIdConvention(Customer, (_database, { name }) => `customers/${name}`);
  conventions.documentIdGenerator = async (database) => `${database}/1`;
  conventions.shouldIgnoreEntityChanges = (session, entity) =>
    session.advanced.getDocumentId(entity) === null;
  conventions.maxIdLength = 2_025;
  conventions.allowBackslashInIds = conventions.allowInexactNumbers = conventions.storeDatesInUtc = true;
  conventions.setUseOptimisticConcurrency(!conventions.isUseOptimisticConcurrency());
  const { findCollectionName, findJsType, findJsTypeName } = conventions;
  conventions.findCollectionName = (type) => findCollectionName(type) ?? findJsTypeName(type);
  conventions.findJsType = (id, document) => findJsType(id, document);
}

/** What comes from npm `ravendb` by these names. */
export async function moved(): Promise<unknown[]> {
  const store: Standard = new DocumentStore("http://a");
  const literal: ObjectTypeDescriptor<{ weight: number }> = {
    name: "Crate",
    isType: (object) => "weight" in object,
    construct: (document) => document as { weight: number },
  };
  const type: DocumentType<Customer> = Customer;
  const made: EntityConstructor<Customer> = Customer;
  store.conventions.registerEntityType(literal).findJsType = () => literal;
  store.once("afterDispose", (done) => done());
  const numbers: IHiLoIdGenerator = new MultiDatabaseHiLoIdGenerator(store);
  const { id, serverTag } = await new HiloIdGenerator("customers", store).getNextId();
  const executor = store.getRequestExecutor("Shop").on("succeedRequest", ({ response }) => response.status);
  const crate = await store.openSession("Shop").load("crates/1-A", literal);
  return [
    store.identifier,
    await numbers.generateNextIdFor("Shop", Customer),
    await store.hiLoIdGenerator.generateDocumentId("Shop", new Customer()),
    id.toFixed(),
    serverTag.length,
    executor.cache.numberOfItems,
    executor.getUrl(),
    crate?.weight,
    [type, made],
    DocumentConventions.defaultGetCollectionName(Customer),
    store.conventions.getCollectionNameForEntity(new Customer()),
  ];
}

export function refused(): unknown[] {
  const store = new DocumentStore("http://a", "Shop", secured);
  return [
    // @ts-expect-error: there is no such option
    () => store.bulkInsert({ useCompresion: true }),
    // @ts-expect-error: a counter has a name
    () => store.openSession().countersFor("orders/1-A").increment(2),
    // @ts-expect-error: a number is no content
    () => store.openSession().advanced.attachments.store("orders/1-A", "a.png", 7),
    // @ts-expect-error: there is no such event
    () => store.on("beforeDispos", () => {}),
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
    // @ts-expect-error: the class says what it is
    async (): Promise<Order | null> => store.openSession().load("customers/1", Customer),
    // @ts-expect-error: a change vector is text
    () => store.openSession().store({}, "a/1", { changeVector: 5 }),
    // @ts-expect-error: there is no such mode
    () => store.openSession({ transactionMode: "Cluster" }),
    // @ts-expect-error: there is no such event of sessions
    () => store.openSession().advanced.on("beforeQueries", () => {}),
    // @ts-expect-error: commands are those of this package
    () => store.execute({ result: 5 }),
    // @ts-expect-error: errors have few outcomes
    (error: RavenEdgeError) => error.outcome === "lost",
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

async function entries() {
  const ids: HiLoStore = new HiLoStore("/raven", "Shop", { keep: 8 }).initialize();
  ids.conventions.disableTopologyUpdates = true;
  const id: string = await ids.hilo("orders").next();
  ids.on("lease", ({ low, high }) => console.log(id, high - low));
  // @ts-expect-error there are no sessions
  ids.openSession();
  useModule(WebAssembly.compileStreaming(fetch("/raven_edge.wasm")));
  useModule(new Uint8Array());
  useModule(wasm);
  const slim: SlimStore = new SlimStore("/raven", "Shop");
  slim.openSession();
}
void entries;
interface Env {
  RAVENDB_URL: string;
  AUTHORITY: AuthorityNamespace;
  HUB: HubNamespace;
  CHANGES_HUB: HubNamespace;
  RAVEN: { fetch: typeof fetch };
}

/** A hub for changes that reaches RavenDB by a service binding, and the gateway in front of it. */
export class SharedChanges extends ChangesHub<Env> {
  override connect(request: Request, env: Env): Promise<Response> {
    return env.RAVEN.fetch(request);
  }
}
void gateway<Env>({
  upstream: "https://ravendb.example",
  database: "Shop",
  collections: { Orders: "read" },
  secret: "x".repeat(32),
  live: { hub: (env) => env.CHANGES_HUB, reauthorize: 60 },
});

/** What a Worker does with its Durable Objects. */
export function worker(): unknown[] {
  const loans: Span = { first: 8, largest: 32 };
  const options: HubOptions<Env> = {
    upstream: (env) => ({
      url: env.RAVENDB_URL,
      fetch: env.RAVEN.fetch.bind(env.RAVEN),
      headers: () => ({ a: "b" }),
    }),
    namespace: (env) => env.HUB,
    loans,
    ranges: { largest: 100_000 },
    idle: Number.POSITIVE_INFINITY,
    source: { kind: "classic", capacity: 100, next: async () => 1 },
    nodeTag: "H1",
  };
  const shop: LeaseHubWorker<Env> = hub(options);
  return [
    shop.LeaseHub,
    AuthorityObject,
    async (env: Env, request: Request) => {
      const store = new DocumentStore("https://hub", databaseOf(request.url) ?? "Shop", {
        fetch: (input, init) => shop.fetch(new Request(input, init), env),
        waitUntil: (promise) => void promise,
      }).initialize();
      await store.release({ waitUntil: (promise) => void promise });
      await shop.release(env, "Shop", "orders");
      await shop.burn(env, "Shop", "orders");
      return authorityFor(env.AUTHORITY, request.url).fetch(request);
    },
    // @ts-expect-error: a hub needs its objects
    () => hub({ upstream: "https://a" }),
    // @ts-expect-error: a span has two ends
    () => hub<Env>({ upstream: "https://a", namespace: (env) => env.HUB, loans: 8 }),
  ];
}
