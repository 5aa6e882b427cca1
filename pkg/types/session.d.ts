// A session: a unit of work.

import type { LoadOptions, StoreDocumentOptions } from "../dts/session/session-options.js";
import type { AbsentOfSession } from "./absent.js";
import type { AdvancedSession } from "./advanced.js";
import type { DocumentType, EntitiesCollectionObject, Tracked } from "./entities.js";
import type { DocumentQuery, DocumentQueryOptions, FieldOf, QueriedIndex } from "./queries.js";

export type {
  IncludeBuilder,
  LoadOptions,
  OptimisticConcurrencyMode,
  SessionOptions,
  StoreDocumentOptions,
  TransactionMode,
} from "../dts/session/session-options.js";

/** Loads with what it includes; see {@link DocumentSession.include}. */
export interface LoaderWithInclude {
  /** Another path. */
  include(path: string): this;
  /** As {@link DocumentSession.load}. */
  load<T extends object>(id: string, type: DocumentType<T>): Promise<T | null>;
  load<T extends object>(id: string): Promise<Tracked<T> | null>;
  load<T extends object>(ids: string[], type: DocumentType<T>): Promise<EntitiesCollectionObject<T>>;
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
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: what it adds is absent
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
   * where an id is made `Timeout`, and for HiLo `InvalidTag`, `Disposed` or what the server said.
   */
  store<T extends object>(
    entity: T,
    id?: string | null,
    options?: StoreDocumentOptions<T> | DocumentType<T>,
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
  load<T extends object>(id: string, type: DocumentType<T>): Promise<T | null>;
  load<T extends object>(
    id: string,
    options: LoadOptions<T> & { documentType: DocumentType<T> },
  ): Promise<T | null>;
  load<T extends object>(id: string, options?: LoadOptions<T>): Promise<Tracked<T> | null>;
  /** The documents of several ids, by the id asked for. Blank ids are left out. */
  load<T extends object>(ids: string[], type: DocumentType<T>): Promise<EntitiesCollectionObject<T>>;
  load<T extends object>(
    ids: string[],
    options: LoadOptions<T> & { documentType: DocumentType<T> },
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
  delete<T extends object>(entity: T): Promise<void>;
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

export interface DocumentSession extends AbsentOfSession {}

/** By this name in npm `ravendb`. */
export type IDocumentSession = DocumentSession;
