// A store as apps see it: the connection to a database. Types alone.

import type { BulkInsertOperation, BulkInsertOptions } from "../bulk-insert/bulk-insert-types.js";
import type { EntitiesCollectionObject, Tracked } from "../documents/entity-types.js";
import type { AbstractIndexCreationTaskBase } from "../indexes/index-tasks.js";
import type { IDatabaseChanges, WatchCallback, WatchOptions } from "../live/live-types.js";
import type { Claims, NamedQueryOptions, Names } from "../named/named-definitions.js";
import type { HiLo, IHiLoIdGenerator } from "../numbers/hilo-types.js";
import type { OfflineQueue } from "../offline/offline-types.js";
import type {
  MaintenanceOperationExecutor,
  OperationExecutor,
  RavenCommand,
} from "../operations/operation-types.js";
import type { DocumentQueryOptions } from "../query/query-options.js";
import type { DocumentSession } from "../session/document-session-types.js";
import type { SessionOptions } from "../session/session-options.js";
import type { DocumentSubscriptions } from "../subscriptions/subscription-types.js";
import type { TimeSeriesOperations } from "../time-series/store-types.js";
import type { TraceListener } from "../tracing/trace-types.js";
import type { DocumentConventions } from "./conventions.js";
import type { RequestEvents, StoreEvents, StoreSessionEvents } from "./store-event-types.js";
import type { StoreOptions } from "./store-options-types.js";

