// Options of sessions, of storing and loading and of `session.advanced`, and its results. Types alone.

import type { ICompareExchangeValueIncludeBuilder } from "../cluster/cluster-transaction-types.js";
import type { ICounterIncludeBuilder } from "../counters/counter-types.js";
import type { DocumentType } from "../documents/entity-types.js";
import type { IncludesTimeSeries } from "../time-series/operations/time-series-types.js";

/** Whether a save is a transaction of one node, or of the whole cluster (RavenDB documentation, "Cluster Transaction"). */
export type TransactionMode = "SingleNode" | "ClusterWide";

/**
 * Which documents must be unchanged on the server when the session saves: none, those that are written, or also those that were
 * only loaded (RavenDB documentation, "How to Enable Optimistic Concurrency").
 */
export type OptimisticConcurrencyMode = "None" | "Writes" | "WritesAndReads";

/**
 * From where a session of a store with `offline({ documents })` reads. `"fallback"`: from the server; from the device if the server
 * cannot be reached, or does not respond within `patience`. `"first"`: from the device at once, if what is read is kept there; the
 * server is asked behind it, and what it says is kept. `"only"`: from the device. `"never"`: from the server.
 */
export type OfflineReading = "fallback" | "first" | "only" | "never";

/** Options of a session; names and defaults are those of npm `ravendb`. */
export interface SessionOptions {
  /** Another database of the same server; default: the store's. Case does not count. */
  database?: string | undefined;
  /**
   * Every load sends a request and gives new objects; nothing can be stored, deleted or saved. Default `false`.
   */
  noTracking?: boolean | undefined;
  /** The responses to its loads and queries are neither kept nor requested conditionally. Default `false`. */
  noCaching?: boolean | undefined;
  /** Default `"SingleNode"`. */
  transactionMode?: TransactionMode | undefined;
  /** Default: that of the conventions. See {@link DocumentConventions.disableAtomicDocumentWritesInClusterWideTransaction}. */
  disableAtomicDocumentWritesInClusterWideTransaction?: boolean | undefined;
  /** Default: that of the conventions, which is `"None"`. */
  optimisticConcurrencyMode?: OptimisticConcurrencyMode | undefined;
  /** From where documents and results of named queries are read (`raven-edge/offline`). Default `"fallback"`. */
  offline?: OfflineReading | undefined;
}

/** Options of {@link DocumentSession.store}. */
export interface StoreDocumentOptions<T extends object = object> {
  /** The class that determines collection and class name, instead of the entity's own. */
  documentType?: DocumentType<T> | undefined;
  /**
   * The check when the document is saved. `""`: it must not exist; a change vector: it must have this one; `null`: no check,
   * whatever the mode of the session.
   */
  changeVector?: string | null | undefined;
}

/** Names what is included with a document; its methods can be chained. */
export interface IncludeBuilder
  extends ICounterIncludeBuilder<IncludeBuilder>,
    ICompareExchangeValueIncludeBuilder<IncludeBuilder>,
    IncludesTimeSeries {
  /** A path as in {@link DocumentSession.include}. */
  includeDocuments(path: string): this;
  /** Revisions: the one whose change vector is under a path, or the newest one before a time. */
  includeRevisions(what: string | Date): this;
}

/** Options of {@link DocumentSession.load}. */
export interface LoadOptions<T extends object = object> {
  /** The class that the documents become instances of. Entities that the session already has keep theirs. */
  documentType?: DocumentType<T> | undefined;
  /** Paths to the ids of documents that are loaded with them, or a function that passes them to a builder. */
  includes?: string | string[] | ((includes: IncludeBuilder) => void) | undefined;
}

/** Options of {@link AdvancedSession.loadStartingWith}. */
export interface StartingWithOptions {
  /** What comes after the prefix: alternatives between pipes, `*` for any text, `?` for one character. */
  matches?: string | undefined;
  /** What must not come after the prefix, in the same form. */
  exclude?: string | undefined;
  /** How many documents are skipped at the beginning; default 0. */
  start?: number | undefined;
  /** How many documents at most; default: all (npm `ravendb`: 25). */
  pageSize?: number | undefined;
  /** Only ids after this one. */
  startAfter?: string | undefined;
}

