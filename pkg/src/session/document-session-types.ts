// A session as apps see it. Types alone.

import type { ISessionDocumentCounters } from "../counters/counter-types.js";
import type { DocumentType, EntitiesCollectionObject, Tracked } from "../documents/entity-types.js";
import type { NamedQueryOptions, Names } from "../named/named-definitions.js";
import type { NamedDocumentQuery } from "../named/named-query-types.js";
import type { QueuedChange } from "../offline/offline-types.js";
import type { DocumentQuery, FieldOf } from "../query/document-query-types.js";
import type { DocumentQueryOptions, QueriedIndex } from "../query/query-options.js";
import type { TimeSeriesOfSession } from "../time-series/operations/time-series-types.js";
import type { AdvancedSession } from "./advanced-session-types.js";
import type { LoadOptions, StoreDocumentOptions } from "./session-options.js";

/** Loads with includes; see {@link DocumentSession.include}. */
export interface LoaderWithInclude {
  /** Adds another path. */
  include(path: string): this;
  /** As {@link DocumentSession.load}. */
  load<T extends object>(id: string, type: DocumentType<T>): Promise<T | null>;
  load<T extends object>(id: string): Promise<Tracked<T> | null>;
  load<T extends object>(ids: string[], type: DocumentType<T>): Promise<EntitiesCollectionObject<T>>;
  load<T extends object>(ids: string[]): Promise<EntitiesCollectionObject<Tracked<T>>>;
  /** One or the other, as the argument says. */
  load<T extends object>(
    ids: string | string[],
    type?: DocumentType<T>,
  ): Promise<Tracked<T> | EntitiesCollectionObject<Tracked<T>> | null>;
}

/**
 * A unit of work over plain objects and class instances: it tracks what it loads and stores, and sends all changes in one request.
 * Asynchronous members run one after the other in the order of their calls, awaited or not. Names and behaviour are those of npm
 * `ravendb` 7.2; `docs/session.md` describes all of it, and where this package is better on purpose.
 *
 * ```ts
 * const session = store.openSession();
 * const order = await session.load("orders/1-A", Order);
 * order?.lines.push({ product: "products/7-A" });
 * await session.saveChanges();
 * ```
 */
