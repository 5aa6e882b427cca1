// `session.advanced` as apps see it. Types alone.

import type { AttachmentsSessionOperations } from "../attachments/attachment-types.js";
import type { IClusterTransactionOperations } from "../cluster/cluster-transaction-types.js";
import type { DocumentsChanges } from "../documents/document-differences.js";
import type { DocumentType, EntityInfo, IMetadataDictionary, Tracked } from "../documents/entity-types.js";
import type { EagerSessionOperations, LazySessionOperations } from "../loading/lazy-types.js";
import type { NamedPatchOptions, Names } from "../named/named-definitions.js";
import type { NamedDocumentQuery, NamedQueryStatistics } from "../named/named-query-types.js";
import type { JavaScriptArray, JavaScriptMap } from "../patching/script-arrays-and-maps.js";
import type { DocumentQuery, FieldOf } from "../query/document-query-types.js";
import type { IndexQuery } from "../query/index-query.js";
import type { DocumentQueryOptions } from "../query/query-options.js";
import type { RawDocumentQuery } from "../query/raw-query-types.js";
import type { IRevisionsSessionOperations } from "../revisions/revision-types.js";
import type { ICommandData } from "../saving/batch-commands.js";
import type { DocumentStore, RequestExecutor } from "../store/store-types.js";
import type {
  NodeWritable,
  OpenedStream,
  StreamedQuery,
  StreamOptions,
  StreamQueryStatistics,
} from "../stream/stream-types.js";
import type { SessionEvents } from "./session-events.js";
import type {
  ConditionalLoadResult,
  EntityToJson,
  IndexBatchOptions,
  OptimisticConcurrencyMode,
  ReplicationBatchOptions,
  ServerNode,
  SessionInfo,
  SessionLoadStartingWithOptions,
  StartingWithOptions,
  TransactionMode,
  WritableTarget,
} from "./session-options.js";

