// What every query can do, as apps see it. Types alone.

import type { Lazy } from "../loading/lazy-types.js";
import type { FacetResultObject } from "../query-extras/builders/facets.js";
import type { IQueryShardedContextBuilder } from "../query-extras/extra-clauses-types.js";
import type { DocumentSession } from "../session/document-session-types.js";
import type { DocumentQuery } from "./document-query-types.js";
import type { IndexQuery } from "./index-query.js";
import type { ProjectionBehavior, QueryOperator, QueryValue } from "./query-options.js";

/** A query is about to be sent (`beforeQuery` of a session). */
export interface SessionBeforeQueryEventArgs {
  readonly session: DocumentSession;
  /** The query: a listener may customize it. */
  readonly queryCustomization: IDocumentQueryCustomization;
}

/** A query before it is sent, and what listeners may still change. */
export interface IDocumentQueryCustomization
  extends Pick<
    RawDocumentQuery<object>,
    | "noCaching"
    | "noTracking"
    | "waitForNonStaleResults"
    | "timings"
    | "projection"
    | "on"
    | "once"
    | "removeListener"
  > {
  /** The query itself. */
  // biome-ignore lint/suspicious/noExplicitAny: any query of the session, as in npm `ravendb`
  getQuery(): DocumentQuery<any, string>;
  /** Of a query in methods; `InvalidOperation` for a raw query. */
  randomOrdering(seed?: string): this;
  /** Of a query in methods; `InvalidOperation` for a raw query. */
  shardContext(action: (builder: IQueryShardedContextBuilder) => void): this;
}

/** The events of a query by name. */
export interface QueryEvents<T> {
  /** Text and parameters, as they are about to be sent; changes by a listener are sent. */
  beforeQueryExecuted: IndexQuery;
  /** The response. */
  afterQueryExecuted: QueryResult<T>;
}

/**
 * A query in RQL that the app writes, and what every query can do: parameters, paging, options and endings.
 *
 * A query is sent once, by the first of its endings (`all`, `first`, `single`, `any`, `count` …) that is called; others then work
 * on its results. Results are documents of the session, unless the query selects parts of them (`select`) or does not track.
 * RavenDB documentation, "What is RQL"; route `POST /databases/{name}/queries`.
 *
 * ```ts
 * const expensive = await session.advanced
 *   .rawQuery<Order>("from Orders where total > $least")
 *   .addParameter("least", 100)
 *   .take(10)
 *   .all();
 * ```
 */
