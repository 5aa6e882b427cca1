// Operations that read the progress, the statistics and the errors of indexes, for `store.maintenance.send`.

import { fail } from "../common/error.js";
import { camel } from "../common/member-case.js";
import { dateOf } from "../documents/mapping/date-format.js";
import { members, SingleRequestOperation } from "../operations/single-request.js";
import type {
  ArchivedDataProcessingBehavior,
  IndexLockMode,
  IndexPriority,
  IndexSourceType,
  IndexState,
  IndexType,
  SearchEngineType,
} from "./definition.js";
import { named, names, route } from "./index-requests.js";

/** The progress of an index for a collection. */
export interface CollectionStats {
  lastProcessedDocumentEtag: number;
  lastProcessedTombstoneEtag: number;
  /** The number of documents that are not indexed yet. */
  documentLag: number;
  tombstoneLag: number;
}

export type IndexRunningStatus = "Running" | "Paused" | "Disabled" | "Pending";

/** The statistics of an index. Times have the server's format. */
export interface IndexStats {
  name: string;
  mapAttempts: number;
  mapSuccesses: number;
  mapErrors: number;
  mapReferenceAttempts: number | null;
  mapReferenceSuccesses: number | null;
  mapReferenceErrors: number | null;
  reduceAttempts: number | null;
  reduceSuccesses: number | null;
  reduceErrors: number | null;
  reduceOutputCollection: string | null;
  reduceOutputReferencePattern: string | null;
  patternReferencesCollectionName: string | null;
  mappedPerSecondRate: number;
  reducedPerSecondRate: number;
  maxNumberOfOutputsPerDocument: number;
  /** By collection. */
  collections: Map<string, CollectionStats>;
  lastQueryingTime: string | null;
  state: IndexState;
  priority: IndexPriority;
  createdTimestamp: string;
  lastIndexingTime: string | null;
  isStale: boolean;
  lockMode: IndexLockMode;
  type: IndexType;
  searchEngineType: SearchEngineType;
  archivedDataProcessingBehavior: ArchivedDataProcessingBehavior | null;
  status: IndexRunningStatus;
  entriesCount: number;
  errorsCount: number;
  sourceType: IndexSourceType;
  /** Members of other versions of the server. */
  [name: string]: unknown;
}

/** The response to a request for statistics. */
interface Listed {
  Results?: { Collections?: Record<string, unknown> }[];
}

/** The statistics of an index. Names of collections are unchanged. */
function statistics({ Collections, ...rest }: { Collections?: Record<string, unknown> }): IndexStats {
  const collections = Object.entries(Collections ?? {}).map(([name, value]) => [name, camel(value)] as const);
  return { ...(camel(rest) as IndexStats), collections: new Map(collections as [string, CollectionStats][]) };
}

export class GetIndexesStatisticsOperation extends SingleRequestOperation<IndexStats[]> {
  constructor() {
    super({ route: "indexes/stats" }, ({ Results = [] }: Listed) => Results.map(statistics));
  }
}

/** Fails with `InvalidOperation` if there is no such index. */
export class GetIndexStatisticsOperation extends SingleRequestOperation<IndexStats> {
  constructor(indexName: string) {
    const request = { route: route("indexes/stats", [["name", named(indexName)]]) };
    super(request, (response: Listed) =>
      statistics(response?.Results?.[0] ?? fail("InvalidOperation", `there is no index ${indexName}`)),
    );
  }
}

export interface IndexingError {
  error: string;
  timestamp: Date;
  /** The document whose map failed. */
  document: string;
  action: string;
}

export interface IndexErrors {
  name: string;
  errors: IndexingError[];
}

/** The server's form of an error. */
interface SentErrors extends Omit<IndexErrors, "errors"> {
  errors: (Omit<IndexingError, "timestamp"> & { timestamp: string })[];
}

/** The errors of indexing; default: of all indexes. */
export class GetIndexErrorsOperation extends SingleRequestOperation<IndexErrors[]> {
  constructor(indexNames?: string[] | null) {
    super({ route: route("indexes/errors", names(indexNames)) }, ({ Results }: { Results: unknown[] }) =>
      (camel(Results) as SentErrors[]).map(({ errors, ...rest }) => ({
        ...rest,
        errors: errors.map((error) => ({ ...error, timestamp: dateOf(error.timestamp) })),
      })),
    );
  }
}

export class DeleteIndexErrorsOperation extends SingleRequestOperation<void> {
  constructor(indexNames?: string[] | null) {
    super({ method: "DELETE", route: route("indexes/errors", names(indexNames)) });
  }
}

export interface IndexStatus {
  name: string;
  status: IndexRunningStatus;
}

export interface IndexingStatus {
  status: IndexRunningStatus;
  indexes: IndexStatus[];
}

export class GetIndexingStatusOperation extends SingleRequestOperation<IndexingStatus> {
  constructor() {
    super({ route: "indexes/status" }, members);
  }
}