/** What a session can do besides its daily work: `session.advanced`. */
export interface AdvancedSession<Defined extends Names = Names> extends PatchMethods<Defined> {
  /** As {@link DocumentSession.query}. */
  documentQuery<T extends object, Field extends string = FieldOf<T>>(
    type: DocumentType<T>,
  ): DocumentQuery<T, Field>;
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, documents of a collection without a class have any shape
  documentQuery<T extends object = any, Field extends string = FieldOf<T>>(
    options: DocumentQueryOptions<T>,
  ): DocumentQuery<Tracked<T>, Field>;
  /** A query in RQL of the app's own. `type`: the class of its results. */
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, the results of a text of the app have any shape
  rawQuery<T extends object = any>(text: string, type?: DocumentType<T>): RawDocumentQuery<T>;
  /** The store; that of a session of another database is one of its own. */
  readonly documentStore: DocumentStore;
  /** Values that the app keeps with the session. */
  readonly externalState: Map<string, unknown>;
  /** Requests made by this session: loads, saves, refreshes. `exists` and commands do not count. */
  readonly numberOfRequests: number;
  /** The maximum of {@link numberOfRequests}; default: that of the conventions, 30. */
  maxNumberOfRequestsPerSession: number;
  /**
   * Whether documents that are written must be unchanged on the server; new ones must not exist.
   * Default: whether {@link optimisticConcurrencyMode} is not `"None"`; setting the mode sets this, too, but not the reverse.
   */
  useOptimisticConcurrency: boolean;
  /** `"WritesAndReads"`: documents that were only loaded must be unchanged, too (RavenDB 7.2 and later). */
  optimisticConcurrencyMode: OptimisticConcurrencyMode;
  /** Applies to later saves. The server checks cluster-wide saves itself: they take no change vectors and no `companies/` ids. */
  transactionMode: TransactionMode;
  /** Sets {@link transactionMode}. */
  setTransactionMode(mode: TransactionMode): void;
  /** Sends commands that are not part of the unit of work. */
  readonly requestExecutor: RequestExecutor;
  /** Gives {@link requestExecutor}. */
  getRequestExecutor(): RequestExecutor;
  /** The store's `identifier`, a semicolon, and the database. */
  readonly storeIdentifier: string;
  /** The node that the session's next request goes to. */
  getCurrentSessionNode(): Promise<ServerNode>;
  /** Counts requests, and names the node; loading by a context of the session (`setContext`) is absent. */
  readonly sessionInfo: SessionInfo;
  /** Makes documents of entities. */
  readonly entityToJson: EntityToJson;
  /**
   * Adds a listener to this session. It runs within `saveChanges` or `load`, which fails with what the listener throws. Changes
   * by a listener of `beforeStore` are saved, too.
   */
  on<Name extends keyof SessionEvents>(event: Name, listener: (event: SessionEvents[Name]) => void): this;
  /** Adds a listener for the next event of that name only. */
  once<Name extends keyof SessionEvents>(event: Name, listener: (event: SessionEvents[Name]) => void): this;
  /** Calls the session's listeners of an event; returns whether there are any. */
  emit<Name extends keyof SessionEvents>(event: Name, detail: SessionEvents[Name]): boolean;
  /** Removes a listener. */
  off<Name extends keyof SessionEvents>(event: Name, listener: (event: SessionEvents[Name]) => void): this;
  /** {@link off} by its other name in npm `ravendb`. */
  removeListener<Name extends keyof SessionEvents>(
    event: Name,
    listener: (event: SessionEvents[Name]) => void,
  ): this;
  /** The id of an entity of this session, `null` for others; the prefix (`companies/`) of an id that the server completes. */
  getDocumentId(entity: object): string | null;
  /**
   * The change vector as last saved or loaded; `null` for an entity that was never saved (the type is npm `ravendb`'s).
   * @throws {RavenEdgeError} `InvalidArgument`, `InvalidOperation`, `NonUniqueObject` for an object that is not an entity of this session.
   */
  getChangeVectorFor<T extends object>(entity: T): string;
  /** When the server last changed it, to the millisecond; `null` and errors as for {@link getChangeVectorFor}. */
  getLastModifiedFor<T extends object>(entity: T): Date;
  /** When the device kept the document, if it comes from there (`raven-edge/offline`); `null`: it comes from the server. */
  getKeptAt(entity: object): Date | null;
  /**
   * The metadata of an entity: always the same object, also at `entity["@metadata"]`. Change it, and the next save sends it.
   * @throws {RavenEdgeError} as {@link getChangeVectorFor}.
   */
  getMetadataFor<T extends object>(entity: T): IMetadataDictionary;
  /**
   * The names of the time series of a document, as it was loaded.
   * @throws {RavenEdgeError} as {@link getChangeVectorFor}.
   */
  getTimeSeriesFor<T extends object>(entity: T): string[];
  /** Whether a save would send anything. This sends no request. */
  hasChanges(): boolean;
  /** Whether this entity, or its metadata, differs from its document. `true` for new entities, `false` for those of no session. */
  hasChanged(entity: object): boolean;
  /** The changes of all documents by id, without those of metadata. */
  whatChanged(): Record<string, DocumentsChanges[]>;
  /** The changes of one entity. */
  whatChangedFor(entity: object): DocumentsChanges[];
  /** Whether `load` would need no request: the session has the document, or knows that it does not exist. */
  isLoaded(id: string): boolean;
  /** Whether a document exists (`HEAD docs`); without a request if the session knows. */
  exists(id: string): Promise<boolean>;
  /** Removes an entity with its changes from the session; the next `load` sends a request. */
  evict<T extends object>(entity: T): void;
  /** Removes everything: entities, changes, deletions, deferred commands, pending lazy loads. */
  clear(): void;
  /**
   * Reads entities again, in one request. Changes of the session are lost; fields that the document no longer has are removed.
   * @throws {RavenEdgeError} `InvalidOperation` (of several: `InvalidArgument`) when a document does not exist; its
   * entity keeps its values then. `InvalidArgument` for an object that is not an entity of this session.
   */
  refresh<T extends object>(entity: T | T[]): Promise<void>;
  /** Changes of this entity are not saved from now on; it can be deleted. */
  ignoreChangesFor(entity: object): void;
  /**
   * The documents whose ids begin like this, in the order of ids. Entities that the session has are given as they are.
   *
   * ```ts
   * const march = await session.advanced.loadStartingWith<Log>("logs/2026-03-", { pageSize: 1024 });
   * ```
   */
  loadStartingWith<T extends object>(
    prefix: string,
    options: SessionLoadStartingWithOptions<T> & { documentType: DocumentType<T> },
  ): Promise<T[]>;
  loadStartingWith<T extends object>(
    prefix: string,
    options?: SessionLoadStartingWithOptions<T>,
  ): Promise<Tracked<T>[]>;
  /**
   * Loads a document only if its change vector is another one: one request, whose response is empty if nothing has changed. A
   * document that the session has is given without a request, whatever its change vector.
   *
   * ```ts
   * const { entity, changeVector } = await session.advanced.conditionalLoad("orders/1-A", kept.changeVector, Order);
   * if (entity) kept = { entity, changeVector };
   * ```
   * @throws {RavenEdgeError} `InvalidArgument` without an id, and without a change vector for a document that is not loaded; else as
   * {@link DocumentSession.load}.
   */
  conditionalLoad<T extends object>(
    id: string,
    changeVector: string,
    type?: DocumentType<T>,
  ): Promise<ConditionalLoadResult<T>>;
  /**
   * Writes `{"includes":{},"results":[…]}`, the documents of these ids, into a stream and ends it. They are not added to the
   * session. The whole text is made first: for many documents see {@link stream}.
   * @throws {RavenEdgeError} `InvalidArgument` for a value that is not a list of ids, or not a stream; else as {@link DocumentSession.load}.
   */
  loadIntoStream(ids: string[], writable: WritableTarget): Promise<void>;
  /** Writes into a stream, as {@link loadIntoStream}, the documents by the prefix of their ids; the options are those of {@link loadStartingWith}, without a class. */
  loadStartingWithIntoStream(
    prefix: string,
    writable: WritableTarget,
    options?: StartingWithOptions,
  ): Promise<void>;
  /**
   * Documents one by one, however many there are (`GET streams/docs`, `POST streams/queries`). They are not tracked. The response
   * is read as the loop goes on, each piece within the store's time limit; leaving the loop ends the request.
   *
   * ```ts
   * for await (const { id, document } of session.advanced.stream<Log>("logs/2026-", { documentType: Log })) …
   *
   * const query = session.advanced.rawQuery<Order>("from Orders where total > $least").addParameter("least", 100);
   * for await (const { document } of session.advanced.stream(query, (statistics) => …)) …
   * ```
   *
   * A stream of a named query has all results that the caller may see, without a page's limit: no `skip`, `take` or `next`, and no
   * `include` in its declaration.
   *
   * Streams of a query count as requests for {@link maxNumberOfRequestsPerSession}; those of a prefix do not, as in npm `ravendb`.
   * @throws {RavenEdgeError} by `next`, or where it is awaited: `BadAnswer` if the response was cut off, `Unreachable` if the connection
   * was lost, `Timeout` if nothing more came in time, `Server` with the server's own type also for errors in the middle of the response,
   * `Disposed`, `Unsupported` for a query that waits for an index, `InvalidArgument` for a value that is not a query.
   */
  stream<T extends object>(prefix: string, options?: SessionLoadStartingWithOptions<T>): OpenedStream<T>;
  stream<T extends object>(options: StreamOptions<T>): OpenedStream<T>;
  stream<T extends object>(
    query: RawDocumentQuery<T>,
    statistics?: (statistics: StreamQueryStatistics) => void,
  ): OpenedStream<T>;
  stream<T extends object>(
    query: NamedDocumentQuery<T>,
    statistics?: (statistics: Pick<NamedQueryStatistics, "isStale" | "totalResults">) => void,
  ): OpenedStream<T>;
  stream<T extends object>(
    query: StreamedQuery<T> | IndexQuery,
    statistics?: (statistics: StreamQueryStatistics) => void,
  ): OpenedStream<T>;
  /**
   * In Node, Deno and Bun: writes the documents of a query as lines of JSON, ends `writable`, and resolves when all are written. They
   * are not tracked.
   * @throws {RavenEdgeError} As {@link stream}; `InvalidArgument` if `writable` is not a `Writable`; elsewhere `Unsupported`.
   */
  streamInto(
    // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, a query of any type
    query: RawDocumentQuery<any> | NamedDocumentQuery<any> | StreamedQuery | IndexQuery,
    writable: NodeWritable,
  ): Promise<void>;
  /** The documents of the session by id (in any case), without those that were only included. */
  getTrackedEntities(): Map<string, EntityInfo>;
  /** Adds commands to the next save, after its documents. They must not be about documents that the same save changes. */
  defer(...commands: ICommandData[]): void;
  /** Every save from now on waits until other nodes have copies (RavenDB documentation, "Write Assurance"). */
  waitForReplicationAfterSaveChanges(options?: ReplicationBatchOptions): void;
  /** Every save from now on waits until indexes include its documents. */
  waitForIndexesAfterSaveChanges(options?: IndexBatchOptions): void;
  /** The names of the counters that a loaded document had; `null`: none. */
  getCountersFor(entity: object): string[] | null;
  /** The attachments of documents. Through a gateway, and in `queueChanges`, they are refused. */
  readonly attachments: AttachmentsSessionOperations;
  /**
   * Compare-exchange values, which a cluster-wide session saves in one transaction with its documents; `docs/compare-exchange.md`.
   *
   * ```ts
   * const session = store.openSession({ transactionMode: "ClusterWide" });
   * session.advanced.clusterTransaction.createCompareExchangeValue("emails/ada@example.com", "users/ada");
   * await session.saveChanges();   // Concurrency if somebody has the address
   * ```
   *
   * @throws {RavenEdgeError} `InvalidOperation` in a session with another `transactionMode`.
   */
  readonly clusterTransaction: IClusterTransactionOperations;
  /** Earlier versions of documents. */
  readonly revisions: IRevisionsSessionOperations;
  /** Loads that wait until one of their values is needed, and are then sent as one request (`POST multi_get`). */
  readonly lazily: LazySessionOperations;
  /** Sends pending lazy loads now. */
  readonly eagerly: EagerSessionOperations;
}

