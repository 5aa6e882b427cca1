// Streams as apps see them. Types alone.

import type { EntityType, IMetadataDictionary } from "../documents/entity-types.js";
import type { SessionLoadStartingWithOptions } from "../session/session-options.js";

/** A document of a stream; for groups and projections, what the server sends of them. */
export interface StreamResult<T extends object = object> {
  /** The id; `null` for a result that is not a document, such as that of a group (the type is npm `ravendb`'s). */
  id: string;
  /** Its change vector; `null` if there is no id (the type is npm `ravendb`'s). */
  changeVector: string;
  /** The metadata as the server has it; also at `document["@metadata"]`. */
  metadata: IMetadataDictionary;
  /** The entity. It is not tracked. If the session has the document, it is the session's own object. */
  document: T;
}

/** What the server reports of a query that it streams. */
export interface StreamQueryStatistics {
  /** The index, such as `Auto/Orders/ByTotal` or `collection/Orders`. */
  indexName: string;
  /** Whether the index was behind the documents. */
  isStale: boolean;
  /** The time up to which the index was complete. */
  indexTimestamp: Date;
  /** The number of results; 0 or less if the server does not count them first. */
  totalResults: number;
  /** Changes with the results; a 64-bit number that has lost digits. */
  resultEtag: number;
}

/**
 * Documents as they arrive; they can be iterated once. The next piece of the response is read when the documents of the last one
 * are used up, so memory use does not depend on their number. Leaving the loop ends the request.
 */
export interface DocumentResultStream<T extends object = object>
  extends AsyncIterableIterator<StreamResult<T>> {
  /**
   * In Node, Deno and Bun, as in npm `ravendb`: an awaited stream is a `Readable` of `node:stream` in object mode. `"data"` gets
   * the items, `"stats"` the statistics of a query, then comes `"end"`, or `"error"`.
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
  /** Ends the request, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A stream that can be iterated at once, or awaited first, as in npm `ravendb`. */
export type OpenedStream<T extends object = object> = Promise<DocumentResultStream<T>> &
  AsyncIterable<StreamResult<T>>;

/** An object with the text of a query: the queries of a session, and {@link IndexQuery}. */
export interface StreamedQuery<T extends object = object> {
  /** The body for the server, `{"Query":"from Orders","QueryParameters":null}`. */
  indexQuery(): string | Promise<string>;
  /** The class that the documents become instances of. */
  documentType?: EntityType<T> | undefined;
}

/** The target of a stream in Node: a `Writable` of `node:stream`. */
export interface NodeWritable {
  // biome-ignore lint/suspicious/noExplicitAny: the platform's own type, as in Node
  write(chunk: any): boolean;
  end(): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the platform's own type, as in Node
  on(event: string, listener: (...args: any[]) => void): unknown;
}

/** Options of {@link AdvancedSession.stream} by prefix. RavenDB's streams ignore `exclude`. */
export interface StreamOptions<T extends object = object> extends SessionLoadStartingWithOptions<T> {
  /** The prefix of the ids; `""`: all documents of the database. */
  startsWith: string;
}
