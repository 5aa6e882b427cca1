// Subscriptions as apps see them. Types alone.

import type { DocumentType, IMetadataDictionary } from "../documents/entity-types.js";
import type { ArchivedDataProcessingBehavior } from "../indexes/definition.js";
import type { DocumentSession } from "../session/document-session-types.js";
import type { SessionOptions } from "../session/session-options.js";
import type { TimeValue } from "../time-series/entries/times.js";
import type { TimeSeriesRangeType } from "../time-series/operations/time-series-types.js";

/** Collects what the server sends beside the documents of a batch. */
export interface ISubscriptionIncludeBuilder {
  /** Documents whose ids are under this path. */
  includeDocuments(path: string): ISubscriptionIncludeBuilder;
  includeCounter(name: string): ISubscriptionIncludeBuilder;
  includeCounters(names: string[]): ISubscriptionIncludeBuilder;
  includeAllCounters(): ISubscriptionIncludeBuilder;
  /** The last entries of time series: `"Last"`, and a length of time or their number. */
  includeTimeSeries(
    names: string | string[],
    type: TimeSeriesRangeType,
    timeOrCount: TimeValue | number,
  ): ISubscriptionIncludeBuilder;
  /** The last entries of all time series; not together with {@link includeTimeSeries}. */
  includeAllTimeSeries(
    type: TimeSeriesRangeType,
    timeOrCount: TimeValue | number,
  ): ISubscriptionIncludeBuilder;
}

/** A new subscription. */
export interface SubscriptionCreationOptions {
  /** Default: the server makes one. */
  name?: string;
  /** RQL; default: all documents of {@link documentType}. */
  query?: string;
  /** Added to a query that the package writes. */
  includes?: (builder: ISubscriptionIncludeBuilder) => void;
  /** Where it begins: a change vector, `"LastDocument"`, or `"BeginningOfTime"`. */
  changeVector?: string;
  /** The node that should serve it. */
  mentorNode?: string;
  pinToMentorNode?: boolean;
  archivedDataProcessingBehavior?: ArchivedDataProcessingBehavior;
  disabled?: boolean;
  /** The class whose collection is read. */
  documentType?: DocumentType;
}

/** Changes of a subscription: its `name` or `id`, and the members to change. */
export interface SubscriptionUpdateOptions extends SubscriptionCreationOptions {
  id?: number;
  /** Creates the subscription if there is none. */
  createNew?: boolean;
}

/** A subscription on the server. */
export interface SubscriptionState {
  query: string;
  /** Where the next batch begins; a batch that was sent and not acknowledged comes again. `null`: nothing was sent yet. */
  changeVectorForNextBatchStartingPoint: string | null;
  subscriptionId: number;
  subscriptionName: string;
  mentorNode: string | null;
  nodeTag: string | null;
  lastBatchAckTime: string | null;
  lastClientConnectionTime: string | null;
  raftCommandIndex: number;
  disabled: boolean;
  archivedDataProcessingBehavior: ArchivedDataProcessingBehavior;
  shardingState: object | null;
}

/** What happens if another worker is connected. */
export type SubscriptionOpeningStrategy = "OpenIfFree" | "TakeOver" | "WaitForFree" | "Concurrent";

/** How a worker connects. */
export interface SubscriptionWorkerOptions<T extends object> {
  subscriptionName?: string;
  /** Pause before it connects again, in milliseconds. Default 5,000. */
  timeToWaitBeforeConnectionRetry?: number;
  /** Whether a batch whose listener fails is acknowledged, too. Default `false`: the worker ends. */
  ignoreSubscriberErrors?: boolean;
  /** Default `"OpenIfFree"`. `"Concurrent"` needs a licence. */
  strategy?: SubscriptionOpeningStrategy;
  /** Default 4,096. */
  maxDocsPerBatch?: number;
  /** How long connecting may fail before the worker ends, in milliseconds. Default 300,000. */
  maxErroneousPeriod?: number;
  /** Whether the worker ends, with a `SubscriptionClosedException`, when all documents were sent. */
  closeWhenNoDocsLeft?: boolean;
  /** The class of the documents. */
  documentType?: DocumentType<T>;
  /** Default: random. */
  workerId?: string;
}

/** An item of a subscription to revisions. */
export interface Revision<T> {
  /** `null` for a document that was created. */
  previous: T | null;
  /** `null` for a document that was deleted. */
  current: T | null;
}