/** By this name in npm `ravendb`. */
export type IAdvancedSessionOperations = AdvancedSession;

/** Patches that the next save sends. */
export interface PatchMethods<Defined extends Names> {
  /**
   * Sets a member of a document on the server, in the transaction of the next save. Several patches of one document are one command.
   * If the session has the entity, it shows the patched document after the save. A document that does not exist is not created. The save
   * refuses (`InvalidOperation`) a document that has also changed in the session.
   *
   * ```ts
   * session.advanced.patch("products/7-A", "prices[0].amount", 12.5);
   * session.advanced.patch(product, 'texts["de-DE"]', "Käse");
   * await session.saveChanges();
   * ```
   * @param path A path of names, `[0]` and `["any text"]`. It becomes part of a script, so anything else is refused.
   * @throws {RavenEdgeError} `InvalidArgument` for another text as path, a blank id and an entity that was never saved; `InvalidOperation`
   * for an object that is not an entity of this session.
   */
  patch<TEntity extends object = object, TValue = unknown>(
    entityOrId: TEntity | string,
    path: string,
    value: TValue,
  ): void;
  /**
   * Patches a document by a script that is declared under a name: by the gateway between this client and RavenDB, or by
   * `store.named`. Else as above.
   *
   * ```ts
   * session.advanced.patch(order, { named: "addLine", parameters: { line: { product: "products/7-A", amount: 2 } } });
   * ```
   * @throws {RavenEdgeError} As above; without a gateway `InvalidArgument` for a name that is not declared and for wrong parameters. A
   * gateway refuses them when they are saved, with the `type` `RavenEdge.Gateway.DocumentRefused` or `RavenEdge.Gateway.RequestMalformed`.
   */
  patch<TEntity extends object = object>(
    entityOrId: TEntity | string,
    patch: NamedPatchOptions<Defined>,
  ): void;
  /** Adds to a number, or appends to a text; a member that is absent, `null`, 0 or empty becomes the value. Else as {@link patch}. */
  increment<TEntity extends object = object, TValue = unknown>(
    entityOrId: TEntity | string,
    path: string,
    valueToAdd: TValue,
  ): void;
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
  addOrPatch<TEntity extends object = object, TValue = unknown>(
    id: string,
    entity: TEntity,
    path: string,
    value: TValue,
  ): void;
  /** Creates the document, or increments it as {@link increment} does. */
  addOrIncrement<TEntity extends object = object, TValue = unknown>(
    id: string,
    entity: TEntity,
    path: string,
    valueToAdd: TValue,
  ): void;
  /** Creates the document, or changes it as {@link patchArray} does. */
  addOrPatchArray<TEntity extends object = object, TValue = unknown>(
    id: string,
    entity: TEntity,
    pathToArray: string,
    change: (array: JavaScriptArray<TValue>) => void,
  ): void;
}
