// What the server does with indexes, for `store.maintenance.send`.

import type { RavenCommand } from "./commands.js";
import type { DocumentConventions } from "./conventions.js";
import type {
  ArchivedDataProcessingBehavior,
  IndexDefinition,
  IndexLockMode,
  IndexPriority,
  IndexSourceType,
  IndexState,
  IndexType,
  SearchEngineType,
} from "./index-definitions.js";
import type { RavenOperation } from "./operations.js";

/** An operation on indexes. A blank name, and a missing definition, is an error (`InvalidArgument`) where it is made. */
declare abstract class IndexOperation<TResult> implements RavenOperation<TResult> {
  getCommand(conventions?: DocumentConventions): RavenCommand<TResult>;
}

/** What became of a definition that was sent. */
export interface PutIndexResult {
  index: string;
  raftCommandIndex: number;
}

/**
 * Deploys indexes in one request (`PUT indexes`, or `PUT admin/indexes` where one is in C#). One that is there already
 * with the same definition stays as it is; another definition replaces it once it has caught up.
 */
export class PutIndexesOperation extends IndexOperation<PutIndexResult[]> {
  constructor(...indexToAdd: IndexDefinition[]);
}

/** Whether the server has no index of that name, or another definition of it. */
export class IndexHasChangedOperation extends IndexOperation<boolean> {
  constructor(definition: IndexDefinition);
}

export class GetIndexNamesOperation extends IndexOperation<string[]> {
  constructor(start?: number, pageSize?: number);
}

export class GetIndexesOperation extends IndexOperation<IndexDefinition[]> {
  constructor(start?: number, pageSize?: number);
}

/** The definition of an index; `undefined` where there is none. */
export class GetIndexOperation extends IndexOperation<IndexDefinition> {
  constructor(indexName: string);
}

/** How far an index is with a collection. */
export interface CollectionStats {
  lastProcessedDocumentEtag: number;
  lastProcessedTombstoneEtag: number;
  /** Documents still to be indexed. */
  documentLag: number;
  tombstoneLag: number;
}

export type IndexRunningStatus = "Running" | "Paused" | "Disabled" | "Pending";

/** What an index has done. Times as the server writes them. */
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
  /** What other versions say. */
  [name: string]: unknown;
}

export class GetIndexesStatisticsOperation extends IndexOperation<IndexStats[]> {
  constructor();
}

/** Fails with `InvalidOperation` where there is no such index. */
export class GetIndexStatisticsOperation extends IndexOperation<IndexStats> {
  constructor(indexName: string);
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

/** What failed while indexing; of all indexes by default. */
export class GetIndexErrorsOperation extends IndexOperation<IndexErrors[]> {
  constructor(indexNames?: string[] | null);
}

export class DeleteIndexErrorsOperation extends IndexOperation<void> {
  constructor(indexNames?: string[] | null);
}

export interface IndexStatus {
  name: string;
  status: IndexRunningStatus;
}

export interface IndexingStatus {
  status: IndexRunningStatus;
  indexes: IndexStatus[];
}

export class GetIndexingStatusOperation extends IndexOperation<IndexingStatus> {
  constructor();
}

/** The terms of a field, in their order, behind `fromValue`. */
export class GetTermsOperation extends IndexOperation<string[]> {
  constructor(indexName: string, field: string, fromValue?: string | null, pageSize?: number | null);
}

/** Deletes an index, if there is one. */
export class DeleteIndexOperation extends IndexOperation<void> {
  constructor(indexName: string);
}

/** Has an index built anew (the method `RESET`, which proxies made with Node refuse). */
export class ResetIndexOperation extends IndexOperation<void> {
  constructor(indexName: string);
}

/** Goes on with an index, on the node that is asked, until that restarts. */
export class StartIndexOperation extends IndexOperation<void> {
  constructor(indexName: string);
}

/** Pauses an index, on the node that is asked, until that restarts. */
export class StopIndexOperation extends IndexOperation<void> {
  constructor(indexName: string);
}

/** {@link StartIndexOperation} for all indexes of the database. */
export class StartIndexingOperation extends IndexOperation<void> {
  constructor();
}

/** {@link StopIndexOperation} for all indexes of the database. */
export class StopIndexingOperation extends IndexOperation<void> {
  constructor();
}

/** Lasts beyond a restart. `clusterWide`: on all nodes; default `false`. */
export class EnableIndexOperation extends IndexOperation<void> {
  constructor(indexName: string, clusterWide?: boolean);
}

/** Lasts beyond a restart. `clusterWide`: on all nodes; default `false`. */
export class DisableIndexOperation extends IndexOperation<void> {
  constructor(indexName: string, clusterWide?: boolean);
}

export interface SetIndexesLockOperationParameters {
  indexNames: string[];
  mode: IndexLockMode;
}

/** Indexes that the server made itself (`Auto/…`) are refused (`InvalidArgument`). */
export class SetIndexesLockOperation extends IndexOperation<void> {
  constructor(indexName: string, mode: IndexLockMode);
  constructor(parameters: SetIndexesLockOperationParameters);
}

export interface SetIndexesPriorityOperationParameters {
  indexNames: string[];
  priority: IndexPriority;
}

export class SetIndexesPriorityOperation extends IndexOperation<void> {
  constructor(indexName: string, priority: IndexPriority);
  constructor(parameters: SetIndexesPriorityOperationParameters);
}
