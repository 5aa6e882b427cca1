// What a session can do besides its daily work.

import type { AbsentOfAdvanced } from "./absent.js";
import type { ICommandData } from "./batch.js";
import type { DocumentsChanges } from "./changes.js";
import type { RequestExecutor } from "./commands.js";
import type { DocumentType, EntityInfo, IMetadataDictionary, Tracked } from "./entities.js";
import type { EagerSessionOperations, LazySessionOperations } from "./lazy.js";
import type { JavaScriptArray, JavaScriptMap } from "./patches.js";
import type { DocumentQuery, DocumentQueryOptions, FieldOf, RawDocumentQuery } from "./queries.js";
import type { OptimisticConcurrencyMode, TransactionMode } from "./session.js";
import type { SessionEvents } from "./session-events.js";
import type { DocumentStore } from "./store.js";
import type {
  IndexQuery,
  NodeWritable,
  OpenedStream,
  StreamedQuery,
  StreamOptions,
  StreamQueryStatistics,
} from "./streams.js";

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
  documentType?: DocumentType<T> | undefined;
}

/** What {@link AdvancedSession.conditionalLoad} gives. */
export interface ConditionalLoadResult<T extends object> {
  /** The document; `null` where it has not changed, or there is none. */
  entity: T | null;
  /** Its change vector; `null` where there is no document (the type is npm `ravendb`'s). */
  changeVector: string;
}

/** A node of the server. */
export interface ServerNode {
  /** Its address, without a slash at the end. */
  readonly url: string;
  readonly database: string;
}

/** `session.advanced.sessionInfo`: of what npm `ravendb` has there, what works here. */
export interface SessionInfo {
  /** Counts a request of the app's own. @throws {RavenEdgeError} `InvalidOperation` where the session has made all it may. */
  incrementRequestCount(): void;
  /** As {@link AdvancedSession.getCurrentSessionNode}; the argument of npm `ravendb` is not used. */
  getCurrentSessionNode(requestExecutor?: RequestExecutor): Promise<ServerNode>;
}

/** `session.advanced.entityToJson`: of what npm `ravendb` has there, what works here. */
export interface EntityToJson {
  /**
   * The document that an entity is stored as, without its id: dates as RavenDB writes them, sets and maps as lists. An entity with
   * `@metadata` has them in its document. The second argument of npm `ravendb` is not used.
   */
  convertEntityToJson(entity: object, documentInfo?: unknown): object;
}

/** A stream to write into: a `WritableStream`, or a `Writable` of Node. */
export type WritableTarget =
  | WritableStream<Uint8Array>
  | {
      once(event: "error", listener: (error: Error) => void): unknown;
      write(text: string): unknown;
      end(text: string, done: () => void): unknown;
    };

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

