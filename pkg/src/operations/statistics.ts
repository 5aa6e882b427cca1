// What the server says of a database.

import { camel } from "../common/member-case.js";
import type { RavenCommand, RavenOperation } from "./command.js";
import { reading } from "./reading-command.js";

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
  /** What later versions of the server add. */
  [name: string]: unknown;
}

/** {@link DatabaseStatistics}. */
export class GetStatisticsOperation implements RavenOperation<DatabaseStatistics> {
  getCommand(): RavenCommand<DatabaseStatistics> {
    return reading({ route: "stats" });
  }
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
  getCommand(): RavenCommand<EssentialDatabaseStatistics> {
    return reading({ route: "stats/essential" });
  }
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
  #debugTag;

  constructor(debugTag?: string) {
    this.#debugTag = debugTag;
  }

  getCommand(): RavenCommand<DetailedDatabaseStatistics> {
    return reading({ route: this.#debugTag ? `stats/detailed?${this.#debugTag}` : "stats/detailed" });
  }
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
  getCommand(): RavenCommand<CollectionStatistics> {
    return reading({ route: "collections/stats" }, (body: { Collections: Record<string, number> }) => {
      // Collections keep their names.
      const { Collections: collections, ...rest } = body;
      return { ...(camel(rest) as Omit<CollectionStatistics, "collections">), collections };
    });
  }
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
  getCommand(): RavenCommand<DetailedCollectionStatistics> {
    return reading({ route: "collections/stats/detailed" });
  }
}
