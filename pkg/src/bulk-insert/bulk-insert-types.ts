// Bulk insert: what an app sees. Names are those of npm `ravendb`. Types alone.

import type { EntityConstructor, IMetadataDictionary } from "../documents/entity-types.js";

export interface BulkInsertOptions {
  /**
   * Whether bodies of requests are compressed with gzip; default `false`.
   * @throws {RavenEdgeError} `Unsupported` where the platform has no `CompressionStream`.
   */
  useCompression?: boolean;
  /** Whether the server leaves documents alone that are stored with the same content already; default `false`. */
  skipOverwriteIfUnchanged?: boolean;
}

/** How far the server is. What it counts here is stored. */
export interface BulkInsertProgress {
  /** Commands that are stored: documents, attachments, and groups of counters or time-series entries. */
  total: number;
  /** Transactions so far. */
  batchCount: number;
  /** The document of the last command that is stored. */
  lastProcessedId: string;
  /** These four count what was read, which may be ahead of `total`. */
  documentsProcessed: number;
  attachmentsProcessed: number;
  countersProcessed: number;
  timeSeriesProcessed: number;
}

export interface BulkInsertOnProgressEventArgs {
  readonly progress: BulkInsertProgress;
}

export interface ICountersBulkInsert {
  /** @param delta A whole number; default 1. */
  increment(name: string, delta?: number): Promise<void>;
}

export interface ITimeSeriesBulkInsert {
  append(timestamp: Date, values: number | number[], tag?: string | null): Promise<void>;
  /** Ends the series: until then nothing else can be stored. */
  dispose(): void;
}

/** An entry of a time series with named values. */
export interface TypedEntry<T extends object> {
  timestamp: Date;
  value: T;
  tag?: string | null;
}

export interface ITypedTimeSeriesBulkInsert<T extends object> {
  append(timestamp: Date, value: T, tag?: string | null): Promise<void>;
  append(entry: TypedEntry<T>): Promise<void>;
  /** Ends the series: until then nothing else can be stored. */
  dispose(): void;
}

export interface IAttachmentsBulkInsert {
  /** @param bytes A `Buffer`, an array buffer or a view of one; a `Blob` is read as it is sent. */
  store(
    name: string,
    bytes: ArrayBufferView | ArrayBuffer | Blob,
    contentType?: string | null,
  ): Promise<void>;
}

/**
 * Stores many documents with the least work for client and server. `docs/bulk-insert.md` has the rules.
 *
 * ```ts
 * const bulk = store.bulkInsert();
 * for (const order of orders) await bulk.store(order);      // waits while the connection is busy
 * await bulk.finish();                                       // all of them are stored
 * ```
 *
 * Methods that store are called one after the other: await each call. All of them, and {@link finish}, reject with `BulkInsertAborted`
 * once the server has refused something, or the connection was lost; `lastStoredId` and `storedCount` of the error say what is stored.
 * It is no transaction: what was stored before remains.
 */
export interface BulkInsertOperation {
  /**
   * Stores an entity, and overwrites a document that has its id. It becomes a text before the promise resolves: the app may change the
   * object afterwards.
   * @param id Default: the entity's own, else the next HiLo id of its collection, which the entity then shows.
   * @throws {RavenEdgeError} `InvalidOperation` without id and collection, for an entity that JSON cannot express, while another call
   * is under way, and after {@link finish}; `InvalidId`, `BulkInsertAborted`. After an error in the arguments the insert goes on.
   */
  store(entity: object): Promise<void>;
  store(entity: object, id: string, metadata?: Partial<IMetadataDictionary>): Promise<void>;
  store(entity: object, metadata: Partial<IMetadataDictionary>): Promise<void>;
  /**
   * Stores without a promise if there is room; else nothing is stored and the result is `false`: call {@link store} then.
   *
   * ```ts
   * if (!bulk.tryStoreSync(order, id)) await bulk.store(order, id);
   * ```
   */
  tryStoreSync(entity: object, id: string, metadata?: Partial<IMetadataDictionary>): boolean;
  /** Stores attachments of a document that exists, or was stored before in this insert. */
  attachmentsFor(id: string): IAttachmentsBulkInsert;
  /** Increments counters of a document. */
  countersFor(id: string): ICountersBulkInsert;
  /** Appends entries to a time series of a document. Call `dispose()` of the result at its end. */
  timeSeriesFor(id: string, name: string): ITimeSeriesBulkInsert;
  /** Appends entries with named values. `name`: default: that of the class. */
  timeSeriesFor<T extends object>(
    clazz: EntityConstructor<T>,
    id: string,
    name?: string,
  ): ITypedTimeSeriesBulkInsert<T>;
  /** Whether bodies are compressed; set it before the first call that stores. */
  useCompression: boolean;
  /** Listens to the progress of the server, which is read up to twice a second while there is a listener. */
  on(event: "progress", listener: (event: BulkInsertOnProgressEventArgs) => void): this;
  off(event: "progress", listener: (event: BulkInsertOnProgressEventArgs) => void): this;
  /** Ends the insert: what is stored on the server remains, the rest is dropped. Later calls reject with `BulkInsertAborted`. */
  abort(): Promise<void>;
  /**
   * Sends the rest and waits until the server has stored everything.
   * @throws {RavenEdgeError} `BulkInsertAborted`; `InvalidOperation` while a time series is not disposed of.
   */
  finish(): Promise<void>;
}
