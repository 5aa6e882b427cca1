// What a database has.

import type { RavenCommand } from "./commands.js";
import type { DocumentConventions } from "./conventions.js";
import type { RavenOperation } from "./operations.js";

/** Sizes as the server tells them. */
export interface Size {
  humaneSize: string;
  sizeInBytes: number;
}

/** What the server says of a database (`GET stats`); names in the case of JavaScript. */
export interface DatabaseStatistics {
  countOfDocuments: number;
  countOfIndexes: number;
  countOfRevisionDocuments: number;
  countOfTombstones: number;
  countOfDocumentsConflicts: number;
  countOfConflicts: number;
  countOfAttachments: number;
  countOfUniqueAttachments: number;
  countOfCounterEntries: number;
  countOfTimeSeriesSegments: number;
  lastDocEtag: number;
  lastDatabaseEtag: number;
  databaseChangeVector: string;
  databaseId: string;
  numberOfTransactionMergerQueueOperations: number;
  is64Bit: boolean;
  pager: string;
  lastIndexingTime: string | null;
  sizeOnDisk: Size;
  tempBuffersSizeOnDisk: Size;
  indexes: unknown[];
  /** What versions to come add. */
  [name: string]: unknown;
}

/** {@link DatabaseStatistics}. */
export class GetStatisticsOperation implements RavenOperation<DatabaseStatistics> {
  constructor();
  getCommand(conventions?: DocumentConventions): RavenCommand<DatabaseStatistics>;
}

/** What the server says without looking closely (`GET stats/essential`). */
export interface EssentialDatabaseStatistics {
  countOfIndexes: number;
  countOfDocuments: number;
  countOfRevisionDocuments: number;
  countOfDocumentsConflicts: number;
  countOfTombstones: number;
  countOfConflicts: number;
  countOfAttachments: number;
  countOfCounterEntries: number;
  countOfTimeSeriesSegments: number;
  indexes: unknown[];
  [name: string]: unknown;
}

/** {@link EssentialDatabaseStatistics}. */
export class GetEssentialStatisticsOperation implements RavenOperation<EssentialDatabaseStatistics> {
  constructor();
  getCommand(conventions?: DocumentConventions): RavenCommand<EssentialDatabaseStatistics>;
}

/** {@link DatabaseStatistics}, and what takes the server longer to count (`GET stats/detailed`). */
export interface DetailedDatabaseStatistics extends DatabaseStatistics {
  countOfIdentities: number;
  countOfCompareExchange: number;
  countOfCompareExchangeTombstones: number;
  countOfTimeSeriesDeletedRanges: number;
}

/** {@link DetailedDatabaseStatistics}. */
export class GetDetailedStatisticsOperation implements RavenOperation<DetailedDatabaseStatistics> {
  constructor(debugTag?: string);
  getCommand(conventions?: DocumentConventions): RavenCommand<DetailedDatabaseStatistics>;
}

/** How many documents there are (`GET collections/stats`). */
export interface CollectionStatistics {
  countOfDocuments: number;
  countOfConflicts: number;
  /** By collection. */
  collections: Record<string, number>;
}

/** {@link CollectionStatistics}. */
export class GetCollectionStatisticsOperation implements RavenOperation<CollectionStatistics> {
  constructor();
  getCommand(conventions?: DocumentConventions): RavenCommand<CollectionStatistics>;
}

/** What a collection takes. */
export interface CollectionDetails {
  name: string;
  countOfDocuments: number;
  size: Size;
  documentsSize: Size;
  tombstonesSize: Size;
  revisionsSize: Size;
}

/** How many documents there are, and what they take (`GET collections/stats/detailed`). */
export interface DetailedCollectionStatistics {
  countOfDocuments: number;
  countOfConflicts: number;
  /** By collection, its first letter in lower case, as npm `ravendb` gives it; `name` has it as it is. */
  collections: Record<string, CollectionDetails>;
}

/** {@link DetailedCollectionStatistics}. */
export class GetDetailedCollectionStatisticsOperation
  implements RavenOperation<DetailedCollectionStatistics>
{
  constructor();
  getCommand(conventions?: DocumentConventions): RavenCommand<DetailedCollectionStatistics>;
}
