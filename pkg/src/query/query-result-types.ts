// What the response to a query contains, as apps see it. Types alone.

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
export interface QueryResult<T> {
  readonly results: T[];
  readonly includedPaths: string[] | null;
  readonly indexName: string;
  readonly indexTimestamp: Date;
  readonly totalResults: number;
  readonly skippedResults: number;
  readonly scannedResults: number;
  readonly isStale: boolean;
  readonly lastQueryTime: Date;
  readonly resultEtag: number | null;
  readonly nodeTag: string;
  readonly durationInMs: number;
}
