// Queries by name, as apps see them. Types alone.

import type { RawDocumentQuery } from "../query/raw-query-types.js";

/** Statistics of a named query. They are filled in when the response has arrived. */
export interface NamedQueryStatistics<T = object> {
  /** Whether the index was behind the documents. */
  isStale: boolean;
  /**
   * RavenDB's number of results, including those that the caller may not see; `undefined` unless the query is declared with
   * `total: true`.
   */
  totalResults: number | undefined;
  /** Where the next page begins, for `session.query({ named, parameters, next })`; `null`: there are no more results. */
  next: string | null;
  /** The collections that the query reads: as declared, else the one behind `from`. Absent if neither says so. */
  collections?: readonly string[];
  /** As {@link QueryStatistics.pending} (`raven-edge/offline`). */
  pending?: T[];
  /** As {@link QueryStatistics.keptAt} (`raven-edge/offline`). */
  keptAt?: Date;
}

/** Results and statistics of a named query. */
export interface NamedQueryResult<T> extends Readonly<NamedQueryStatistics<T>> {
  readonly results: T[];
}

/**
 * A query by its name. Its conditions and order are declared in {@link Names}, so the call adds none. The first call that needs results
 * (`all`, `first`, `count` …) runs the query. Results are documents of the session, unless the query declares a `projection`.
 *
 * Without `take`, `all` gives all results. If there are more than the query's `page.max`, it sends several requests, each of which
 * counts for {@link AdvancedSession.maxNumberOfRequestsPerSession}.
 *
 * ```ts
 * const open = await session.query<Order>({ named: "openOrders", parameters: { from: 10 } }).take(25).all();
 * ```
 */
export interface NamedDocumentQuery<T>
  extends Pick<
    RawDocumentQuery<T>,
    | "all"
    | "first"
    | "firstOrNull"
    | "single"
    | "singleOrNull"
    | "any"
    | "lazily"
    | typeof Symbol.asyncIterator
  > {
  /** The number of results to pass over, 0 or more. A gateway bounds it; for later pages use {@link NamedQueryStatistics.next}. */
  skip(count: number): this;
  /** The maximum number of results, 0 or more. */
  take(count: number): this;
  /** The response must not come from a cache. */
  noCaching(): this;
  /** Results are plain objects that the session does not track. */
  noTracking(): this;
  /** Calls `tell` at once with an object that is filled when the response is there. */
  statistics(tell: (statistics: NamedQueryStatistics<T>) => void): this;
  /** Results and statistics together. */
  getQueryResult(): Promise<NamedQueryResult<T>>;
  /**
   * The number of results, including those that the caller may not see.
   * @throws {RavenEdgeError} `InvalidOperation` unless the query is declared with `total: true`; otherwise as `all`.
   */
  count(): Promise<number>;
  /** {@link count} by its other name in npm `ravendb`. */
  longCount(): Promise<number>;
  /** {@link count}, together with other lazy values. */
  countLazily: RawDocumentQuery<T>["countLazily"];
}
