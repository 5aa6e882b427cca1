// Changes, their listeners and watches, as apps see them; changes by the names of npm `ravendb`. Types alone.

import type { EntityConstructor } from "../documents/entity-types.js";

export type DocumentChangeTypes = "None" | "Put" | "Delete" | "Conflict" | "Common";

export type IndexChangeTypes =
  | "None"
  | "BatchCompleted"
  | "IndexAdded"
  | "IndexRemoved"
  | "IndexDemotedToIdle"
  | "IndexPromotedFromIdle"
  | "IndexDemotedToDisabled"
  | "IndexMarkedAsErrored"
  | "SideBySideReplace"
  | "Renamed"
  | "IndexPaused"
  | "LockModeChanged"
  | "PriorityChanged"
  | "RollingIndexChanged";

/** A document was saved or deleted. */
export interface DocumentChange {
  type: DocumentChangeTypes;
  /** `undefined` behind a gateway that judges the collection by rows: it tells the collection alone. */
  id: string;
  collectionName: string;
  changeVector: string;
}

/** Something happened to an index. */
export interface IndexChange {
  type: IndexChangeTypes;
  name: string;
}

/** An operation of the server, such as a patch by query, went on or ended. */
export interface OperationStatusChange {
  operationId: number;
  /** `{ status, progress, result }`. */
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, because its members depend on the operation
  state: any;
}

/** What happened to a counter. RavenDB says `Put` of an increment that creates the counter. */
export type CounterChangeTypes = "None" | "Put" | "Delete" | "Increment";

/** A counter of a document changed. */
export interface CounterChange {
  type: CounterChangeTypes;
  name: string;
  value: number;
  documentId: string;
  collectionName: string;
  changeVector: string;
}

export type TimeSeriesChangeTypes = "None" | "Put" | "Delete" | "Mixed";

/** Entries of a time series of a document changed. */
export interface TimeSeriesChange {
  type: TimeSeriesChangeTypes;
  name: string;
  /** `null` if the whole series was deleted. Not in the type, which is npm `ravendb`'s. */
  from: Date;
  /** As `from`. */
  to: Date;
  documentId: string;
  collectionName: string;
  changeVector: string;
}

/** Changes of one kind. Its watch begins with the first listener of `data`, or with {@link ensureSubscribedNow}. */
export interface IChangesObservable<T> {
  /**
   * `data`: a change. `error`: the connection failed, and is tried again.
   * `subscribed`: the server has confirmed the watch, each time: changes from now on are notified.
   * `resync`: the same after a gap: changes may have been missed, so read what you show.
   */
  on(event: "data", handler: (value: T) => void): this;
  on(event: "error", handler: (error: Error) => void): this;
  on(event: "resync" | "subscribed", handler: () => void): this;
  off(event: "data", handler: (value: T) => void): this;
  off(event: "error", handler: (error: Error) => void): this;
  off(event: "resync" | "subscribed", handler: () => void): this;
  removeListener: this["off"];
  /**
   * Resolves when the server has confirmed the watch: changes that are saved from now on are notified.
   * @throws {RavenEdgeError} `Timeout` or `Unreachable` after the store's `timeout`; `Server` or `Unauthorized` if the
   * server or a gateway refuses; `Disposed` after {@link IDatabaseChanges.dispose}.
   */
  ensureSubscribedNow(): Promise<void>;
}

/**
 * The changes of a database: one connection for all that listen. It is opened when somebody listens, and closed five seconds
 * after nobody does.
 */
export interface IDatabaseChanges {
  /** Whether there is a connection now. */
  readonly connected: boolean;
  /** Why the last attempt to connect failed; `null` while there is a connection. */
  readonly lastConnectionStateException: Error | null;
  /**
   * Resolves when there is a connection.
   * @throws {RavenEdgeError} as {@link IChangesObservable.ensureSubscribedNow}.
   */
  ensureConnectedNow(): Promise<IDatabaseChanges>;
  /**
   * `connectionStatus`: {@link connected} has changed. `error`: an attempt to connect failed; the next one follows by itself.
   * `resync`: there was a gap, and all watches are confirmed again. RavenDB does not repeat what happened in between: read what
   * you show.
   */
  on(event: "connectionStatus" | "resync", handler: () => void): this;
  on(event: "error", handler: (error: Error) => void): this;
  off(event: "connectionStatus" | "resync", handler: () => void): this;
  off(event: "error", handler: (error: Error) => void): this;
  forDocument(docId: string): IChangesObservable<DocumentChange>;
  forAllDocuments(): IChangesObservable<DocumentChange>;
  forDocumentsStartingWith(docIdPrefix: string): IChangesObservable<DocumentChange>;
  forDocumentsInCollection(collectionName: string): IChangesObservable<DocumentChange>;
  forDocumentsInCollection<T extends object>(type: EntityConstructor<T>): IChangesObservable<DocumentChange>;
  forIndex(indexName: string): IChangesObservable<IndexChange>;
  forAllIndexes(): IChangesObservable<IndexChange>;
  forOperationId(operationId: number): IChangesObservable<OperationStatusChange>;
  forAllOperations(): IChangesObservable<OperationStatusChange>;
  forAllCounters(): IChangesObservable<CounterChange>;
  forCounter(counterName: string): IChangesObservable<CounterChange>;
  forCounterOfDocument(documentId: string, counterName: string): IChangesObservable<CounterChange>;
  forCountersOfDocument(documentId: string): IChangesObservable<CounterChange>;
  forAllTimeSeries(): IChangesObservable<TimeSeriesChange>;
  forTimeSeries(timeSeriesName: string): IChangesObservable<TimeSeriesChange>;
  /** Those of one time series of a document, or of all of them. */
  forTimeSeriesOfDocument(documentId: string, timeSeriesName?: string): IChangesObservable<TimeSeriesChange>;
  /** Closes the connection; all listeners are removed. The next `store.changes()` begins anew. */
  dispose(): void;
}

/** How a watch reads. */
export interface WatchOptions {
  /** The shortest time between the beginnings of two reads, in milliseconds; default 500. */
  every?: number;
  /**
   * The collections whose changes make the results old, by name or class. Default: the documents themselves for ids, the
   * collection or the index of a query, what the response to a query by name says. To be given for queries in RQL, and behind a gateway for
   * documents by ids that it judges by rows.
   */
  collections?: (string | EntityConstructor)[];
  /** Ends the watch. */
  signal?: AbortSignal;
}

/** The state of results; `T`: what they are, for queries. */
export interface WatchState<T = object> {
  /** Whether changes are being notified; otherwise the results may be old. */
  connected: boolean;
  /** Whether the results are those that the device has kept (`raven-edge/offline`); absent if not. */
  kept?: true;
  /**
   * Documents of the device that the results may lack, with their ids, as in {@link QueryStatistics.pending}: those that wait, and new ones
   * that were saved (with an `@change-vector`) after the results were read. Absent if there are none.
   */
  pending?: T[];
  /** Whether the index had not read all documents yet; the results are read again. */
  stale: boolean;
  /** Why the last read failed, or why changes are not notified; `undefined` if all is well. */
  error: Error | undefined;
}

/**
 * Called when the results or the state have changed. `results` are the newest that were read, `undefined` if none were:
 * each time other objects, which no session tracks.
 */
export type WatchCallback<Results> = (results: Results | undefined, state: WatchStateOf<Results>) => void;

/** The state of these results. */
export type WatchStateOf<Results> = WatchState<Results extends readonly (infer T)[] ? T : object>;
