// Answers that are read piece by piece.

import type { SessionLoadStartingWithOptions } from "./advanced.js";
import type { EntityType, IMetadataDictionary } from "./entities.js";

export { IndexQuery } from "../dts/query/index-query.js";

/** A document of a stream; results of groups and projections have what the server gives of them. */
export interface StreamResult<T extends object = object> {
  /** The id; `null` for what is no document, such as the result of a group (the type is npm `ravendb`'s). */
  id: string;
  /** Its change vector; `null` where there is no id (the type is npm `ravendb`'s). */
  changeVector: string;
  /** The metadata as the server has them; also at `document["@metadata"]`. */
  metadata: IMetadataDictionary;
  /** The entity. It is not tracked; of a document that the session has, it is the session's own object. */
  document: T;
}

/** What the server says of a query that it streams. */
export interface StreamQueryStatistics {
  /** The index, such as `Auto/Orders/ByTotal` or `collection/Orders`. */
  indexName: string;
  /** Whether the index had not seen everything yet. */
  isStale: boolean;
  /** How far it was. */
  indexTimestamp: Date;
  /** How many results the query has; 0 or below 0 where the server does not count them first. */
  totalResults: number;
  /** Changes with the results; a 64-bit number that has lost digits. */
  resultEtag: number;
}

/**
 * Documents as they arrive, to be gone through once. The next piece of the answer is read when the documents of the last
 * one are used up, so memory stays the same however many pass. Leaving the loop ends the request.
 */
export interface DocumentResultStream<T extends object = object>
  extends AsyncIterableIterator<StreamResult<T>> {
  /**
   * In Node, Deno and Bun, as npm `ravendb` has it: an awaited stream is a `Readable` of `node:stream` in object mode. `"data"`
   * has the items, `"stats"` the statistics of a query, then `"end"`, or `"error"`.
   */
  on(event: "data", listener: (item: StreamResult<T>) => void): this;
  on(event: "stats", listener: (statistics: StreamQueryStatistics) => void): this;
  on(event: "error", listener: (error: Error) => void): this;
  on(event: "end" | "close", listener: () => void): this;
  once: DocumentResultStream<T>["on"];
  /** In Node: writes the items, in object mode. */
  pipe<Target extends NodeWritable>(target: Target): Target;
  /** In Node: ends the request. */
  destroy(error?: Error): this;
  /** Ends the request. */
  return(value?: unknown): Promise<IteratorResult<StreamResult<T>>>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A stream to be gone through at once, or to be awaited first, as npm `ravendb` has it. */
export type OpenedStream<T extends object = object> = Promise<DocumentResultStream<T>> &
  AsyncIterable<StreamResult<T>>;

/** What says a query: those of a session do, and {@link IndexQuery}. */
export interface StreamedQuery<T extends object = object> {
  /** The body for the server, `{"Query":"from Orders","QueryParameters":null}`. */
  indexQuery(): string | Promise<string>;
  /** The class that the documents become instances of. */
  documentType?: EntityType<T> | undefined;
}

/** What a stream is written to in Node: a `Writable` of `node:stream`. */
export interface NodeWritable {
  // biome-ignore lint/suspicious/noExplicitAny: as Node has it
  write(chunk: any): boolean;
  end(): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: as Node has it
  on(event: string, listener: (...args: any[]) => void): unknown;
}

/** Options of {@link AdvancedSession.stream} by prefix. `exclude` is ignored by RavenDB's streams. */
export interface StreamOptions<T extends object = object> extends SessionLoadStartingWithOptions<T> {
  /** How the ids begin; `""`: all documents of the database. */
  startsWith: string;
}