/** What a session can do besides its daily work: `session.advanced`. */
export interface AdvancedSession extends AbsentOfAdvanced {
  /** As {@link DocumentSession.query}. */
  documentQuery<T extends object, Field extends string = FieldOf<T>>(
    type: DocumentType<T>,
  ): DocumentQuery<T, Field>;
  // biome-ignore lint/suspicious/noExplicitAny: of a collection alone nothing is known but its name
  documentQuery<T extends object = any, Field extends string = FieldOf<T>>(
    options: DocumentQueryOptions<T>,
  ): DocumentQuery<Tracked<T>, Field>;
  /** A query in RQL of the app's own. `type`: the class of its results. */
  // biome-ignore lint/suspicious/noExplicitAny: what a text of the app asks for is unknown
  rawQuery<T extends object = any>(text: string, type?: DocumentType<T>): RawDocumentQuery<T>;
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
  /** The store's `identifier`, a semicolon, and the database. */
  readonly storeIdentifier: string;
  /** The node that the session's next request goes to. */
  getCurrentSessionNode(): Promise<ServerNode>;
  /** Counts requests, and names the node; loading by a context of the session (`setContext`) is absent. */
  readonly sessionInfo: SessionInfo;
  /** Makes documents of entities. */
  readonly entityToJson: EntityToJson;
  /**
   * Listens to this session. Called within `saveChanges` or `load`, which fails with what a listener throws; what a
   * listener of `beforeStore` changes is saved with it.
   */
  on<Name extends keyof SessionEvents>(event: Name, listener: (event: SessionEvents[Name]) => void): this;
  /** Listens to the next event of that name alone. */
  once<Name extends keyof SessionEvents>(event: Name, listener: (event: SessionEvents[Name]) => void): this;
  /** Calls the session's listeners of an event; whether there are any. */
  emit<Name extends keyof SessionEvents>(event: Name, detail: SessionEvents[Name]): boolean;
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
  getChangeVectorFor<T extends object>(entity: T): string;
  /** When the server last changed it, to the millisecond; `null` and errors as for {@link getChangeVectorFor}. */
  getLastModifiedFor<T extends object>(entity: T): Date;
  /**
   * The metadata of an entity: always the same object, also at `entity["@metadata"]`. Change it, and the next save sends it.
   * @throws {RavenEdgeError} as {@link getChangeVectorFor}.
   */
  getMetadataFor<T extends object>(entity: T): IMetadataDictionary;
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
  evict<T extends object>(entity: T): void;
  /** Forgets everything: entities, changes, deletions, deferred commands, pending lazy loads. */
  clear(): void;
  /**
   * Reads entities again, in one request: what has changed here is lost, fields that are gone there go.
   * @throws {RavenEdgeError} `InvalidOperation` (of several: `InvalidArgument`) when a document no longer exists; its
   * entity keeps its values then. `InvalidArgument` for what is no entity of this session.
   */
  refresh<T extends object>(entity: T | T[]): Promise<void>;
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
    options: SessionLoadStartingWithOptions<T> & { documentType: DocumentType<T> },
  ): Promise<T[]>;
  loadStartingWith<T extends object>(
    prefix: string,
    options?: SessionLoadStartingWithOptions<T>,
  ): Promise<Tracked<T>[]>;
  /**
   * Loads a document only if it is not as the app knows it: one request, whose answer is empty where the change vector is still the
   * same. What the session has is given without a request, whatever the change vector.
   *
   * ```ts
   * const { entity, changeVector } = await session.advanced.conditionalLoad("orders/1-A", kept.changeVector, Order);
   * if (entity) kept = { entity, changeVector };
   * ```
   * @throws {RavenEdgeError} `InvalidArgument` without an id, and without a change vector for what is not loaded; else as
   * {@link DocumentSession.load}.
   */
  conditionalLoad<T extends object>(
    id: string,
    changeVector: string,
    type?: DocumentType<T>,
  ): Promise<ConditionalLoadResult<T>>;
  /**
   * Writes `{"includes":{},"results":[…]}`, the documents of these ids, into a stream and ends it. The session takes nothing in. The
   * text is made as a whole first: for many documents see {@link stream}.
   * @throws {RavenEdgeError} `InvalidArgument` for what is no list of ids or no stream; else as {@link DocumentSession.load}.
   */
  loadIntoStream(ids: string[], writable: WritableTarget): Promise<void>;
  /** The same, of the documents whose ids begin like this; the options as those of {@link loadStartingWith}, without a class. */
  loadStartingWithIntoStream(
    prefix: string,
    writable: WritableTarget,
    options?: StartingWithOptions,
  ): Promise<void>;
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
   * In Node, Deno and Bun: writes the documents of a query as lines of JSON, ends `writable`, and resolves when all is
   * written. Nothing is tracked.
   * @throws {RavenEdgeError} As {@link stream}; `InvalidArgument` for what is no `Writable`; elsewhere `Unsupported`.
   */
  streamInto(
    // biome-ignore lint/suspicious/noExplicitAny: queries of anything
    query: RawDocumentQuery<any> | StreamedQuery | IndexQuery,
    writable: NodeWritable,
  ): Promise<void>;
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
  patch<TEntity extends object = object, TValue = unknown>(
    entityOrId: TEntity | string,
    path: string,
    value: TValue,
  ): void;
  /** Adds to a number, or appends to a text; what is missing, `null`, 0 or empty becomes the value. Else as {@link patch}. */
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
  /** The same with {@link increment}. */
  addOrIncrement<TEntity extends object = object, TValue = unknown>(
    id: string,
    entity: TEntity,
    path: string,
    valueToAdd: TValue,
  ): void;
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
