// Arguments and results of map and reduce functions. Types alone: the functions run on the server.

import type { IMetadataDictionary } from "../documents/entity-types.js";
import type { FieldIndexing, FieldTermVector, FieldVectorOptions } from "./definition.js";
import type { IndexingGroupResults, IndexingMapReduceFormatter } from "./javascript-tasks.js";

/** The result of a map function: one entry of the index, or several. */
export type IndexingMapDefinition<TInput, TOutput> = (document: TInput) => TOutput | TOutput[];
export type IndexingReduceDefinition<TItem> = (
  result: IndexingGroupResults<TItem>,
) => IndexingMapReduceFormatter<TItem>;

/** How `createField` stores and indexes the field. */
export interface CreateFieldOptions {
  storage?: boolean;
  indexing?: FieldIndexing;
  termVector?: FieldTermVector;
  vector?: FieldVectorOptions;
}

/** The result of `createSpatialField`, which only the server uses. */
// biome-ignore lint/suspicious/noConfusingVoidType: as npm `ravendb` has it
export type SpatialField = void;

/** The functions that a map function may call. They exist on the server; here they only have types. */
export interface IndexingMapUtils {
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, a document of any shape
  load<T = any>(documentId: string, collection: string): T;
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, a value of any shape
  cmpxchg<T = any>(key: string): T;
  getMetadata(document: unknown): IMetadataDictionary;
  id(document: unknown): string;
  createSpatialField(wkt: string): SpatialField;
  createSpatialField(lat: number, lng: number): SpatialField;
  createField(name: string, value: unknown, options?: CreateFieldOptions): void;
  createVector(values: unknown): void;
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, as the server gives it
  attachmentsFor(document: unknown): any[];
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, as the server gives it
  loadAttachment(document: unknown, attachmentName: string): any;
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, as the server gives it
  loadAttachments(document: unknown): any[];
  loadVector(
    path: string,
    embeddingsGenerationTaskIdentifier?: string,
    embeddingsSourceDocumentId?: string,
    embeddingsSourceDocumentCollectionName?: string,
  ): void;
  noTracking: {
    // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, a document of any shape
    load<T = any>(documentId: string, collection: string): T;
  };
}
