// Statistics of a database.

import { camel } from "../common/member-case.js";
import type { RavenCommand, RavenOperation } from "./operation-types.js";
import { CommandOperation, reading } from "./single-request.js";

/** A size: bytes, and the server's text for it. */
export interface Size {
  humaneSize: string;
  sizeInBytes: number;
}

/** Statistics of a database (`GET stats`). Names begin with a lower-case letter. */
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
  /** Members that later versions of the server add. */
  [name: string]: unknown;
}

/** {@link DatabaseStatistics}. */
export class GetStatisticsOperation implements RavenOperation<DatabaseStatistics> {
  getCommand(): RavenCommand<DatabaseStatistics> {
    return reading({ route: "stats" });
  }
}

/** The statistics that cost the server little (`GET stats/essential`). */
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

/** {@link DatabaseStatistics}, and counts that take the server longer (`GET stats/detailed`). */
export interface DetailedDatabaseStatistics extends DatabaseStatistics {
  countOfIdentities: number;
  countOfCompareExchange: number;
  countOfCompareExchangeTombstones: number;
  countOfTimeSeriesDeletedRanges: number;
}

/** {@link DetailedDatabaseStatistics}. */
export class GetDetailedStatisticsOperation extends CommandOperation<DetailedDatabaseStatistics> {
  constructor(debugTag?: string) {
    super(() => reading({ route: debugTag ? `stats/detailed?${debugTag}` : "stats/detailed" }));
  }
}

/** The numbers of documents (`GET collections/stats`). */
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
      // Names of collections are unchanged.
      const { Collections: collections, ...rest } = body;
      return { ...(camel(rest) as Omit<CollectionStatistics, "collections">), collections };
    });
  }
}

/** The documents of a collection, and their sizes. */
export interface CollectionDetails {
  name: string;
  countOfDocuments: number;
  size: Size;
  documentsSize: Size;
  tombstonesSize: Size;
  revisionsSize: Size;
}

/** The numbers of documents, and their sizes (`GET collections/stats/detailed`). */
export interface DetailedCollectionStatistics {
  countOfDocuments: number;
  countOfConflicts: number;
  /** By the name of the collection with a lower-case first letter, as in npm `ravendb`; `name` is the unchanged name. */
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