export declare class RawDocumentQuery<T> implements AsyncIterable<T> {
  protected constructor();
  /** The number of results to pass over, 0 or more. */
  skip(count: number): this;
  /** The maximum number of results, 0 or more. */
  take(count: number): this;
  /**
   * Waits until the index contains what was saved before, for `timeout` milliseconds at most; default
   * {@link DocumentConventions.waitForNonStaleResultsTimeout}, 15,000. After that the endings fail with `Timeout`.
   */
  waitForNonStaleResults(timeout?: number): this;
  /** The response must not come from a cache. */
  noCaching(): this;
  /** Results are plain objects that the session does not track. */
  noTracking(): this;
  /** The operator between conditions that the app does not join itself; default `"AND"`. Before the first condition. */
  usingDefaultOperator(operator: QueryOperator): this;
  /** A parameter, which the text calls `$name`. */
  addParameter(name: string, value: QueryValue): this;
  /** Where the server takes the fields from that `select` names. */
  projection(behavior: ProjectionBehavior): this;
  /** Calls `tell` at once with an object that is filled when the response is there. */
  statistics(tell: (statistics: QueryStatistics) => void): this;
  /** Asks the server how long each part of the query takes; `tell` is called as by `statistics`. */
  timings(tell: (timings: QueryTimings) => void): this;
  /** Adds a listener to this query. */
  on<Name extends keyof QueryEvents<T>>(event: Name, listener: (event: QueryEvents<T>[Name]) => void): this;
  /** Adds a listener to this query that is called once. */
  once<Name extends keyof QueryEvents<T>>(event: Name, listener: (event: QueryEvents<T>[Name]) => void): this;
  /** Removes a listener. */
  removeListener<Name extends keyof QueryEvents<T>>(
    event: Name,
    listener: (event: QueryEvents<T>[Name]) => void,
  ): this;
  /**
   * Text and parameters as JSON, as they are sent. (Not in npm `ravendb`.)
   * @throws {RavenEdgeError} `InvalidArgument`, `InvalidOperation` if the calls together are not a valid query.
   */
  indexQuery(): Promise<string>;
  /**
   * Text, parameters and options as they are sent, for logs and for operations by query. `beforeQueryExecuted` is raised.
   * @throws {RavenEdgeError} As {@link toString}.
   */
  getIndexQuery(): IndexQuery;
  /**
   * The text as it is sent.
   * @throws {RavenEdgeError} As {@link indexQuery}; `InvalidOperation` in a browser before `await store.ready()`.
   */
  toString(): string;
  /**
   * The results.
   * @throws {RavenEdgeError} `InvalidArgument`, `InvalidOperation`, `Server` (`IndexDoesNotExistException`,
   * `InvalidQueryException` …), `Timeout`, `Unreachable`, `BadAnswer`, `Disposed`.
   */
  all(): Promise<T[]>;
  /** The first result. @throws {RavenEdgeError} `InvalidOperation` if there is none; as {@link all}. */
  first(): Promise<T>;
  /** The first result, if there is one. */
  firstOrNull(): Promise<T | null>;
  /** The only result. @throws {RavenEdgeError} `InvalidOperation` if there is none, or more than one; as {@link all}. */
  single(): Promise<T>;
  /** The only result, if there is one. @throws {RavenEdgeError} `InvalidOperation` if there are more; as {@link all}. */
  singleOrNull(): Promise<T | null>;
  /** Whether there are results. */
  any(): Promise<boolean>;
  /** The number of results, whatever `skip` says; no documents are sent. */
  count(): Promise<number>;
  /** {@link count} by its other name in npm `ravendb`. */
  longCount(): Promise<number>;
  /** Results and statistics together. */
  getQueryResult(): Promise<QueryResult<T>>;
  /** `for await (const order of query)`: the results of {@link all}, one by one. For many results use `stream`. */
  [Symbol.asyncIterator](): AsyncIterator<T>;
  /** Waits with the request until a pending lazy value is needed; all of them share one request. */
  lazily(onEval?: (results: T[]) => void): Lazy<T[]>;
  /** {@link count}, together with other lazy values. */
  countLazily(onEval?: (count: number) => void): Lazy<number>;
  /** A text for logs and monitoring of the server. It is not sent with lazy queries, as by npm `ravendb`. */
  withTag(tag: string): this;
  /** The facets of a raw query that selects facets, by their names. */
  executeAggregation(): Promise<FacetResultObject>;
}

/** By this name in npm `ravendb`. */
export type IRawDocumentQuery<T> = RawDocumentQuery<T>;

/** What the server reports beside the results. Filled when the response is there. */
export declare class QueryStatistics {
  /** Whether the index was behind the documents. */
  isStale: boolean;
  /** The server's time in milliseconds; -1: from its cache. */
  durationInMs: number;
  /** The number of results, without the limits of `skip` and `take`. */
  totalResults: number;
  /** Results that `distinct` left out. */
  skippedResults: number;
  scannedResults: number;
  timestamp: Date;
  indexName: string;
  indexTimestamp: Date;
  lastQueryTime: Date;
  resultEtag: number | null;
  nodeTag: string;
  /**
   * Documents of this device that the results may lack, whatever their collection (`raven-edge/offline`): those that were created on it and
   * are not saved, or were saved so late that the results lack them (with an `@change-vector`), and those that are in conflict. Absent
   * if there are none. They have ids and `@metadata`, and no session tracks them. The device does not know whether they would be results.
   */
  pending?: object[];
  /** When the results were kept, if they come from the device (`raven-edge/offline`). */
  keptAt?: Date;
}

/** The server's time for each part of a query, in milliseconds. Filled when the response is there. */
export declare class QueryTimings {
  durationInMs: number;
  timings: Record<string, QueryTimings> | undefined;
}

/** A response as a whole: {@link RawDocumentQuery.getQueryResult}. */
export interface QueryResult<T> extends Readonly<Omit<QueryStatistics, "timestamp" | "pending" | "keptAt">> {
  readonly results: T[];
  readonly includedPaths: string[] | null;
}
