/**
 * RavenDB document ids and sessions for browsers and edge runtimes.
 *
 * ```ts
 * import { DocumentStore } from "raven-edge";
 *
 * const store = new DocumentStore("/raven", "Shop").initialize();
 * const session = store.openSession();
 * const order = { lines: [], "@metadata": { "@collection": "Orders" } };
 * await session.store(order);      // order.id === "orders/1-A"
 * await session.saveChanges();     // one request
 * await store.dispose();           // unused numbers go back
 * ```
 *
 * The law above all: an id is never issued twice. A gap is cheap.
 */

import type {
  DocumentQuery,
  DocumentQueryOptions,
  FieldOf,
  RawDocumentQuery,
  SessionBeforeQueryEventArgs,
} from "./queries.js";

export * from "./queries.js";

/**
 * What this build is: the version of the package and the revision of its sources, such as `0.1.0+b97f5e9c1a2d`. After a
 * revision `.modified` says that the sources were no commit's, in place of one `unknown` that they were in no repository. Each
 * WebAssembly module has the same text in its custom section `version`.
 *
 * ```ts
 * const [section] = WebAssembly.Module.customSections(module, "version");
 * new TextDecoder().decode(section) === version;
 * ```
 */
export const version: string;

declare global {
  // As `lib.esnext.disposable` has it, for apps without that library and for TypeScript before 5.2.
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** Makes headers for a request; called synchronously before every request, the last one included. */
export type HeadersSource = () => HeadersInit;

/**
 * Options of a store. The first four are those of npm `ravendb`'s third argument.
 */
export interface StoreOptions {
  /** Client certificate, PEM text (with its key) or PFX bytes. Node, Deno and Bun only; elsewhere give a {@link fetch}. */
  certificate?: string | Uint8Array;
  /** Form of {@link certificate}; default `"pem"`. */
  type?: "pem" | "pfx";
  /** Password of the certificate's key. */
  password?: string;
  /** Certificate authority that signed the server's certificate, in PEM. */
  ca?: string | Uint8Array;
  /** Headers for every request, such as an authorization of your gateway. Default: none. */
  headers?: HeadersSource;
  /** Sends the requests; default the global `fetch`. A Worker's mTLS or service binding: `env.RAVEN.fetch.bind(env.RAVEN)`. */
  fetch?: typeof fetch;
  /**
   * Keeps a Worker's request alive for what others profit from: a lease under way when its caller goes away, a read of the
   * topology. Default: such work ends with its request, which loses numbers and nothing else.
   *
   * ```ts
   * import { waitUntil } from "cloudflare:workers";
   * const store = new DocumentStore(url, "Shop", { waitUntil });
   * ```
   */
  waitUntil?: (promise: Promise<unknown>) => void;
  /** Time limit in milliseconds of a request, and of a caller who waits for an id. Default 15,000. */
  timeout?: number;
  /**
   * How many numbers of a tag stay parked on the device (IndexedDB) for the next page: a number for all tags, or one by
   * tag. What exceeds it goes back when the page goes. `0`: everything goes back. `Infinity`: nothing does, for
   * offline-first apps. Default: 8, and 8 more for every further number that the device uses.
   *
   * ```ts
   * new DocumentStore("/raven", "Shop", { keep: { orders: 100, notes: 0 } });
   * ```
   */
  keep?: number | Record<string, number>;
  /**
   * How many numbers a range has: a whole number from 1 to 1,048,576 for all tags, or one by tag; more where more callers
   * wait at once. RavenDB's own routes (`source: "server"`) grant at least 32. Default: 32 at first, then as many as
   * demand wants, up to 1,048,576.
   *
   * ```ts
   * new DocumentStore("/raven", "Shop", { capacity: { orderLines: 1_000 } });
   * ```
   */
  capacity?: number | Record<string, number>;
  /**
   * Where ranges come from; `docs/sources.md` tells which to choose. Default `"server"`: the routes of RavenDB 4 and later.
   * `"document"`: the protocol of older clients. `InvalidArgument` at `initialize()` for what is none of these.
   *
   * ```ts
   * new DocumentStore("/raven", "Shop", { source: "document" });
   * ```
   */
  source?: "server" | "document" | ServerSource | DocumentSource | ClassicSource | OwnSource;
}

/** RavenDB 4 and later: `hilo/next` and a fenced return. Ids such as `orders/1-A`. */
export interface ServerSource {
  kind: "server";
  /** As {@link StoreOptions.capacity}, which comes first. */
  capacity?: number;
}

/**
 * The protocol of RavenDB's older clients: this client itself writes the counter documents. Ids such as `orders/1`, or
 * `orders/NorthServer/1` where the document `Raven/ServerPrefixForHilo` says `{"ServerPrefix": "NorthServer/"}`. It may share
 * its counters with clients of `"server"`. All leases go to the first address of the store: ids have no node tag, so all
 * clients of a database must name the same node first.
 *
 * ```ts
 * new DocumentStore("/raven", "Shop", { source: { kind: "document", spelling: "Replication/HiLo" } });
 * ```
 */
export interface DocumentSource {
  kind: "document";
  /** As {@link StoreOptions.capacity}, which comes first. */
  capacity?: number;
  /** What the ids of the counter documents begin with. Default `"Raven/Hilo"`; RavenDB does not heed case. */
  spelling?: "Raven/Hilo" | "Raven/HiLo" | "Replication/HiLo";
}

/**
 * The original formula: a function gives the next Hi of a counter, and the numbers are `(hi - 1) * capacity + 1` to
 * `hi * capacity`. Ids such as `orders/1`. Nothing is given back.
 *
 * ```ts
 * const next = async (tag: string) => (await sql`SELECT nextval('orders_hi') AS hi`)[0].hi;
 * new DocumentStore("/raven", "Shop", { source: { kind: "classic", next, capacity: 32 } });
 * ```
 */
export interface ClassicSource {
  kind: "classic";
  /**
   * The next Hi of a counter, from 1 on, never the same one twice. Text is fine, too: SQL drivers give large numbers so. With
   * `capacity` beside it, that is checked. A rejected promise is an outage and is tried again while somebody waits; an
   * answer that makes no sense is an error `BadAnswer` that names the field.
   */
  next: (tag: string) => Hi | Promise<Hi>;
  /** How many numbers a Hi stands for, from 1 to 1,048,576: the same for all clients and for ever. */
  capacity: number;
  /** As {@link OwnSource.scope}. */
  scope?: string;
}

/** What {@link ClassicSource.next} answers. */
export type Hi = number | string | { hi: number | string; capacity?: number | string };

/**
 * Ranges of the app's own.
 *
 * ```ts
 * const source: OwnSource = {
 *   lease: async (tag, size, above) => (await fetch(`/ids/${tag}?size=${size}&above=${above}`)).json(),
 * };
 * new DocumentStore("/raven", "Shop", { source });
 * ```
 */
export interface OwnSource {
  kind?: undefined;
  /**
   * Grants a range of about `size` numbers, no matter how many, that nobody else gets and all of which are above `above`
   * (0, or the highest number that this client knows of, when the last range overlapped what it has issued or holds). A
   * rejected promise is an outage and is tried again while somebody waits; an answer that makes no sense is an error
   * `BadAnswer` that names the field.
   */
  lease: (tag: string, size: number, above: number) => LeasedRange | Promise<LeasedRange>;
  /**
   * Takes back unused numbers: called at most once for each, never again after a failure, never for one that was or could
   * be handed out. When a page goes it is called synchronously and not waited for. Default: what is unused is lost, or
   * parked where there is a {@link scope}.
   */
  release?: (range: ReleasedRange) => unknown;
  /**
   * A name for the backend that grants the ranges. Numbers are parked on the device under it, and stores of the same
   * origin, server, database and scope share them. Default: none, and nothing is parked.
   */
  scope?: string;
}

/** A range that an app grants. */
export interface LeasedRange {
  /** The lowest number, at least 1. */
  low: number;
  /** The highest number, at least `low` and at most 2^53 - 1. */
  high: number;
  /** What stands behind the number, after a `-`: up to 16 letters and digits. Default: nothing. */
  nodeTag?: string;
  /** What stands before the number; it must not end in a digit. Default: the tag and the separator, `orders/`. */
  prefix?: string;
}

/** Unused numbers of a range that an app granted. */
export interface ReleasedRange {
  /** Name of the counter. */
  tag: string;
  /** The lowest number. */
  low: number;
  /** The highest number, which is that of the range as it was granted. */
  high: number;
  /** The node tag of the range; empty when there was none. */
  nodeTag: string;
}

/** A range was leased. */
export interface LeaseEvent {
  /** Name of the counter, such as `orders`. */
  tag: string;
  /** The lowest number. */
  low: number;
  /** The highest number. */
  high: number;
  /** Tag of the node that granted it: `A` in `orders/1-A`; empty where the source has none. */
  nodeTag: string;
  /** Whether its unused end can go back; a lease without a fence burns what is not used. */
  fenced: boolean;
}

/** Unused numbers were sent back. Of what goes back as the page goes, this is not always told. */
export interface ReturnEvent {
  /** Name of the counter. */
  tag: string;
  /** The lowest number sent back. */
  low: number;
  /** The highest number sent back. */
  high: number;
  /** Whether the server took them; if not, they are burnt, which harms nobody. */
  applied: boolean;
  /** Why the request failed, when it did. */
  error?: RavenEdgeError;
}

/**
 * The server went back in time: it granted numbers that this device holds or has issued (the grant was not used), or the
 * database is another one than before (every number of the old one is burnt). See `docs/incarnation.md`.
 */
export interface RegressionEvent {
  /** Name of the counter; absent when the whole database is another one. */
  tag?: string;
  /** The lowest number granted. */
  low?: number;
  /** The highest number granted. */
  high?: number;
  /** The highest number held or issued; the next lease is asked for above it. */
  highest?: number;
  /** The database's new incarnation, when it is another one. */
  incarnation?: string;
  /** Then also the ids of new documents that are not saved yet and carry numbers of the old one. */
  unsaved?: string[];
}

/** Numbers cannot be parked on this device (private mode, no space, cleared site data): ids come from memory. */
export interface StorageEvent {
  /** Why. */
  error: RavenEdgeError;
}

/** A session was opened or is disposed of. */
export interface SessionEventArgs {
  readonly session: DocumentSession;
}

/** A request is about to be sent. Told right after it was: it cannot be changed any more; `headers` of the store can. */
export interface BeforeRequestEventArgs {
  /** The whole address; in a page it may be a path. */
  readonly url: string;
  readonly method: string;
  readonly database: string;
}

/** An answer with a status from 200 to 299 came. A load that finds nothing (404) is neither this nor a failed request. */
export interface SucceedRequestEventArgs extends BeforeRequestEventArgs {
  /** Status and headers; its body has been read already. */
  readonly response: Response;
}

/** The server could not be reached. */
export interface FailedRequestEventArgs extends BeforeRequestEventArgs {
  /** What `fetch` said. */
  readonly error: Error;
}

/** The events of a store by name, for {@link DocumentStore.on}. */
export interface StoreEvents {
  lease: LeaseEvent;
  return: ReturnEvent;
  regression: RegressionEvent;
  storage: StorageEvent;
  sessionCreated: SessionEventArgs;
  beforeRequest: BeforeRequestEventArgs;
  succeedRequest: SucceedRequestEventArgs;
  failedRequest: FailedRequestEventArgs;
}

/** The events of sessions and requests by name, for {@link DocumentStore.addSessionListener}. */
export interface StoreSessionEvents extends SessionEvents {
  sessionCreated: SessionEventArgs;
  beforeRequest: BeforeRequestEventArgs;
  succeedRequest: SucceedRequestEventArgs;
  failedRequest: FailedRequestEventArgs;
}

/** Whether a save is a transaction of one node, or of the whole cluster (RavenDB documentation, "Cluster Transaction"). */
export type TransactionMode = "SingleNode" | "ClusterWide";

/**
 * What has to be on the server as the session knows it when it saves: nothing, what is written, or what was only loaded,
 * too (RavenDB documentation, "How to Enable Optimistic Concurrency").
 */
export type OptimisticConcurrencyMode = "None" | "Writes" | "WritesAndReads";

/** How a session is to be; names and defaults are those of npm `ravendb`. */
export interface SessionOptions {
  /** Another database of the same server; default: the store's. Case does not count. */
  database?: string | undefined;
  /**
   * Loads give new objects every time, from the server every time, and nothing can be stored, deleted or saved. Default
   * `false`.
   */
  noTracking?: boolean | undefined;
  /** Default `"SingleNode"`. */
  transactionMode?: TransactionMode | undefined;
  /** Default: that of the conventions, which is `"None"`. */
  optimisticConcurrencyMode?: OptimisticConcurrencyMode | undefined;
}

/**
 * The entrance to a database. One per database and app; sessions and ids come from it.
 *
 * ```ts
 * const store = new DocumentStore(["https://a.example", "https://b.example"], "Shop").initialize();
 * ```
 */
export class DocumentStore {
  /**
   * @param urls Address of the server, or of several nodes. A page reaches RavenDB through its own origin (RavenDB
   * refuses foreign ones), so there it is a path such as `"/raven"`.
   * @param database Name of the database.
   */
  constructor(urls: string | string[], database: string, options?: StoreOptions);
  /** The addresses given. */
  readonly urls: string[];
  /** The database's name. */
  readonly database: string;
  /** Time limit in milliseconds. */
  readonly timeout: number;
  /** How entities map to collections and ids; change it before {@link initialize}. */
  readonly conventions: DocumentConventions;
  /**
   * Checks the configuration, freezes the conventions and begins to load the WebAssembly module; nothing is sent.
   * @throws {RavenEdgeError} `InvalidArgument`, or `Unsupported` for a certificate where there is none to read.
   */
  initialize(): this;
  /** Resolves once the module is there. Only needed where the first id has to come synchronously. */
  ready(): Promise<void>;
  /**
   * The ids of a collection's counter. One per tag and store, whatever its case: RavenDB's counters have none.
   * A tag that RavenDB cannot lease safely is refused when ids are asked for.
   * @throws {RavenEdgeError} `InvalidOperation` before {@link initialize}.
   */
  hilo(tag: string): HiLo;
  /**
   * A unit of work; works at once, before the module is there.
   *
   * ```ts
   * const session = store.openSession();
   * const reading = store.openSession({ database: "Archive", noTracking: true });
   * ```
   * @param options The name of another database, or {@link SessionOptions}.
   * @throws {RavenEdgeError} `InvalidOperation` before {@link initialize}, `Disposed` after {@link dispose}.
   */
  openSession(options?: string | SessionOptions): DocumentSession;
  /**
   * Listens to an event of the store; gives the function that stops it. Listeners are called after the fact, in a
   * microtask: what they throw fails no call of yours, but is an uncaught exception. (`sessionCreated` is told within
   * {@link openSession}.) Of other databases only {@link addSessionListener} hears.
   *
   * ```ts
   * const stop = store.on("failedRequest", ({ url, error }) => console.warn(url, error.message));
   * ```
   */
  on<Name extends keyof StoreEvents>(event: Name, listener: (event: StoreEvents[Name]) => void): () => void;
  /**
   * Listens to sessions. Events of documents reach the sessions opened from now on; they are called within `saveChanges`
   * or `load`, which fails with what they throw. Events of requests are told apart from them, as by {@link on}.
   *
   * ```ts
   * store.addSessionListener("beforeStore", (event) => {
   *   event.getDocumentMetadata().Tenant = "acme";
   * });
   * ```
   */
  addSessionListener<Name extends keyof StoreSessionEvents>(
    event: Name,
    listener: (event: StoreSessionEvents[Name]) => void,
  ): this;
  /** Ends that for sessions opened from now on; those that are open go on telling. */
  removeSessionListener<Name extends keyof StoreSessionEvents>(
    event: Name,
    listener: (event: StoreSessionEvents[Name]) => void,
  ): this;
  /**
   * Sends a command, outside of any session; its `result` is there afterwards.
   * @throws {RavenEdgeError} `Concurrency`, `Server`, `Timeout`, `Unreachable`, `ForeignOrigin`, `BadAnswer`, `Disposed`.
   */
  execute(command: RavenCommand<unknown>): Promise<void>;
  /**
   * The same by the way of npm `ravendb`: `await store.getRequestExecutor().execute(command)`. Of the store's database;
   * for another one: `store.openSession(name).advanced.requestExecutor`.
   */
  getRequestExecutor(): RequestExecutor;
  /** Sends operations and gives what they result in. */
  readonly operations: OperationExecutor;
  /**
   * The same: npm `ravendb` sends some operations here and some there.
   *
   * ```ts
   * const { countOfDocuments } = await store.maintenance.send(new GetStatisticsOperation());
   * ```
   */
  readonly maintenance: OperationExecutor;
  /**
   * Gives back what is unused, fenced, in one request for all tags, and refuses work from then on, that of open sessions
   * included. What is parked on the device goes back, too, unless another store of the origin lives, in this tab or in
   * others: then it stays for them. Never rejects for an unreachable server: what cannot go back is burnt. Takes at most
   * some ten seconds.
   */
  dispose(): Promise<void>;
  /**
   * Gives back what this instance holds in memory; it stays usable, and what is parked stays parked. For a framework's
   * unmount, or a Worker's `waitUntil`.
   *
   * ```ts
   * ctx.waitUntil(store.release());
   * await store.release({ waitUntil: (promise) => ctx.waitUntil(promise) });   // the same, and waits for it
   * ```
   */
  release(options?: { waitUntil?: (promise: Promise<unknown>) => void }): Promise<void>;
  /** `await using store = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** By this name in npm `ravendb`. */
export type IDocumentStore = DocumentStore;

/** What is at hand of a tag. */
export interface HiLoStatus {
  /** Numbers in memory. */
  atHand: number;
  /** Numbers parked on the device, as the last look saw it; 0 where nothing can be parked. */
  parked: number;
  /** The numbers in memory, in the order in which they come; `atHand` says how many. */
  held: { low: number; high: number }[];
  /** Whether a lease is on its way. */
  leasing: boolean;
  /** Lowest number of the lease that the next id comes from; absent before the first lease. */
  low?: number;
  /** Highest number of that lease. */
  high?: number;
  /** Node tag of that lease. */
  nodeTag?: string;
  /** Under which its rest can go back, an opaque text; absent when it cannot. */
  fence?: string;
}

/**
 * Ids alone.
 *
 * ```ts
 * const ids = store.hilo("orders");
 * const id = ids.take() ?? (await ids.next());
 * ```
 */
export class HiLo {
  private constructor();
  /** Name of the counter. */
  readonly tag: string;
  /** The next id, synchronously; `undefined` when none is at hand (then one is asked for). */
  take(): string | undefined;
  /**
   * The next id.
   * @throws {RavenEdgeError} `Timeout` after the store's time limit, `Disposed`, `InvalidTag`, or what the server said.
   */
  next(): Promise<string>;
  /** Resolves when that many numbers are at hand, 0 to 1,048,576. */
  reserve(count: number): Promise<void>;
  /** What is at hand, for a user interface. */
  status(): HiLoStatus;
}

/**
 * The metadata of a document: what RavenDB says (`@collection`, `@id`, `@change-vector`, `@last-modified`), what it
 * understands (`@expires`, `@refresh`), and whatever the app adds. A value changed, added or removed is a change of the
 * document; what RavenDB itself says is never sent back.
 */
export interface IMetadataDictionary {
  "@collection"?: string;
  "@id"?: string;
  "@change-vector"?: string;
  "@last-modified"?: string;
  [name: string]: unknown;
}

/**
 * A document that was loaded as a plain object shows its id and metadata. Without a type it is an `object`, as in npm
 * `ravendb`.
 */
export type Tracked<T extends object> = T &
  ([keyof T] extends [never] ? unknown : { id: string; "@metadata": IMetadataDictionary });

/** A class of the app, of which documents become instances; made without arguments, fields assigned afterwards. */
// biome-ignore lint/suspicious/noExplicitAny: any class
export type EntityType<T extends object = object> = new (...args: any[]) => T;

/** Documents by the ids asked for, in that order; `null` where there is none. */
export interface EntitiesCollectionObject<T> {
  [id: string]: T | null;
}

/** How {@link DocumentSession.store} is to take an entity. */
export interface StoreDocumentOptions<T extends object = object> {
  /** The class that says collection and class name, in place of the entity's own. */
  documentType?: EntityType<T> | undefined;
  /**
   * What the document on the server has to be when it is saved: `""`: it must not exist; a change vector: as it was then;
   * `null`: no check, whatever the session does otherwise.
   */
  changeVector?: string | null | undefined;
}

/** Names what is to be loaded together with a document. */
export interface IncludeBuilder {
  /** A path as in {@link DocumentSession.include}. */
  includeDocuments(path: string): this;
}

/** What {@link DocumentSession.load} can be told. */
export interface LoadOptions<T extends object = object> {
  /** The class that the documents become instances of. Of one that the session has already it changes nothing. */
  documentType?: EntityType<T> | undefined;
  /** Paths to ids of documents that come with them, or a function that names them to a builder. */
  includes?: string | string[] | ((includes: IncludeBuilder) => void) | undefined;
}

/** Loads with what it includes; see {@link DocumentSession.include}. */
export interface LoaderWithInclude {
  /** Another path. */
  include(path: string): this;
  /** As {@link DocumentSession.load}. */
  load<T extends object>(id: string, type: EntityType<T>): Promise<T | null>;
  load<T extends object>(id: string): Promise<Tracked<T> | null>;
  load<T extends object>(ids: string[], type: EntityType<T>): Promise<EntitiesCollectionObject<T>>;
  load<T extends object>(ids: string[]): Promise<EntitiesCollectionObject<Tracked<T>>>;
}

/**
 * A unit of work over plain objects and class instances: what it loads it knows, what has changed it sends, in one
 * request. Asynchronous members run one after the other in the order of their calls, awaited or not. Names and behaviour
 * are those of npm `ravendb` 7.2; `docs/session.md` says all of it, and where this one is better on purpose.
 *
 * ```ts
 * const session = store.openSession();
 * const order = await session.load("orders/1-A", Order);
 * order?.lines.push({ product: "products/7-A" });
 * await session.saveChanges();
 * ```
 */
export class DocumentSession {
  private constructor();
  /**
   * Takes an entity in; nothing is sent but, at times, a lease. Its id is that of the argument or of its `id` property
   * (RavenDB documentation, "Working with Document Identifiers"):
   *
   * | the id | who makes the final one | known |
   * |---|---|---|
   * | absent, `null`, no text | HiLo: `orders/1-A` | when this resolves |
   * | `""` | the server: a GUID | after `saveChanges` |
   * | `"companies/acme"` | you | at once |
   * | `"companies/"` | the server: `companies/0000000000000000027-A` | after `saveChanges` |
   * | `"companies|"` | the cluster: `companies/1`, `companies/2`, … | after `saveChanges` |
   *
   * An entity without collection gets a GUID in place of HiLo. The id is written to the entity; of a frozen one
   * `advanced.getDocumentId` tells it. Storing an entity of the session again does nothing.
   *
   * ```ts
   * await session.store(new Order());                                  // orders/1-A
   * await session.store({ name: "Acme", "@metadata": { "@collection": "Companies" } }, "companies/acme");
   * await session.store(copy, "orders/7-A", { changeVector: "" });     // must not exist
   * ```
   * @throws {RavenEdgeError} `InvalidArgument` for what is no object, `InvalidId`, `NonUniqueObject` when the session has
   * another object under the id, `InvalidOperation` (`noTracking`, another id than before, a deferred command about it),
   * and for HiLo `Timeout`, `InvalidTag`, `Disposed` or what the server said.
   */
  store<T extends object>(
    entity: T,
    id?: string | null,
    options?: StoreDocumentOptions<T> | EntityType<T>,
  ): Promise<void>;
  /**
   * The document of an id, `null` when there is none. The same object whenever it is asked for, in whatever case, without
   * a request when the session has it or knows that there is none. `GET docs`, one request for all that is missing.
   *
   * ```ts
   * const user = await session.load("users/1-A", User);                     // User | null
   * const order = await session.load<Order>("orders/1-A");                  // Order & { id, "@metadata" } | null
   * const both = await session.load(["orders/1-A", "orders/2-A"], { includes: ["customerId"] });
   * ```
   * @throws {RavenEdgeError} `InvalidArgument` for ids that are no text, `InvalidOperation` beyond
   * {@link AdvancedSession.maxNumberOfRequestsPerSession}, `Server`, `Timeout`, `Unreachable`, `ForeignOrigin`,
   * `BadAnswer`, `Disposed`.
   */
  load<T extends object>(id: string, type: EntityType<T>): Promise<T | null>;
  load<T extends object>(
    id: string,
    options: LoadOptions<T> & { documentType: EntityType<T> },
  ): Promise<T | null>;
  load<T extends object>(id: string, options?: LoadOptions<T>): Promise<Tracked<T> | null>;
  /** The documents of several ids, by the id asked for. Blank ids are left out. */
  load<T extends object>(ids: string[], type: EntityType<T>): Promise<EntitiesCollectionObject<T>>;
  load<T extends object>(
    ids: string[],
    options: LoadOptions<T> & { documentType: EntityType<T> },
  ): Promise<EntitiesCollectionObject<T>>;
  load<T extends object>(
    ids: string[],
    options?: LoadOptions<T>,
  ): Promise<EntitiesCollectionObject<Tracked<T>>>;
  /**
   * Loads documents together with those that they name, in one request (RavenDB documentation, "How to Handle Document
   * Relationships"). What was included is loaded without a request.
   *
   * ```ts
   * const order = await session.include("customerId").include("lines[].product").load<Order>("orders/1-A");
   * const customer = order && (await session.load(order.customerId, Customer));   // no request
   * ```
   * @param path To an id or a list of ids: `customerId`, `deep.boss`, `lines[].product`.
   */
  include(path: string): LoaderWithInclude;
  /**
   * Marks a document to be deleted by the next `saveChanges`; `load` gives `null` from now on.
   * @throws {RavenEdgeError} `InvalidOperation` for an entity of no or another session, `InvalidArgument`.
   */
  delete(entity: object): Promise<void>;
  /**
   * The same by id, loaded or not.
   * @param changeVector What the document has to be then; default: with optimistic concurrency as it was loaded, else
   * anything.
   * @throws {RavenEdgeError} `InvalidOperation` when its entity has changed in the session (delete the entity then),
   * `InvalidArgument`.
   */
  delete(id: string, changeVector?: string | null): Promise<void>;
  /**
   * Sends everything new, changed, deleted or deferred in one request (`POST bulk_docs`), all or nothing; no request when
   * there is nothing. New documents under HiLo ids must not exist yet.
   *
   * After any error the session still has its documents, changes and ids, so that the same session can save again, but
   * for `outcome: "saved"` ({@link RavenEdgeError.outcome}). A lost answer to a batch of new documents under HiLo ids
   * alone is cleared up by reading them back.
   *
   * ```ts
   * try {
   *   await session.saveChanges();
   * } catch (error) {
   *   if (!(error instanceof RavenEdgeError) || error.code !== "Concurrency") throw error;
   *   const theirs = await session.load(error.id ?? "");
   *   if (theirs) await session.advanced.refresh(theirs);   // then change it again, and save
   * }
   * ```
   * @throws {RavenEdgeError} `Concurrency` (with `id`, `expectedChangeVector`, `actualChangeVector`), `Server`, `Timeout`,
   * `Unreachable`, `OutcomeUnknown`, `InexactNumber`, `InvalidOperation`, `InvalidArgument`, `BadAnswer`, `Disposed`; and
   * whatever a listener, a getter or a `toJSON` of the app throws: then nothing was sent.
   */
  saveChanges(): Promise<void>;
  /**
   * Begins a query: of a collection, of an index, or of the collection of a class.
   *
   * ```ts
   * const open = await session.query<Order>({ collection: "Orders" }).whereEquals("state", "open").all();
   * ```
   */
  query<T extends object, Field extends string = FieldOf<T>>(type: EntityType<T>): DocumentQuery<T, Field>;
  // biome-ignore lint/suspicious/noExplicitAny: of a collection alone nothing is known but its name
  query<T extends object = any, Field extends string = FieldOf<T>>(
    options?: DocumentQueryOptions<T>,
  ): DocumentQuery<Tracked<T>, Field>;
  /** More. */
  readonly advanced: AdvancedSession;
  /** Ends the session; nothing is sent, and it refuses work from then on. */
  dispose(): void;
  /** `await using session = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** By this name in npm `ravendb`. */
export type IDocumentSession = DocumentSession;

/** What kind of change it is. */
export type ChangeType =
  | "DocumentAdded"
  | "DocumentDeleted"
  | "FieldChanged"
  | "NewField"
  | "RemovedField"
  | "ArrayValueChanged"
  | "ArrayValueAdded"
  | "ArrayValueRemoved";

/** A change of a document. Of `DocumentAdded` and `DocumentDeleted` nothing but {@link change} means anything. */
export interface DocumentsChanges {
  readonly change: ChangeType;
  /** The field's name; of a change in a list, that of the list. */
  readonly fieldName: string;
  /** Where the field is: `""` at the top, `deep.a`, `lines[0]`. */
  readonly fieldPath: string;
  /** Path and name. */
  readonly fieldFullName: string;
  /** `null` for what is removed. */
  readonly fieldNewValue: unknown;
  /** `null` for what is new. */
  readonly fieldOldValue: unknown;
}

/** What a session knows of a document. */
export interface EntityInfo {
  readonly id: string;
  /** Absent for what was deleted by id, or is known not to exist. */
  readonly entity: object | undefined;
  /** Whether it is to be deleted; also `true` for what is known not to exist. */
  readonly isDeleted: boolean;
}

/** What {@link AdvancedSession.loadStartingWith} is to give. */
export interface StartingWithOptions {
  /** What comes after the prefix: alternatives between pipes, `*` for any text, `?` for one character. */
  matches?: string | undefined;
  /** What must not come after it, in the same form. */
  exclude?: string | undefined;
  /** How many are left out at the beginning; default 0. */
  start?: number | undefined;
  /** How many at most; default: all, where npm `ravendb` takes 25. */
  pageSize?: number | undefined;
  /** Only ids behind this one. */
  startAfter?: string | undefined;
}

/** The same with a class. */
export interface SessionLoadStartingWithOptions<T extends object = object> extends StartingWithOptions {
  /** The class that the documents become instances of. */
  documentType?: EntityType<T> | undefined;
}

/** What a save waits for: copies on other nodes. */
export interface ReplicationBatchOptions {
  /** Milliseconds; default: {@link DocumentConventions.waitForReplicationAfterSaveChangesTimeout}. */
  timeout?: number | undefined;
  /** Whether too few copies in time are an error (`Server`, status 408, `outcome: "saved"`). Default `true`. */
  throwOnTimeout?: boolean | undefined;
  /** On how many other nodes; default 1. */
  replicas?: number | undefined;
  /** On most of the nodes, in place of {@link replicas}; default `false`. */
  majority?: boolean | undefined;
}

/** What a save waits for: indexes that have seen it. */
export interface IndexBatchOptions {
  /** Milliseconds; default: {@link DocumentConventions.waitForIndexesAfterSaveChangesTimeout}. */
  timeout?: number | undefined;
  /** Whether indexes that take longer are an error (`Server`, status 408, `outcome: "saved"`). Default `true`. */
  throwOnTimeout?: boolean | undefined;
  /** Names of the indexes; default: all that the documents concern. */
  indexes?: string[] | undefined;
}

// Streams

/** A document of a stream; results of groups and projections have what the server gives of them. */
export interface StreamResult<T extends object = object> {
  /** The id; `null` for what is no document, such as the result of a group. */
  id: string | null;
  /** Its change vector; `null` where there is no id. */
  changeVector: string | null;
  /** The metadata as the server has them; also at `document["@metadata"]`. */
  metadata: IMetadataDictionary;
  /** The entity. It is not tracked; of a document that the session has, it is the session's own object. */
  document: T;
}

/** What the server says of a query that it streams. */
export interface StreamQueryStatistics {
  /** The index, such as `Auto/Orders/ByTotal` or `collection/Orders`. */
  indexName: string;
  /** Whether the index had not seen everything yet. */
  isStale: boolean;
  /** How far it was. */
  indexTimestamp: Date;
  /** How many results the query has; 0 or below 0 where the server does not count them first. */
  totalResults: number;
  /** Changes with the results; a 64-bit number that has lost digits. */
  resultEtag: number;
}

/**
 * Documents as they arrive, to be gone through once. The next piece of the answer is read when the documents of the last
 * one are used up, so memory stays the same however many pass. Leaving the loop ends the request.
 */
export interface DocumentResultStream<T extends object = object>
  extends AsyncIterableIterator<StreamResult<T>> {
  /** Ends the request. */
  return(value?: unknown): Promise<IteratorResult<StreamResult<T>>>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A stream to be gone through at once, or to be awaited first, as npm `ravendb` has it. */
export type OpenedStream<T extends object = object> = Promise<DocumentResultStream<T>> &
  AsyncIterable<StreamResult<T>>;

/** What says a query: those of a session do, and {@link IndexQuery}. */
export interface StreamedQuery<T extends object = object> {
  /** The body for the server, `{"Query":"from Orders","QueryParameters":null}`. */
  indexQuery(): string | Promise<string>;
  /** The class that the documents become instances of. */
  documentType?: EntityType<T> | undefined;
}

/** A query in RQL with its parameters, for streams and for {@link PatchByQueryOperation}. */
export class IndexQuery {
  constructor(query: string);
  /** RQL, such as `from Orders where total > $least`. */
  query: string;
  /** Values by the names that the query has for them, without `$`. */
  queryParameters: object | undefined;
}

/** Options of {@link AdvancedSession.stream} by prefix. `exclude` is ignored by RavenDB's streams. */
export interface StreamOptions<T extends object = object> extends SessionLoadStartingWithOptions<T> {
  /** How the ids begin; `""`: all documents of the database. */
  startsWith: string;
}

// Patches

/** What {@link AdvancedSession.patchArray} is to do; each call adds a step. */
export class JavaScriptArray<T = unknown> {
  private constructor();
  /** Appends values. */
  push(...values: T[]): this;
  /** Takes out the item at an index. */
  removeAt(index: number): this;
  /** The script so far. */
  readonly script: string;
  /** The values that it names. */
  readonly parameters: Record<string, unknown>;
}

/** What {@link AdvancedSession.patchObject} is to do; each call adds a step. */
export class JavaScriptMap<TKey = string, TValue = unknown> {
  private constructor();
  /** Sets the value of a key, whatever the key's characters. */
  set(key: TKey, value: TValue): this;
  /** Takes out a key. */
  remove(key: TKey): this;
  /** The script so far. */
  readonly script: string;
  /** The values that it names. */
  readonly parameters: Record<string, unknown>;
}

/** What a session can do besides its daily work: `session.advanced`. */
export interface AdvancedSession {
  /** As {@link DocumentSession.query}. */
  documentQuery<T extends object, Field extends string = FieldOf<T>>(
    type: EntityType<T>,
  ): DocumentQuery<T, Field>;
  // biome-ignore lint/suspicious/noExplicitAny: of a collection alone nothing is known but its name
  documentQuery<T extends object = any, Field extends string = FieldOf<T>>(
    options: DocumentQueryOptions<T>,
  ): DocumentQuery<Tracked<T>, Field>;
  /** A query in RQL of the app's own. `type`: the class of its results. */
  // biome-ignore lint/suspicious/noExplicitAny: what a text of the app asks for is unknown
  rawQuery<T extends object = any>(text: string, type?: EntityType<T>): RawDocumentQuery<T>;
  /** The store; that of a session of another database is one of its own. */
  readonly documentStore: DocumentStore;
  /** Whatever the app wants to keep with the session. */
  readonly externalState: Map<string, unknown>;
  /** Requests made by this session: loads, saves, refreshes. `exists` and commands do not count. */
  readonly numberOfRequests: number;
  /** How many it may make; default: that of the conventions, 30. */
  maxNumberOfRequestsPerSession: number;
  /**
   * Whether what is written must be on the server as the session knows it, new documents included (they must not exist).
   * Default: that of the conventions, `false`. `true` means {@link optimisticConcurrencyMode} `"Writes"`.
   */
  useOptimisticConcurrency: boolean;
  /** `"WritesAndReads"`: what was only loaded has to be as it was, too (RavenDB 7.2 and later). */
  optimisticConcurrencyMode: OptimisticConcurrencyMode;
  /** Of the saves from now on. Cluster-wide ones guard themselves: they take no change vectors and no `companies/` ids. */
  transactionMode: TransactionMode;
  /** The same. */
  setTransactionMode(mode: TransactionMode): void;
  /** Sends commands that are no part of the unit of work. */
  readonly requestExecutor: RequestExecutor;
  /** The same. */
  getRequestExecutor(): RequestExecutor;
  /**
   * Listens to this session. Called within `saveChanges` or `load`, which fails with what a listener throws; what a
   * listener of `beforeStore` changes is saved with it.
   */
  on<Name extends keyof SessionEvents>(event: Name, listener: (event: SessionEvents[Name]) => void): this;
  /** Ends that. */
  off<Name extends keyof SessionEvents>(event: Name, listener: (event: SessionEvents[Name]) => void): this;
  /** The same. */
  removeListener<Name extends keyof SessionEvents>(
    event: Name,
    listener: (event: SessionEvents[Name]) => void,
  ): this;
  /**
   * The id of an entity of this session, `null` for others. Of an id that is yet to be made its beginning: `companies/`.
   */
  getDocumentId(entity: object): string | null;
  /**
   * The change vector as last saved or loaded; `null` for an entity that was never saved (the type is npm `ravendb`'s).
   * @throws {RavenEdgeError} `InvalidArgument`, `InvalidOperation`, `NonUniqueObject` for what is no entity of this session.
   */
  getChangeVectorFor(entity: object): string;
  /** When the server last changed it, to the millisecond; `null` and errors as for {@link getChangeVectorFor}. */
  getLastModifiedFor(entity: object): Date;
  /**
   * The metadata of an entity: always the same object, also at `entity["@metadata"]`. Change it, and the next save sends it.
   * @throws {RavenEdgeError} as {@link getChangeVectorFor}.
   */
  getMetadataFor(entity: object): IMetadataDictionary;
  /** Whether anything would be sent. Looking changes nothing, costs no request and makes nothing be sent. */
  hasChanges(): boolean;
  /** Whether this entity differs from what is stored, metadata included; new ones do, entities of nobody do not. */
  hasChanged(entity: object): boolean;
  /** The changes of all documents by id; metadata are not told. */
  whatChanged(): Record<string, DocumentsChanges[]>;
  /** Those of one entity. */
  whatChangedFor(entity: object): DocumentsChanges[];
  /** Whether `load` would need no request: the session has the document, or knows that there is none. */
  isLoaded(id: string): boolean;
  /** Whether there is such a document (`HEAD docs`); no request when the session knows. */
  exists(id: string): Promise<boolean>;
  /** Forgets an entity with its changes; the next `load` asks the server. */
  evict(entity: object): void;
  /** Forgets everything: entities, changes, deletions, deferred commands, pending lazy loads. */
  clear(): void;
  /**
   * Reads entities again, in one request: what has changed here is lost, fields that are gone there go.
   * @throws {RavenEdgeError} `InvalidOperation` (of several: `InvalidArgument`) when a document no longer exists; its
   * entity keeps its values then. `InvalidArgument` for what is no entity of this session.
   */
  refresh(entity: object | object[]): Promise<void>;
  /** Changes of this entity are not saved from now on; it can be deleted. */
  ignoreChangesFor(entity: object): void;
  /**
   * The documents whose ids begin like this, in the order of ids; of those that the session has, its own objects.
   *
   * ```ts
   * const march = await session.advanced.loadStartingWith<Log>("logs/2026-03-", { pageSize: 1024 });
   * ```
   */
  loadStartingWith<T extends object>(
    prefix: string,
    options: SessionLoadStartingWithOptions<T> & { documentType: EntityType<T> },
  ): Promise<T[]>;
  loadStartingWith<T extends object>(
    prefix: string,
    options?: SessionLoadStartingWithOptions<T>,
  ): Promise<Tracked<T>[]>;
  /**
   * Documents one by one, however many there are (`GET streams/docs`, `POST streams/queries`). They are not tracked. The
   * answer is read as the loop goes on, each piece within the store's time limit; leaving the loop ends the request.
   *
   * ```ts
   * for await (const { id, document } of session.advanced.stream<Log>("logs/2026-", { documentType: Log })) …
   *
   * const query = session.advanced.rawQuery<Order>("from Orders where total > $least").addParameter("least", 100);
   * for await (const { document } of session.advanced.stream(query, (statistics) => …)) …
   * ```
   *
   * By a prefix it is no request that counts for {@link maxNumberOfRequestsPerSession}, as in npm `ravendb`; by a query it is.
   *
   * @throws {RavenEdgeError} by `next`, or where it is awaited: `BadAnswer` when the answer was cut off, `Unreachable` when
   * the connection was lost, `Timeout` when nothing more came in time, `Server` with the server's own type also for what
   * went wrong in the middle, `Disposed` when session or store are, `Unsupported` for a query that waits for an index,
   * `InvalidArgument` for what is no query.
   */
  stream<T extends object>(prefix: string, options?: SessionLoadStartingWithOptions<T>): OpenedStream<T>;
  stream<T extends object>(options: StreamOptions<T>): OpenedStream<T>;
  stream<T extends object>(
    query: RawDocumentQuery<T>,
    statistics?: (statistics: StreamQueryStatistics) => void,
  ): OpenedStream<T>;
  stream<T extends object>(
    query: StreamedQuery<T> | IndexQuery,
    statistics?: (statistics: StreamQueryStatistics) => void,
  ): OpenedStream<T>;
  /**
   * Sets a member of a document on the server, with the next save and in its transaction. Several patches of one document
   * are one command. An entity that the session has follows: after the save it shows what the server has. A document that
   * does not exist is left alone; one that has changed in the session, too, is refused by the save (`InvalidOperation`).
   *
   * ```ts
   * session.advanced.patch("products/7-A", "prices[0].amount", 12.5);
   * session.advanced.patch(product, 'texts["de-DE"]', "Käse");
   * await session.saveChanges();
   * ```
   *
   * @param path A path of names, `[0]` and `["any text"]`. It becomes part of a script, so nothing else is taken.
   * @throws {RavenEdgeError} `InvalidArgument` for what is no path, an empty id, an entity that was never saved;
   * `InvalidOperation` for what is no entity of this session.
   */
  patch(entityOrId: object | string, path: string, value: unknown): void;
  /** Adds to a number, or appends to a text; what is missing, `null`, 0 or empty becomes the value. Else as {@link patch}. */
  increment(entityOrId: object | string, path: string, valueToAdd: unknown): void;
  /**
   * Changes an array. Else as {@link patch}.
   *
   * ```ts
   * session.advanced.patchArray<Order, Line>("orders/1-A", "lines", (lines) => lines.push(line).removeAt(0));
   * ```
   */
  patchArray<TEntity extends object = object, TValue = unknown>(
    entityOrId: TEntity | string,
    pathToArray: string,
    change: (array: JavaScriptArray<TValue>) => void,
  ): void;
  /** Changes an object whose keys are data. Else as {@link patch}. */
  patchObject<TEntity extends object = object, TKey = string, TValue = unknown>(
    entityOrId: TEntity | string,
    pathToObject: string,
    change: (map: JavaScriptMap<TKey, TValue>) => void,
  ): void;
  /**
   * Patches a document, or makes this one where there is none; it is made as it is, without the patch.
   *
   * ```ts
   * session.advanced.addOrIncrement("visits/2026-11-22", new Visits(1), "count", 1);
   * ```
   */
  addOrPatch(id: string, entity: object, path: string, value: unknown): void;
  /** The same with {@link increment}. */
  addOrIncrement(id: string, entity: object, path: string, valueToAdd: unknown): void;
  /** The same with {@link patchArray}. */
  addOrPatchArray<TEntity extends object = object, TValue = unknown>(
    id: string,
    entity: TEntity,
    pathToArray: string,
    change: (array: JavaScriptArray<TValue>) => void,
  ): void;
  /** What the session knows, by id (whatever its case); what was only included is not in it. */
  getTrackedEntities(): Map<string, EntityInfo>;
  /** Commands that travel with the next save, behind its documents. Not about a document that has changed here, too. */
  defer(...commands: ICommandData[]): void;
  /** Every save from now on waits until other nodes have copies (RavenDB documentation, "Write Assurance"). */
  waitForReplicationAfterSaveChanges(options?: ReplicationBatchOptions): void;
  /** Every save from now on waits until indexes have seen it. */
  waitForIndexesAfterSaveChanges(options?: IndexBatchOptions): void;
  /** Loads that wait until one of their values is needed, and then travel in one request (`POST multi_get`). */
  readonly lazily: LazySessionOperations;
  /** Sends them now. */
  readonly eagerly: EagerSessionOperations;
}

/** By this name in npm `ravendb`. */
export type IAdvancedSessionOperations = AdvancedSession;

/** A value that is not loaded yet. */
export interface Lazy<T> {
  /** Whether it is. */
  isValueCreated(): boolean;
  /** It, after one request for everything that is pending; without one if the session has it. */
  getValue(): Promise<T>;
}

/**
 * Loads that wait.
 *
 * ```ts
 * const order = session.advanced.lazily.load("orders/1-A", Order);
 * const logs = session.advanced.lazily.loadStartingWith<Log>("logs/2026-03-");
 * console.log(await order.getValue(), await logs.getValue());   // one request
 * ```
 */
export interface LazySessionOperations {
  /** As {@link DocumentSession.include}. */
  include(path: string): LazySessionOperations;
  /** As {@link DocumentSession.load}; `onEval` is called with the value once it is there. */
  load<T extends object>(id: string, type: EntityType<T>, onEval?: (value: T | null) => void): Lazy<T | null>;
  load<T extends object>(
    id: string,
    type?: undefined,
    onEval?: (value: Tracked<T> | null) => void,
  ): Lazy<Tracked<T> | null>;
  load<T extends object>(
    ids: string[],
    type: EntityType<T>,
    onEval?: (value: EntitiesCollectionObject<T>) => void,
  ): Lazy<EntitiesCollectionObject<T>>;
  load<T extends object>(
    ids: string[],
    type?: undefined,
    onEval?: (value: EntitiesCollectionObject<Tracked<T>>) => void,
  ): Lazy<EntitiesCollectionObject<Tracked<T>>>;
  /** As {@link AdvancedSession.loadStartingWith}, but by id. */
  loadStartingWith<T extends object>(
    prefix: string,
    options: SessionLoadStartingWithOptions<T> & { documentType: EntityType<T> },
    onEval?: (value: EntitiesCollectionObject<T>) => void,
  ): Lazy<EntitiesCollectionObject<T>>;
  loadStartingWith<T extends object>(
    prefix: string,
    options?: SessionLoadStartingWithOptions<T>,
    onEval?: (value: EntitiesCollectionObject<Tracked<T>>) => void,
  ): Lazy<EntitiesCollectionObject<Tracked<T>>>;
}

/** `session.advanced.eagerly`. */
export interface EagerSessionOperations {
  /** Sends all pending loads in one request; none when there are none. A request that fails leaves them pending. */
  executeAllPendingLazyOperations(): Promise<void>;
}

/** A document is about to be sent (`beforeStore`): it and its metadata can still be changed. */
export interface SessionBeforeStoreEventArgs {
  readonly session: DocumentSession;
  /** Its id; of one that is yet to be made its beginning. */
  readonly documentId: string;
  getEntity(): object;
  getDocumentMetadata(): IMetadataDictionary;
  /** Whether somebody has asked this event for the metadata. */
  isMetadataAccessed(): boolean;
}

/** A document was saved (`afterSaveChanges`). */
export interface SessionAfterSaveChangesEventArgs {
  readonly session: DocumentSession;
  readonly documentId: string;
  readonly entity: object;
  readonly documentMetadata: IMetadataDictionary;
}

/** A document is about to be deleted (`beforeDelete`). By its id alone it has neither entity nor metadata. */
export interface SessionBeforeDeleteEventArgs {
  readonly session: DocumentSession;
  readonly documentId: string;
  readonly entity: object;
  readonly documentMetadata: IMetadataDictionary;
}

/** A document of the server is about to become an entity (`beforeConversionToEntity`). */
export interface BeforeConversionToEntityEventArgs {
  readonly session: DocumentSession;
  readonly id: string;
  /** The class that the app named, if it did. */
  readonly entityType: EntityType | undefined;
  /** The document with its `@metadata`; another one may take its place. */
  document: object;
}

/** It has become one (`afterConversionToEntity`). What a listener changes in it counts as a change. */
export interface AfterConversionToEntityEventArgs {
  readonly session: DocumentSession;
  readonly id: string;
  readonly entity: object;
  readonly document: object;
}

/** An entity is about to become a document (`beforeConversionToDocument`). */
export interface BeforeConversionToDocumentEventArgs {
  readonly session: DocumentSession;
  readonly id: string | null;
  readonly entity: object;
}

/** It has become one (`afterConversionToDocument`): `document.value` is what will be sent, and can be changed. */
export interface AfterConversionToDocumentEventArgs {
  readonly session: DocumentSession;
  readonly id: string | null;
  readonly entity: object;
  readonly document: { value: object };
}

/** The events of a session by name. */
export interface SessionEvents {
  beforeStore: SessionBeforeStoreEventArgs;
  afterSaveChanges: SessionAfterSaveChangesEventArgs;
  beforeDelete: SessionBeforeDeleteEventArgs;
  beforeConversionToEntity: BeforeConversionToEntityEventArgs;
  afterConversionToEntity: AfterConversionToEntityEventArgs;
  beforeConversionToDocument: BeforeConversionToDocumentEventArgs;
  afterConversionToDocument: AfterConversionToDocumentEventArgs;
  beforeQuery: SessionBeforeQueryEventArgs;
  sessionDisposing: SessionEventArgs;
}

/** Makes the id of a new entity: a final one, or `people/` or `people|` to have it made. */
export type IdConvention = (database: string, entity: object) => Promise<string> | string;

/**
 * How entities map to collections, classes, tags and ids; names and defaults are those of npm `ravendb`, unless said
 * otherwise. Properties are frozen by {@link DocumentStore.initialize} (setting one is a `TypeError` then); classes can
 * be registered any time.
 */
export class DocumentConventions {
  /** The property that shows an entity its id; default `"id"`. It is not stored in the document. */
  identityProperty: string;
  /** Stands between prefix and number of HiLo ids; one character, default `"/"`. Ids that the server makes have `/`. */
  identityPartsSeparator: string;
  /** Uses only the addresses given, whatever nodes the server knows of; default `false`. */
  disableTopologyUpdates: boolean;
  /** Of new sessions; default `"None"`. */
  optimisticConcurrencyMode: OptimisticConcurrencyMode;
  /** Whether that is not `"None"`; `true` sets `"Writes"`. */
  useOptimisticConcurrency: boolean;
  /** The same. */
  isUseOptimisticConcurrency(): boolean;
  /** The same. */
  setUseOptimisticConcurrency(on: boolean): void;
  /** Requests of a session before it refuses more; default 30. */
  maxNumberOfRequestsPerSession: number;
  /** Milliseconds, for {@link AdvancedSession.waitForIndexesAfterSaveChanges}; default 15,000. */
  waitForIndexesAfterSaveChangesTimeout: number;
  /** Milliseconds, for {@link AdvancedSession.waitForReplicationAfterSaveChanges}; default 15,000. */
  waitForReplicationAfterSaveChangesTimeout: number;
  /** Milliseconds, for {@link RawDocumentQuery.waitForNonStaleResults}; default 15,000. */
  waitForNonStaleResultsTimeout: number;
  /**
   * `"RoundRobin"`: the reads of a session begin with one of the database's nodes, those of the next session with the next;
   * default `"None"`: the node in use. Writes and leases stay with the node in use. (`"FastestNode"` of npm `ravendb` is
   * not there: `Unsupported`.) The server's client configuration may say another one, and
   * {@link maxNumberOfRequestsPerSession}, too.
   */
  readBalanceBehavior: "None" | "RoundRobin";
  /**
   * Bytes of answers to loads and queries that a store keeps, so that the server can say "not modified" (`ETag`, 304)
   * in place of sending them again; default 8,388,608 (npm `ravendb`: 128 MiB), 0: none. The server is always asked:
   * nothing old is ever shown.
   */
  maxHttpCacheSize: number;
  /**
   * Whether a `Date` is stored in UTC, with a `Z`; default `false`: in the time of this place without saying so, as npm
   * `ravendb` does. Set it where browsers of several time zones write the same documents.
   */
  storeDatesInUtc: boolean;
  /**
   * The longest id that may be stored, in bytes of UTF-8; default 512. (Ours: RavenDB's documentation says 2,025, its
   * servers refuse more than 512 from version 5 on.)
   */
  maxIdLength: number;
  /** Whether `\` may be in an id; default `false`. (Ours: the documentation forbids it, the server takes it.) */
  allowBackslashInIds: boolean;
  /**
   * Whether a changed document is saved although JavaScript cannot hold a number in it (9007199254740993); default
   * `false`: `saveChanges` fails with `InexactNumber`. (Ours: npm `ravendb` loses the digits in silence.)
   */
  allowInexactNumbers: boolean;
  /** The collection of a class; nothing: the plural of its name. */
  findCollectionName: ((type: EntityType) => string | null | undefined) | undefined;
  /** The collection of a plain object that has none in its `@metadata`; nothing: no collection, and a GUID as id. */
  findCollectionNameForObjectLiteral: ((entity: object) => string | null | undefined) | undefined;
  /** The tag of a collection; default `Orders` → `orders`, but `OrderLines` stays. */
  transformClassCollectionNameToDocumentIdPrefix: (collection: string) => string;
  /**
   * Makes the ids of new entities without one, in place of HiLo. Documents under them must not exist yet, for nobody but
   * the app knows whether they are its alone.
   */
  documentIdGenerator: IdConvention | undefined;
  /** Whether a new or changed entity is not to be saved. */
  shouldIgnoreEntityChanges:
    | ((session: DocumentSession, entity: object, documentId: string) => boolean)
    | undefined;
  /**
   * Makes a class known by name: its documents note it (`Raven-Node-Type`) and become its instances again, and its
   * collection is the plural of that name. Say the name where code is minified: names of classes do not survive.
   *
   * ```ts
   * conventions.registerEntityType(Order, "Order");   // collection Orders, ids orders/1-A
   * ```
   * @param name Default: the class's own.
   * @throws {RavenEdgeError} `InvalidArgument` for what is no class.
   */
  registerEntityType(type: EntityType, name?: string): this;
  /** The same. */
  registerJsType(type: EntityType, name?: string): this;
  /** The property that shows an entity of this class its id, in place of {@link identityProperty}. */
  registerEntityIdPropertyName(type: EntityType, property: string): this;
  /**
   * Makes the ids of new entities of a class and those derived from it, as {@link documentIdGenerator} does.
   *
   * ```ts
   * conventions.registerIdConvention(Person, async (_database, entity) => `people/${(entity as Person).email}`);
   * ```
   * @throws {RavenEdgeError} after {@link DocumentStore.initialize}.
   */
  registerIdConvention<T extends object>(
    type: EntityType<T>,
    convention: (database: string, entity: T) => Promise<string> | string,
  ): this;
  /** The property that shows an entity of this class its id. */
  getIdentityProperty(type: EntityType): string;
  /**
   * The collection of a class.
   * @throws {RavenEdgeError} `InvalidOperation` before the first entity of any class was stored: what makes plurals is
   * loaded then.
   */
  getCollectionNameForType(type: EntityType): string;
}

/** A request that knows its answer, for {@link DocumentStore.execute}: one of the commands below. */
export interface RavenCommand<TResult> {
  /** What is sent. */
  readonly request: object;
  /** What it came to; `null` until it was sent. */
  readonly result: TResult;
}

/** Sends commands. */
export interface RequestExecutor {
  /** See {@link DocumentStore.execute}. */
  execute(command: RavenCommand<unknown>): Promise<void>;
}

/** Something to be done with a database, for {@link DocumentStore.operations}. */
export interface RavenOperation<TResult> {
  getCommand(conventions: DocumentConventions): RavenCommand<TResult>;
}

/** What the server goes on with after it has answered. */
export interface AwaitableOperation {
  getCommand(conventions?: DocumentConventions): Promise<RavenCommand<unknown>>;
}

/** Sends operations. */
export interface OperationExecutor {
  /**
   * Has the server begin with an operation.
   *
   * ```ts
   * const operation = await store.operations.send(new DeleteByQueryOperation("from Orders where state = 'void'"));
   * await operation.waitForCompletion();
   * ```
   */
  send(operation: AwaitableOperation): Promise<OperationCompletionAwaiter>;
  /** Patches a document. `documentType`: the class that its entity becomes an instance of; the second argument is npm's own. */
  send<T extends object>(
    operation: PatchOperation,
    sessionInfo?: unknown,
    documentType?: EntityType<T>,
  ): Promise<PatchOperationResult<T>>;
  /**
   * Sends an operation and gives what it results in.
   * @throws {RavenEdgeError} as {@link DocumentStore.execute}.
   */
  send<TResult>(operation: RavenOperation<TResult>): Promise<TResult>;
  /** The same for another database of the server. */
  forDatabase(database: string): OperationExecutor;
}

/** What {@link PutDocumentCommand} came to. */
export interface PutResult {
  /** The final id, also of one that the server made. */
  id: string;
  changeVector: string;
}

/**
 * Writes a document (`PUT docs`).
 *
 * ```ts
 * const command = new PutDocumentCommand("companies/", null, { name: "Acme", "@metadata": { "@collection": "Companies" } });
 * await store.getRequestExecutor().execute(command);
 * command.result.id;   // companies/0000000000000000027-A
 * ```
 */
export class PutDocumentCommand implements RavenCommand<PutResult> {
  /**
   * @param id May end with `/` or the pipe: then the server makes it.
   * @param changeVector What has to be there: `null`: anything; `""`: nothing, the document must not exist.
   * @param document With its `@metadata`; what the server says in it (`@id`, `@change-vector`, …) is left out.
   * @throws {RavenEdgeError} `InvalidArgument` for a blank id or no document; when executed: `Concurrency`, ….
   */
  constructor(id: string, changeVector: string | null | undefined, document: object);
  readonly request: object;
  readonly result: PutResult;
}

/** Deletes a document (`DELETE docs`), whether there is one or not. */
export class DeleteDocumentCommand implements RavenCommand<null> {
  /** @param changeVector What has to be there; default: anything. */
  constructor(id: string, changeVector?: string | null);
  readonly request: object;
  readonly result: null;
}

/** The change vector of a document (`HEAD docs`), `null` when there is none. */
export class HeadDocumentCommand implements RavenCommand<string | null> {
  constructor(id: string);
  readonly request: object;
  readonly result: string | null;
}

/** What {@link GetDocumentsCommand} is to read: one id, several, or all that begin alike. */
export interface GetDocumentsCommandOptions {
  id?: string | undefined;
  ids?: string[] | undefined;
  /** Paths to ids of documents that come along. */
  includes?: string[] | undefined;
  /** Only the `@metadata` of each; default `false`. */
  metadataOnly?: boolean | undefined;
  startsWith?: string | undefined;
  /** As in {@link StartingWithOptions}. */
  matches?: string | undefined;
  exclude?: string | undefined;
  startAfter?: string | undefined;
  start?: number | undefined;
  pageSize?: number | undefined;
  /** Taken because npm `ravendb` wants it; not needed. */
  conventions?: DocumentConventions | undefined;
}

/** What {@link GetDocumentsCommand} came to. */
export interface GetDocumentsResult {
  /** The documents as they are stored, in the order of the ids; `null` where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: documents of any shape, as in npm `ravendb`
  results: any[];
  /** What was included, by id. */
  includes: Record<string, unknown>;
}

/** Reads documents as they are stored, past any session (`GET docs`). */
export class GetDocumentsCommand implements RavenCommand<GetDocumentsResult> {
  /** @throws {RavenEdgeError} `InvalidArgument` when the options say nothing to read. */
  constructor(options: GetDocumentsCommandOptions);
  readonly request: object;
  /** `null` when there is no document of a single id. */
  readonly result: GetDocumentsResult;
}

/**
 * The next number of an identity (`POST identity/next`), which the whole cluster counts. A command that is sent twice
 * gives the same number: nothing is burnt.
 *
 * ```ts
 * const command = new NextIdentityForCommand("invoices");
 * await store.execute(command);
 * const id = `invoices/${command.result}`;
 * ```
 */
export class NextIdentityForCommand implements RavenCommand<number> {
  /**
   * @param name With or without the pipe at its end; without case.
   * @throws {RavenEdgeError} `InvalidArgument` for a blank name.
   */
  constructor(name: string);
  readonly request: object;
  readonly result: number;
}

/** Sets an identity (`POST identity/seed`); results in the number that it has then. */
export class SeedIdentityForCommand implements RavenCommand<number> {
  /**
   * @param value A whole number; the next one is one above. A lower one than there is changes nothing, unless forced.
   * @throws {RavenEdgeError} `InvalidArgument`.
   */
  constructor(name: string, value: number, forced?: boolean);
  readonly request: object;
  readonly result: number;
}

/** {@link NextIdentityForCommand} as an operation; each sending is a number of its own. */
export class NextIdentityForOperation implements RavenOperation<number> {
  constructor(name: string);
  getCommand(conventions?: DocumentConventions): RavenCommand<number>;
}

/** {@link SeedIdentityForCommand} as an operation. */
export class SeedIdentityForOperation implements RavenOperation<number> {
  constructor(name: string, value: number, forceUpdate?: boolean);
  getCommand(conventions?: DocumentConventions): RavenCommand<number>;
}

/** All identities of the database with their last numbers, by name with the pipe (`GET debug/identities`). */
export class GetIdentitiesOperation implements RavenOperation<Record<string, number>> {
  constructor();
  getCommand(conventions?: DocumentConventions): RavenCommand<Record<string, number>>;
}

/** Sizes as the server tells them. */
export interface Size {
  humaneSize: string;
  sizeInBytes: number;
}

/** What the server says of a database (`GET stats`); names in the case of JavaScript. */
export interface DatabaseStatistics {
  countOfDocuments: number;
  countOfIndexes: number;
  countOfRevisionDocuments: number;
  countOfTombstones: number;
  countOfDocumentsConflicts: number;
  countOfConflicts: number;
  countOfAttachments: number;
  countOfUniqueAttachments: number;
  countOfCounterEntries: number;
  countOfTimeSeriesSegments: number;
  lastDocEtag: number;
  lastDatabaseEtag: number;
  databaseChangeVector: string;
  databaseId: string;
  numberOfTransactionMergerQueueOperations: number;
  is64Bit: boolean;
  pager: string;
  lastIndexingTime: string | null;
  sizeOnDisk: Size;
  tempBuffersSizeOnDisk: Size;
  indexes: unknown[];
  /** What versions to come add. */
  [name: string]: unknown;
}

/** {@link DatabaseStatistics}. */
export class GetStatisticsOperation implements RavenOperation<DatabaseStatistics> {
  constructor();
  getCommand(conventions?: DocumentConventions): RavenCommand<DatabaseStatistics>;
}

/** A command for {@link AdvancedSession.defer}: one of those below, or one of the app's. */
export interface ICommandData {
  /** The document that it is about; the session refuses to save a change of the same one with it. */
  readonly id?: string | null | undefined;
  /** What it does, in the words of `POST bulk_docs`: `PUT`, `DELETE`, `PATCH`, …. */
  readonly type: string;
  /** What is sent. */
  serialize(conventions: DocumentConventions): object;
}

/** Writes a document. */
export class PutCommandDataBase<T extends object = object> implements ICommandData {
  /**
   * @param changeVector What has to be there: `null`: anything; `""`: nothing.
   * @param originalChangeVector Not used; npm `ravendb` has it here.
   * @param document With its `@metadata`.
   */
  constructor(
    id: string,
    changeVector: string | null | undefined,
    originalChangeVector: string | null | undefined,
    document: T,
  );
  readonly id: string;
  readonly type: "PUT";
  readonly changeVector: string | null;
  readonly document: T;
  serialize(conventions?: DocumentConventions): object;
}

/** The same, by its other name in npm `ravendb`. */
export class PutCommandDataWithJson extends PutCommandDataBase<object> {}

/** Deletes a document, whether there is one or not. */
export class DeleteCommandData implements ICommandData {
  /** @param changeVector What has to be there; default: anything. */
  constructor(id: string, changeVector?: string | null);
  readonly id: string;
  readonly type: "DELETE";
  readonly changeVector: string | null;
  serialize(conventions?: DocumentConventions): object;
}

/**
 * A script that changes a document on the server (RavenDB documentation, "Single Document Patch Operations").
 *
 * ```ts
 * const patch = Object.assign(PatchRequest.forScript("this.stock -= args.by"), { values: { by: 4 } });
 * session.advanced.defer(new PatchCommandData("products/7-A", null, patch));
 * ```
 */
export class PatchRequest {
  constructor();
  /** JavaScript; the document is `this`. */
  script: string;
  /** What the script has as `args`. */
  values: Record<string, unknown>;
  static forScript(script: string): PatchRequest;
  serialize(conventions?: DocumentConventions): object;
}

/** Patches a document; of one that does not exist nothing happens. */
export class PatchCommandData implements ICommandData {
  /**
   * @param changeVector What has to be there: `null`: anything.
   * @param patchIfMissing Makes the document when there is none.
   */
  constructor(
    id: string,
    changeVector: string | null | undefined,
    patch: PatchRequest,
    patchIfMissing?: PatchRequest | null,
  );
  readonly id: string;
  readonly type: "PATCH";
  readonly changeVector: string | null;
  readonly patch: PatchRequest;
  readonly patchIfMissing: PatchRequest | null | undefined;
  /** The document to be made where there is none, with its `@metadata`. */
  createIfMissing?: object | undefined;
  serialize(conventions?: DocumentConventions): object;
}

/** What became of a patch; npm `ravendb` says `NotModified` where a change vector did not fit and was to be skipped. */
export type PatchStatus = "DocumentDoesNotExist" | "Created" | "Patched" | "Skipped" | "NotModified";

/** What {@link PatchOperation} came to. */
export interface PatchOperationResult<T extends object = object> {
  status: PatchStatus;
  /** The document as it is now; `undefined` where there is none, or it was skipped. Its metadata has the collection alone. */
  document: T | undefined;
}

/**
 * Patches a document at once, outside of any session (`PATCH docs`).
 *
 * ```ts
 * const patch = Object.assign(PatchRequest.forScript("this.stock -= args.by"), { values: { by: 4 } });
 * const { status } = await store.operations.send(new PatchOperation("products/7-A", null, patch));
 * ```
 */
export class PatchOperation {
  /**
   * @param changeVector What has to be there, `null`: anything; else the send fails with `Concurrency`.
   * @param patchIfMissing Makes the document when there is none.
   * @param skipPatchIfChangeVectorMismatch Whether another change vector is no error; default `false`.
   * @throws {RavenEdgeError} `InvalidArgument` without a script.
   */
  constructor(
    id: string,
    changeVector: string | null | undefined,
    patch: PatchRequest,
    patchIfMissing?: PatchRequest | null,
    skipPatchIfChangeVectorMismatch?: boolean,
  );
  /** Tells it from other operations. */
  private readonly patch: PatchRequest;
  getCommand(conventions: DocumentConventions): RavenCommand<unknown>;
}

/** How the server works on all documents of a query. */
export interface QueryOperationOptions {
  /** Whether an index may be used that has not seen everything; default `false`: an error (`InvalidOperation` by name). */
  allowStale?: boolean | undefined;
  /** How long to wait for the index, in milliseconds, or as RavenDB writes it (`"00:01:00"`); default: not at all. */
  staleTimeout?: number | string | undefined;
  /** How many documents in a second at most; default: as fast as it can. */
  maxOpsPerSecond?: number | undefined;
  /** Whether the result tells each document; default `false`. */
  retrieveDetails?: boolean | undefined;
  /** Patches alone: whether a script may make more steps than the server's configuration says; default `false`. */
  ignoreMaxStepsForScript?: boolean | undefined;
}

/**
 * Patches all documents of a query (`PATCH queries`).
 *
 * ```ts
 * const query = new IndexQuery("from Orders where state = $state update { this.archived = true }");
 * query.queryParameters = { state: "done" };
 * const operation = await store.operations.send(new PatchByQueryOperation(query));
 * await operation.waitForCompletion();
 * ```
 */
export class PatchByQueryOperation implements AwaitableOperation {
  /** @throws {RavenEdgeError} `InvalidArgument` without a query. */
  constructor(queryToUpdate: string | IndexQuery | StreamedQuery, options?: QueryOperationOptions);
  getCommand(): Promise<RavenCommand<unknown>>;
}

/** Deletes all documents of a query (`DELETE queries`). */
export class DeleteByQueryOperation implements AwaitableOperation {
  /** @throws {RavenEdgeError} `InvalidArgument` without a query. */
  constructor(queryToDelete: string | IndexQuery | StreamedQuery, options?: QueryOperationOptions);
  getCommand(): Promise<RavenCommand<unknown>>;
}

/** An operation that the server works on. */
export class OperationCompletionAwaiter {
  private constructor();
  /** Its number on the node that works on it. */
  readonly id: number;
  /** That node. */
  readonly nodeTag: string;
  /**
   * Waits until it is over: asks the node that works on it (`GET operations/state`), soon at first, then twice a second.
   * @throws {RavenEdgeError} `Server` with the type of what went wrong, such as `JavaScriptException`; `Canceled`
   * (`OperationCanceledException`) when somebody ended it; errors of requests.
   */
  waitForCompletion(): Promise<void>;
  /** Ends it (`POST operations/kill`); what was done stays done. */
  kill(): Promise<void>;
}

/** How far an operation is. */
export interface OperationState {
  status: "InProgress" | "Completed" | "Faulted" | "Canceled";
  /** `{ processed, total }` of a patch or deletion, while it goes on. */
  progress: object | null;
  /** `{ total, query, … }` of a patch or deletion, once it is over. */
  result: object | null;
}

/** Asks how far an operation is (`GET operations/state`); `null` where the server does not know it. */
export class GetOperationStateOperation implements RavenOperation<OperationState | null> {
  constructor(id: number);
  getCommand(conventions?: DocumentConventions): RavenCommand<OperationState | null>;
}

/**
 * What kind of error it is; stable across versions.
 *
 * | code | `name` | when |
 * |---|---|---|
 * | `InvalidArgument` | `InvalidArgumentException` | an argument cannot be meant |
 * | `InvalidTag` | `InvalidArgumentException` | RavenDB cannot lease this tag safely |
 * | `InvalidId` | `InvalidArgumentException` | this cannot be the id of a document; the message says why |
 * | `InvalidOperation` | `InvalidOperationException` | the store or session is not in a state for it |
 * | `NonUniqueObject` | `NonUniqueObjectException` | the session has another object under the id |
 * | `InexactNumber` | `InvalidOperationException` | saving would change a number that JavaScript cannot hold |
 * | `Disposed` | `InvalidOperationException` | the store or session was disposed, or conventions are frozen |
 * | `Timeout` | `TimeoutException` | no answer, or no id, within the time limit |
 * | `Unreachable` | `AllTopologyNodesDownException` | no node of the server could be reached |
 * | `OutcomeUnknown` | `RavenException` | the answer to a save was lost, and nobody can tell whether it was saved |
 * | `ForeignOrigin` | `RavenException` | RavenDB refuses pages of another origin |
 * | `Server` | the server's own if its clients know it, such as `DatabaseDoesNotExistException`, else `RavenException` | the server refused |
 * | `Concurrency` | `ConcurrencyException` and others of status 409 | a document is not what was expected |
 * | `Canceled` | `OperationCanceledException` | an operation was ended by somebody |
 * | `BadAnswer` | `RavenException` | the answer makes no sense, and nothing of it was used; or a stream was cut off |
 * | `Exhausted` | `RavenException` | the counter is beyond 2^53 − 1 |
 * | `Unsupported` | `NotSupportedException` | this platform cannot do it |
 * | `Dead` | `RavenException` | the WebAssembly instance failed; open a new session |
 * | `Storage` | `RavenException` | numbers cannot be parked on this device |
 * | `LoadFailed` | `RavenException` | the WebAssembly module cannot be loaded |
 */
export type ErrorCode =
  | "InvalidArgument"
  | "InvalidTag"
  | "InvalidId"
  | "InvalidOperation"
  | "NonUniqueObject"
  | "InexactNumber"
  | "Disposed"
  | "Timeout"
  | "Unreachable"
  | "OutcomeUnknown"
  | "ForeignOrigin"
  | "Server"
  | "Concurrency"
  | "Canceled"
  | "BadAnswer"
  | "Exhausted"
  | "Unsupported"
  | "Dead"
  | "Storage"
  | "LoadFailed";

/** Every error of this package. `name` is what npm `ravendb` calls the same thing, such as `ConcurrencyException`. */
export class RavenEdgeError extends Error {
  private constructor();
  readonly code: ErrorCode;
  /** RavenDB's exception type in full, when the error is the server's own. */
  readonly type?: string;
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  /** Method and path of the request that failed. */
  readonly request?: string;
  /**
   * What became of a save whose answer was lost or came too late. `"saved"`: the server has it, and only what was to
   * happen afterwards (copies, indexes) took too long; the session knows of it. `"not saved"`: save again. `"unknown"`:
   * see {@link ErrorCode} `OutcomeUnknown`. Absent on other errors: the server, or this package, refused, and nothing of
   * the batch was saved (unless a proxy made up the answer: a `Server` error without {@link type}, status 502 to 504).
   */
  readonly outcome?: "saved" | "not saved" | "unknown";
  /** On a concurrency error: the document. */
  readonly id?: string;
  /** On a concurrency error: the change vector asked for; empty: "must not exist". */
  readonly expectedChangeVector?: string;
  /** On a concurrency error: the change vector that is there; absent: the document does not exist. */
  readonly actualChangeVector?: string;
}