/** A document of a batch. */
export interface Item<T> {
  id: string;
  changeVector: string;
  /** Whether the query projects. */
  projection: boolean;
  revision: boolean;
  metadata: IMetadataDictionary;
  /** Why the server could not process this document; reading `result` throws it. */
  exceptionMessage: string | undefined;
  result: T;
  rawResult: object;
  rawMetadata: IMetadataDictionary;
}

/** Documents that were received together, and are acknowledged together. */
export interface SubscriptionBatch<T extends object> {
  readonly items: Item<T>[];
  getNumberOfItemsInBatch(): number;
  getNumberOfIncludes(): number;
  /**
   * A session that tracks the documents of the batch: changes of `item.result` are saved by its `saveChanges`.
   * @throws {RavenEdgeError} `InvalidOperation` if the batch has opened one already, or for the options `database` and
   * `transactionMode: "ClusterWide"`.
   */
  openSession(options?: SessionOptions): DocumentSession;
}

/** The events of a worker, and the arguments of their listeners. */
export interface SubscriptionEvents<T extends object> {
  /** A batch. It is acknowledged when each listener has called `callback()`; `callback(error)` ends the worker. */
  batch: [batch: SubscriptionBatch<T>, callback: (error?: unknown) => void];
  /** The worker has failed, and ends. */
  error: [error: Error];
  /** The worker has ended. */
  end: [];
  /** An error that the worker did not expect; it connects again. */
  unexpectedSubscriptionError: [error: Error];
  onEstablishedSubscriptionConnection: [worker: SubscriptionWorker<T>];
  /** The server has confirmed that the batch is done. */
  afterAcknowledgment: [batch: SubscriptionBatch<T>];
  /** The worker connects again, because of this error. */
  connectionRetry: [error: Error];
}

/** Receives the batches of a subscription; it begins with the first listener of `batch`. */
export interface SubscriptionWorker<T extends object> {
  on<Name extends keyof SubscriptionEvents<T>>(
    event: Name,
    listener: (...given: SubscriptionEvents<T>[Name]) => void,
  ): this;
  off: SubscriptionWorker<T>["on"];
  removeListener: SubscriptionWorker<T>["on"];
  getWorkerId(): string;
  readonly subscriptionName: string;
  /** The node that serves it; `null` before it is connected. */
  readonly currentNodeTag: string | null;
  /** Disconnects. A batch whose listener has not finished is not acknowledged. */
  dispose(): void;
}

/**
 * `store.subscriptions`: data subscriptions of a database. Managing them works everywhere; a worker needs TCP, so browsers cannot have
 * one.
 *
 * ```ts
 * const name = await store.subscriptions.create({ query: "from Orders where total > 100" });
 * const worker = store.subscriptions.getSubscriptionWorker<Order>(name);
 * worker.on("batch", (batch, callback) => {
 *   for (const { result } of batch.items) console.log(result.total);
 *   callback();
 * });
 * worker.on("error", (error) => console.error(error));
 * ```
 */
export interface DocumentSubscriptions {
  /** Creates a subscription; resolves with its name. */
  create(options: SubscriptionCreationOptions, database?: string): Promise<string>;
  create(documentType: DocumentType): Promise<string>;
  /** Creates a subscription to revisions: each item is a {@link Revision}. */
  createForRevisions(options: SubscriptionCreationOptions, database?: string): Promise<string>;
  /** Changes a subscription; resolves with its name. A worker that is connected is disconnected, and connects again. */
  update(options: SubscriptionUpdateOptions, database?: string): Promise<string>;
  getSubscriptions(start: number, take: number, database?: string): Promise<SubscriptionState[]>;
  /** @throws {RavenEdgeError} `Server`, named `SubscriptionDoesNotExistException`. */
  getSubscriptionState(subscriptionName: string, database?: string): Promise<SubscriptionState>;
  delete(name: string, database?: string): Promise<void>;
  enable(name: string, database?: string): Promise<void>;
  disable(name: string, database?: string): Promise<void>;
  /** Disconnects all workers of a subscription. */
  dropConnection(name: string, database?: string): Promise<void>;
  /** Disconnects this worker. */
  dropSubscriptionWorker<T extends object>(worker: SubscriptionWorker<T>, database?: string): Promise<void>;
  /** Receives the documents of a subscription. */
  getSubscriptionWorker<T extends object>(
    options: SubscriptionWorkerOptions<T> | string,
    database?: string,
  ): SubscriptionWorker<T>;
  /** Receives the revisions of a subscription that `createForRevisions` made. */
  getSubscriptionWorkerForRevisions<T extends object>(
    options: SubscriptionWorkerOptions<T> | string,
    database?: string,
  ): SubscriptionWorker<Revision<T>>;
  /** Disconnects the workers of this store. */
  dispose(): void;
}