/** Options of loads by a prefix, with a class. */
export interface SessionLoadStartingWithOptions<T extends object = object> extends StartingWithOptions {
  /** The class that the documents become instances of. */
  documentType?: DocumentType<T> | undefined;
}

/** The result of {@link AdvancedSession.conditionalLoad}. */
export interface ConditionalLoadResult<T extends object> {
  /** The document; `null` if it has not changed, or does not exist. */
  entity: T | null;
  /** Its change vector; `null` if the document does not exist (the type is npm `ravendb`'s). */
  changeVector: string;
}

/** A node of the server. */
export interface ServerNode {
  /** Its address, without a slash at the end. */
  readonly url: string;
  readonly database: string;
}

/** `session.advanced.sessionInfo`: the members of npm `ravendb` that work here. */
export interface SessionInfo {
  /** Counts a request of the app's own. @throws {RavenEdgeError} `InvalidOperation` if the session has no request left. */
  incrementRequestCount(): void;
  /** As {@link AdvancedSession.getCurrentSessionNode}; the argument of npm `ravendb` is not used. */
  getCurrentSessionNode(requestExecutor?: object): Promise<ServerNode>;
}

/** `session.advanced.entityToJson`: the members of npm `ravendb` that work here. */
export interface EntityToJson {
  /**
   * The document that an entity is stored as, without its id: dates as RavenDB writes them, sets and maps as lists. An entity with
   * `@metadata` has it in its document. The second argument of npm `ravendb` is not used.
   */
  convertEntityToJson(entity: object, documentInfo?: unknown): object;
  /**
   * The entity of a document with its `@metadata`; its dates, sets, maps and instances are made as its metadata say. An app may set a
   * function of its own, which then makes the entities of this session. The entity shows the metadata of its document.
   * @param targetEntityType A class or its registered name; `null`: as the metadata say.
   * @param id The id of the document; empty for a part of one.
   * @param trackEntity Whether the session tracks documents.
   */
  convertToEntity(
    targetEntityType: DocumentType | null,
    id: string,
    document: object,
    trackEntity: boolean,
  ): object;
}

/** A stream to write into: a `WritableStream`, or a `Writable` of Node. */
export type WritableTarget =
  | WritableStream<Uint8Array>
  | {
      once(event: "error", listener: (error: Error) => void): unknown;
      write(text: string): unknown;
      end(text: string, done: () => void): unknown;
    };

/** What a save waits for: copies of its documents on other nodes. */
export interface ReplicationBatchOptions {
  /** Milliseconds; default: {@link DocumentConventions.waitForReplicationAfterSaveChangesTimeout}. */
  timeout?: number | undefined;
  /** Whether too few copies in time are an error (`Server`, status 408, `outcome: "saved"`). Default `true`. */
  throwOnTimeout?: boolean | undefined;
  /** The number of other nodes; default 1. */
  replicas?: number | undefined;
  /** Whether a majority of the nodes must have copies, instead of {@link replicas}; default `false`. */
  majority?: boolean | undefined;
}

/** What a save waits for: indexes that include its documents. */
export interface IndexBatchOptions {
  /** Milliseconds; default: {@link DocumentConventions.waitForIndexesAfterSaveChangesTimeout}. */
  timeout?: number | undefined;
  /** Whether indexes that take longer are an error (`Server`, status 408, `outcome: "saved"`). Default `true`. */
  throwOnTimeout?: boolean | undefined;
  /** Names of the indexes; default: all indexes of these documents. */
  indexes?: string[] | undefined;
}

/** What saves wait for, as the app says it. */
export interface SaveOptions {
  replication?: ReplicationBatchOptions;
  indexes?: IndexBatchOptions;
}