declare global {
  // As in `lib.esnext.disposable`, for apps without that library and for TypeScript before 5.2.
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** A query that `watch` follows: options, or a function that makes it in the session of each read. */
export type WatchedQuery<T, Known extends Names = Names> =
  | (DocumentQueryOptions<object> & { named?: undefined })
  | NamedQueryOptions<Known, object>
  | ((session: DocumentSession<Known>) => { all(): Promise<T[]> });

/**
 * The connection to a database: one per database and app. Sessions and ids come from it.
 *
 * ```ts
 * const store = new DocumentStore(["https://a.example", "https://b.example"], "Shop").initialize();
 * ```
 */
export declare class DocumentStore<Defined extends Names = Names> {
  /**
   * @param urls Address of the server, or of several nodes. A page reaches RavenDB through its own origin (RavenDB
   * refuses other origins), so there it is a path such as `"/raven"`.
   * @param database Name of the database; without it, {@link openSession} and `forDatabase` have to name one.
   */
  constructor(urls: string | string[], database?: string, options?: StoreOptions | null);
  /** The addresses as the app gave them. Before {@link initialize} it can name others. */
  urls: string[];
  /** The database's name; empty or `undefined` if there is none. Before {@link initialize} the app can name another one. */
  database: string;
  /** The options of the store. Before {@link initialize}, those that are set are added to them; a certificate replaces the former one. */
  get authOptions(): StoreOptions;
  set authOptions(options: StoreOptions | null | undefined);
  /** For readers of logs; default: the addresses and the database, `http://127.0.0.1:8080 DB: Shop`. */
  identifier: string;
  /** Numbers and ids by the names of npm `ravendb`; those of {@link hilo}. The first call loads the code. */
  readonly hiLoIdGenerator: IHiLoIdGenerator & { returnUnusedRange(): Promise<void> };
  /** Names of values, and policies, of time series. The first call loads the code. */
  readonly timeSeries: TimeSeriesOperations;
  /** Time limit in milliseconds. */
  readonly timeout: number;
  /** How entities map to collections and ids; change it before {@link initialize}. */
  conventions: DocumentConventions;
  /**
   * Checks the configuration, freezes the conventions and begins to load the WebAssembly module; nothing is sent.
   * @throws {RavenEdgeError} `InvalidArgument`, also for an unknown option, or `Unsupported` for a certificate that this platform
   * cannot read.
   */
  initialize(): this;
  /**
   * Resolves when the module is loaded, and the code that names collections after classes. Only needed if the first id, the text of
   * a query or the name of a collection has to be there synchronously.
   * @param tags Counters whose ids are needed synchronously (`take()`): for each of them, and for those named by `hilo()` before, up
   * to eight parked numbers are read into memory, and `status().parked` is correct from then on. Without tags, a counter that is named
   * later looks for parked numbers when it is first used, so its first `take()` returns `undefined`. Nothing is leased.
   * @throws {RavenEdgeError} `InvalidTag` for a tag that RavenDB cannot lease safely, `InvalidOperation` for tags if no database is
   * named, `Timeout`, `LoadFailed`, `Disposed`.
   */
  ready(...tags: string[]): Promise<void>;
  /**
   * The ids of a collection's counter. One per tag and store, whatever its case: RavenDB's counters ignore case.
   * A tag that RavenDB cannot lease safely is refused when ids are requested.
   * @throws {RavenEdgeError} `InvalidOperation` before {@link initialize}, `InvalidTag` for a value that is not a string.
   */
  hilo(tag: string): HiLo;
  /**
   * A unit of work. It can be used at once, before the module is loaded.
   *
   * ```ts
   * const session = store.openSession();
   * const reading = store.openSession({ database: "Archive", noTracking: true });
   * ```
   * @param options The name of another database, or {@link SessionOptions}.
   * @throws {RavenEdgeError} `InvalidOperation` before {@link initialize} or if no database is named, `InvalidArgument` for
   * an unknown option, `Disposed` after {@link dispose}.
   */
  openSession(options?: string | SessionOptions): DocumentSession<Defined>;
  /**
   * Declares queries and patches under names, for a client that reaches RavenDB itself. A client behind a gateway uses the names that the
   * gateway declares, and does not call this. Call it before the first session.
   *
   * ```ts
   * const store = new DocumentStore("https://ravendb.example", "Shop").named(names, { name: "users/1-A" }).initialize();
   * ```
   * No rights are checked: whoever has this store may do everything.
   * @param claims Values of claims that the texts use, or a function that returns them for a session.
   * @throws {RavenEdgeError} `InvalidArgument` for a declaration that makes no sense; in a page only when a name is first used.
   */
  named<const Declared extends Names>(
    names: Declared,
    claims?: Claims | ((session: DocumentSession<Declared>) => Claims),
  ): DocumentStore<Declared>;
  /**
   * Listens to an event of the store; returns the function that removes the listener. Listeners are called afterwards, in a
   * microtask: an error that they throw is an uncaught exception, and no call of the app fails with it. (`sessionCreated` is
   * emitted within {@link openSession}.) Events of other databases, for which sessions were opened, are emitted, too.
   *
   * ```ts
   * const stop = store.on("failedRequest", ({ url, error }) => console.warn(url, error.message));
   * ```
   */
  on<Name extends keyof StoreEvents>(event: Name, listener: (event: StoreEvents[Name]) => void): () => void;
  /**
   * Traces the store: the listener is called at the start of each save, lease, batch of the offline queue and request. What it may
   * return is in {@link TraceHandle}. The code is loaded now; `await store.ready()` waits for it, and what begins before is not seen.
   *
   * ```ts
   * store.on("trace", () => ({ end: ({ name, startTime, endTime }) => console.log(name, endTime - startTime, "ms") }));
   * ```
   */
  on(event: "trace", listener: TraceListener): () => void;
  /** Adds a listener that is called once. */
  once<Name extends keyof StoreEvents>(event: Name, listener: (event: StoreEvents[Name]) => void): this;
  removeListener<Name extends keyof StoreEvents>(
    event: Name,
    listener: (event: StoreEvents[Name]) => void,
  ): this;
  removeListener(event: "trace", listener: TraceListener): this;
  /**
   * Listens to sessions. Listeners for events of documents apply to sessions that are opened later. They are called within
   * `saveChanges` or `load`, which fails with an error that they throw. Events of requests are emitted as by {@link on}.
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
  /** Removes the listener for sessions that are opened later; open sessions keep it. */
  removeSessionListener<Name extends keyof StoreSessionEvents>(
    event: Name,
    listener: (event: StoreSessionEvents[Name]) => void,
  ): this;
  /**
   * Stores many documents; `docs/bulk-insert.md` has the rules.
   *
   * ```ts
   * const bulk = store.bulkInsert();
   * for (const order of orders) await bulk.store(order);
   * await bulk.finish();
   * ```
   * @throws {RavenEdgeError} `InvalidOperation` before {@link initialize} or if no database is named, `Disposed`, `InvalidArgument` for
   * an unknown option, `Unsupported` for `useCompression` where the platform cannot compress. (While the code is being loaded, by the
   * first call of the result.)
   */
  bulkInsert(options?: BulkInsertOptions | null): BulkInsertOperation;
  /** Inserts into another database. */
  bulkInsert(database: string, options?: BulkInsertOptions | null): BulkInsertOperation;
  /**
   * Listens to changes of documents, indexes, operations, counters and time series over a WebSocket. `docs/changes.md` has the rules.
   *
   * ```ts
   * const orders = store.changes().forDocumentsInCollection("Orders");
   * orders.on("data", ({ type, id }) => console.log(type, id));
   * await orders.ensureSubscribedNow();       // changes that are saved from now on are notified
   * ```
   * @param database Default: that of the store.
   * @param nodeTag The only node to listen to, such as `"A"`; default: the first one that can be reached.
   * @throws {RavenEdgeError} `Unsupported` if there is no WebSocket and no option `webSocket`, `InvalidOperation` before
   * {@link initialize}, `Disposed`.
   */
  changes(database?: string, nodeTag?: string): IDatabaseChanges;
  /** Data subscriptions; the first call loads the code. `docs/subscriptions.md` has the rules. */
  readonly subscriptions: DocumentSubscriptions;
  /**
   * Loads documents and calls `callback` with them; again whenever they have changed, at most once per `every` (default 500 ms).
   * While the page is hidden nothing is read. `docs/live.md` has the rules, and how it fits React, Svelte and Vue.
   *
   * ```ts
   * const stop = store.watch("orders/1-A", (order, { connected }) => render(order, connected));
   * ```
   * @returns The function that ends it; the option `signal` does the same.
   * @throws {RavenEdgeError} as {@link changes}; `InvalidArgument`. Later errors are in the callback's second argument.
   */
  watch<T extends object = object>(
    id: string,
    callback: WatchCallback<Tracked<T> | null>,
    options?: WatchOptions,
  ): () => void;
  /** Watches several documents, by their ids. */
  watch<T extends object = object>(
    ids: readonly string[],
    callback: WatchCallback<EntitiesCollectionObject<T>>,
    options?: WatchOptions,
  ): () => void;
  /**
   * Watches the results of a query. The function is called for each read, with a session without tracking.
   *
   * ```ts
   * const stop = store.watch(
   *   (session) => session.query({ collection: "Orders" }).whereEquals("open", true).orderBy("date"),
   *   (orders = []) => render(orders),
   * );
   * ```
   */
  watch<T>(query: WatchedQuery<T, Defined>, callback: WatchCallback<T[]>, options?: WatchOptions): () => void;
  /**
   * Sends a command, outside of any session; afterwards it has its `result`.
   * @throws {RavenEdgeError} `Concurrency`, `Server`, `Timeout`, `Unreachable`, `ForeignOrigin`, `BadAnswer`, `Disposed`.
   */
  execute(command: RavenCommand<unknown>): Promise<void>;
  /**
   * Sends commands as in npm `ravendb`: `await store.getRequestExecutor().execute(command)`.
   * @param database Default: that of the store.
   */
  getRequestExecutor(database?: string | null): RequestExecutor;
  /** Sends operations and resolves with their results. */
  readonly operations: OperationExecutor;
  /**
   * Sends operations of the server and its databases: npm `ravendb` sends some operations by the one and some by the other.
   *
   * ```ts
   * const { countOfDocuments } = await store.maintenance.send(new GetStatisticsOperation());
   * ```
   */
  readonly maintenance: MaintenanceOperationExecutor;
  /**
   * Deploys an index; the same as `index.execute(store)`. ({@link AbstractJavaScriptIndexCreationTask} shows one.)
   * @param database Default: that of the store.
   */
  executeIndex(task: AbstractIndexCreationTaskBase, database?: string): Promise<void>;
  /**
   * Deploys indexes in one request: all of them, or none if the server refuses one.
   * @throws {RavenEdgeError} `InvalidArgument` for an empty list, or an instance of another class than this package's index classes.
   */
  executeIndexes(tasks: AbstractIndexCreationTaskBase[], database?: string): Promise<void>;
  /** The changes that wait on this device, with the store's option `offline`; else `undefined`. */
  readonly offline: OfflineQueue<Defined>;
  /**
   * Returns unused numbers, fenced, in one request for all tags, and refuses all later work, including that of open sessions and of
   * other databases. Numbers parked on the device are returned, too, unless another store of the database is in use on the origin,
   * in this tab or in others: then they stay parked. It never rejects because the server is unreachable: numbers that cannot be
   * returned are burnt. It takes at most about ten seconds.
   */
  dispose(): Promise<void>;
  /**
   * Returns the numbers that this instance has in memory, also those of other databases for which sessions were opened. The store
   * stays usable, and parked numbers stay parked. For a framework's unmount, or a Worker's `waitUntil`.
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

// biome-ignore lint/correctness/noUnusedVariables: the type parameters are those of the class
export interface DocumentStore<Defined extends Names = Names> extends AbsentOfStore {}

/** By this name in npm `ravendb`. */
export type IDocumentStore = DocumentStore;

declare const absent: unique symbol;

/**
 * A member that is absent. Reading it throws `Unsupported` in Node, Deno, Bun and Workers; in a page it is `undefined`.
 * `docs/moving.md` has recipes.
 */
export interface Absent<Instead extends string> {
  readonly [absent]: Instead;
}

type Listed = "docs/moving.md#absent says what to use instead";

/** Members of npm `ravendb`'s store that are absent. */
export interface AbsentOfStore {
  /** @deprecated Absent: the option `timeout` of the store. */
  readonly setRequestTimeout: Absent<"use the store's option `timeout`, in milliseconds">;
  /** @deprecated Absent: npm `ravendb`, on a server. */
  readonly smuggler: Absent<Listed>;
  /** @deprecated Absent: npm `ravendb`, on a server. */
  readonly ai: Absent<Listed>;
}

/** Responses that a store keeps, so that the server can respond "not modified"; see {@link DocumentConventions.maxHttpCacheSize}. */
export interface HttpCache {
  readonly numberOfItems: number;
  clear(): void;
}

/** Sends the requests of a database; one per database and store. */
export interface RequestExecutor {
  readonly conventions: DocumentConventions;
  /** `undefined` if no responses are kept: `maxHttpCacheSize` is 0. */
  readonly cache: HttpCache;
  /** The address of the server as the app gave it; the first one of several. */
  getUrl(): string;
  /** See {@link DocumentStore.execute}. */
  execute(command: RavenCommand<unknown>): Promise<void>;
  /** Listens to the requests of this database; see {@link DocumentStore.on}. */
  on<Name extends keyof RequestEvents>(event: Name, listener: (event: RequestEvents[Name]) => void): this;
  off<Name extends keyof RequestEvents>(event: Name, listener: (event: RequestEvents[Name]) => void): this;
  /** Does nothing: requests end with {@link DocumentStore.dispose}. */
  dispose(): void;
}