export declare class DocumentSession<Defined extends Names = Names> {
  private constructor();
  /**
   * Adds an entity to the session. No document is sent; at times this leases numbers. The id is the argument, or the entity's
   * `id` property (RavenDB documentation, "Working with Document Identifiers"):
   *
   * | the id | who makes the final one | known |
   * |---|---|---|
   * | absent, `null`, not a string | HiLo: `orders/1-A` | when this resolves |
   * | `""` | the server: a GUID | after `saveChanges` |
   * | `"companies/acme"` | you | at once |
   * | `"companies/"` | the server: `companies/0000000000000000027-A` | after `saveChanges` |
   * | `"companies|"` | the cluster: `companies/1`, `companies/2`, … | after `saveChanges` |
   *
   * An entity without a collection gets a GUID instead of a HiLo id. The id is written to the entity; for a frozen entity,
   * `advanced.getDocumentId` returns it. Storing an entity of the session again does nothing.
   *
   * ```ts
   * await session.store(new Order());                                  // orders/1-A
   * await session.store({ name: "Acme", "@metadata": { "@collection": "Companies" } }, "companies/acme");
   * await session.store(copy, "orders/7-A", { changeVector: "" });     // must not exist
   * ```
   * @throws {RavenEdgeError} `InvalidArgument` for a value that is not an object, `InvalidId`, `NonUniqueObject` if the session has
   * another object under the id, `InvalidOperation` (`noTracking`, another id than before, a deferred command about it),
   * `Timeout` if no id comes in time, and for HiLo `InvalidTag`, `Disposed` or the server's error.
   */
  store<T extends object>(
    entity: T,
    id?: string | null,
    options?: StoreDocumentOptions<T> | DocumentType<T>,
  ): Promise<void>;
  /**
   * The document of an id, `null` if it does not exist. An id always gives the same object, whatever its case, without a request
   * if the session has the document or knows that it does not exist. `GET docs`, one request for all documents that are needed.
   *
   * ```ts
   * const user = await session.load("users/1-A", User);                     // User | null
   * const order = await session.load<Order>("orders/1-A");                  // Order & { id, "@metadata" } | null
   * const both = await session.load(["orders/1-A", "orders/2-A"], { includes: ["customerId"] });
   * ```
   * @throws {RavenEdgeError} `InvalidArgument` for ids that are not strings, `InvalidOperation` beyond
   * {@link AdvancedSession.maxNumberOfRequestsPerSession}, `Server`, `Timeout`, `Unreachable`, `ForeignOrigin`,
   * `BadAnswer`, `Disposed`.
   */
  load<T extends object>(id: string, type: DocumentType<T>): Promise<T | null>;
  load<T extends object>(
    id: string,
    options: LoadOptions<T> & { documentType: DocumentType<T> },
  ): Promise<T | null>;
  load<T extends object>(id: string, options?: LoadOptions<T>): Promise<Tracked<T> | null>;
  /** The documents of several ids, by the requested id. Blank ids are left out. */
  load<T extends object>(ids: string[], type: DocumentType<T>): Promise<EntitiesCollectionObject<T>>;
  load<T extends object>(
    ids: string[],
    options: LoadOptions<T> & { documentType: DocumentType<T> },
  ): Promise<EntitiesCollectionObject<T>>;
  load<T extends object>(
    ids: string[],
    options?: LoadOptions<T>,
  ): Promise<EntitiesCollectionObject<Tracked<T>>>;
  /** One or the other, as the argument says. */
  load<T extends object>(
    ids: string | string[],
    options?: LoadOptions<T> | DocumentType<T>,
  ): Promise<Tracked<T> | EntitiesCollectionObject<Tracked<T>> | null>;
  /**
   * Loads documents together with those that they name, in one request (RavenDB documentation, "How to Handle Document
   * Relationships"). Loading an included document needs no request.
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
   * @throws {RavenEdgeError} `InvalidOperation` for an entity of no session or another one, `InvalidArgument`.
   */
  delete<T extends object>(entity: T): Promise<void>;
  /**
   * Deletes a document by its id, loaded or not.
   * @param changeVector The expected change vector; default: with optimistic concurrency as the document was loaded, else any.
   * @throws {RavenEdgeError} `InvalidOperation` if its entity has changed in the session (delete the entity then),
   * `InvalidArgument`.
   */
  delete<T extends object = object>(id: string, changeVector?: string | null): Promise<void>;
  /**
   * The counters of a document (RavenDB documentation, "Counters"): numbers that many clients increment at once, without conflicts.
   * `docs/counters.md` has the rules.
   *
   * ```ts
   * const counters = session.countersFor("products/1-A");
   * counters.increment("Likes");
   * await session.saveChanges();
   * const likes = await counters.get("Likes");
   * ```
   * @throws {RavenEdgeError} `InvalidArgument` for what is neither an id nor an entity of the session; `InvalidOperation` if the server
   * makes the id of the entity when it is saved.
   */
  countersFor(entityOrId: string | object): ISessionDocumentCounters;
  /**
   * Sends all new, changed and deleted documents and all deferred commands in one request (`POST bulk_docs`), all or nothing; no
   * request if there are none. New documents under HiLo ids must not exist yet.
   *
   * After an error the session still has its documents, changes and ids, so that it can save again, except for
   * `outcome: "saved"` ({@link RavenEdgeError.outcome}). If the response to a batch of new documents under HiLo ids alone is lost,
   * the session reads them back to learn the outcome.
   *
   * ```ts
   * try {
   *   await session.saveChanges();
   * } catch (error) {
   *   if (!(error instanceof RavenEdgeError) || error.code !== "Concurrency") throw error;
   *   const theirs = error.id && (await session.load(error.id));
   *   if (!theirs) throw error;
   *   await session.advanced.refresh(theirs);                // then change it again, and save
   * }
   * ```
   * @throws {RavenEdgeError} `Concurrency` (with `id`, `expectedChangeVector`, `actualChangeVector`), `Server`, `Timeout`,
   * `Unreachable`, `OutcomeUnknown`, `InexactNumber`, `InvalidOperation`, `InvalidArgument`, `BadAnswer`, `Disposed`; and
   * whatever a listener, a getter or a `toJSON` of the app throws: then nothing was sent.
   */
  saveChanges(): Promise<void>;
  /**
   * Keeps on the device what {@link saveChanges} would send, and sends it as soon as that is possible, exactly once, also after a
   * reload. Resolves when it is on disk; then the session has no changes. Needs the store's option `offline`.
   *
   * ```ts
   * const change = await session.queueChanges();
   * change.saved.then(() => show("saved"));
   * ```
   * If the device has no room, or no IndexedDB, the changes are sent at once; without a connection the call rejects then, and the
   * session keeps its changes.
   * @throws {RavenEdgeError} `Storage`; `Unsupported` for documents whose ids the server makes, transactions of the cluster, commands that
   * are neither PUT, DELETE, PATCH nor about attachments or counters; else as {@link saveChanges}, for what fails before anything is sent.
   */
  queueChanges(): Promise<QueuedChange>;
  /**
   * Begins a query: of a collection, of an index, or of the collection of a class.
   *
   * ```ts
   * const open = await session.query<Order>({ collection: "Orders" }).whereEquals("state", "open").all();
   * ```
   */
  query<T extends object, Field extends string = FieldOf<T>>(type: DocumentType<T>): DocumentQuery<T, Field>;
  /** Results of an index, as instances of the class. */
  query<T extends object, Field extends string = string>(
    type: DocumentType<T>,
    index: QueriedIndex,
  ): DocumentQuery<T, Field>;
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, documents of a collection without a class have any shape
  query<T extends object = any, Field extends string = FieldOf<T>>(
    options?: DocumentQueryOptions<T>,
  ): DocumentQuery<Tracked<T>, Field>;
  /**
   * Begins a query that is declared under a name: by the gateway between this client and RavenDB, or by {@link DocumentStore.named}.
   *
   * ```ts
   * const open = await session.query<Order>({ named: "openOrders", parameters: { from: 10 } }).take(25).all();
   * ```
   * @throws {RavenEdgeError} Its endings: without a gateway `InvalidArgument` for a name that is not declared and for wrong parameters;
   * with one `Server`, whose `type` is `RavenEdge.Gateway.RouteRefused` or `RavenEdge.Gateway.RequestMalformed`. At the call
   * `InvalidOperation` for a method that a named query does not have.
   */
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, documents of a query without a class have any shape
  query<T extends object = any>(
    options: NamedQueryOptions<Defined, T> & { documentType: DocumentType<T> },
  ): NamedDocumentQuery<T>;
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, documents of a query without a class have any shape
  query<T extends object = any>(options: NamedQueryOptions<Defined, T>): NamedDocumentQuery<Tracked<T>>;
  /** One or the other; the last, because compilers explain an error by it. */
  query<T extends object>(
    options: (DocumentQueryOptions<T> & { named?: undefined }) | NamedQueryOptions<Defined, T>,
  ): DocumentQuery<Tracked<T>> | NamedDocumentQuery<Tracked<T>>;
  /** What a session can do besides its daily work. */
  readonly advanced: AdvancedSession<Defined>;
  /**
   * Frees the memory of the session in WebAssembly. A session that is used afterwards goes on working; one warning for each store names
   * the method, because an `await` before `dispose()` may be missing.
   */
  dispose(): void;
  /** `await using session = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

// biome-ignore lint/correctness/noUnusedVariables: the type parameters are those of the class
export interface DocumentSession<Defined extends Names = Names> extends TimeSeriesOfSession {}

/** By this name in npm `ravendb`. */
export type IDocumentSession = DocumentSession;
