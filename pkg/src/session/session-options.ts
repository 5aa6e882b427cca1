// Options of sessions, and of storing and loading. Types alone.

import type { ICompareExchangeValueIncludeBuilder } from "../cluster/cluster-transaction-types.js";
import type { ICounterIncludeBuilder } from "../counters/counter-types.js";
import type { DocumentType } from "../documents/entity-types.js";
import type { IncludesTimeSeries } from "../time-series/session/session-series-types.js";

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
