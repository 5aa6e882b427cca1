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
