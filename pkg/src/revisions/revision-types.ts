// Revisions as apps see them. Types alone.

import type { DocumentType, IMetadataDictionary } from "../documents/entity-types.js";
import type { Lazy } from "../loading/lazy-types.js";

/** Whether a save makes a revision of a document as it was before the save. */
export type ForceRevisionStrategy = "None" | "Before";

/** Revisions by their change vectors; `null`: there is none. */
export interface RevisionsCollectionObject<T> {
  [changeVector: string]: T | null;
}

/** A page of revisions, newest first. */
export interface SessionRevisionsMetadataOptions {
  /** How many are left out. Default 0. */
  start?: number;
  /** Default 25. */
  pageSize?: number;
}

export interface SessionRevisionsOptions<T extends object> extends SessionRevisionsMetadataOptions {
  /** The class that the revisions become instances of. */
  documentType?: DocumentType<T>;
}

export type LazySessionRevisionsOptions<T extends object> = SessionRevisionsOptions<T>;
export type LazySessionRevisionsMetadataOptions = SessionRevisionsMetadataOptions;

/**
 * `session.advanced.revisions`: earlier versions of documents. The session does not track them: changing a revision changes nothing on
 * the server. `session.advanced.getMetadataFor(revision)` gives its metadata.
 *
 * ```ts
 * const [newest, before] = await session.advanced.revisions.getFor<Order>("orders/1-A", { pageSize: 2 });
 * ```
 */
export interface IRevisionsSessionOperations {
  /** The revisions of a document, newest first. */
  getFor<T extends object>(id: string, options?: SessionRevisionsOptions<T>): Promise<T[]>;
  /** Their metadata. */
  getMetadataFor(id: string, options?: SessionRevisionsMetadataOptions): Promise<IMetadataDictionary[]>;
  /** The newest revision of a document that is not newer than `date`; `null` if there is none. */
  get<T extends object>(id: string, date: Date, documentType?: DocumentType<T>): Promise<T | null>;
  /** The revision with this change vector; `null` if there is none. No request if it was included. */
  get<T extends object>(changeVector: string, documentType?: DocumentType<T>): Promise<T | null>;
  get<T extends object>(
    changeVectors: string[],
    documentType?: DocumentType<T>,
  ): Promise<RevisionsCollectionObject<T>>;
  /** The next save makes a revision of a document, also if nothing was changed and none is configured. */
  forceRevisionCreationFor<T extends object>(entity: T, strategy?: ForceRevisionStrategy): void;
  forceRevisionCreationFor(id: string, strategy?: ForceRevisionStrategy): void;
  /** How many revisions a document has. */
  getCountFor(id: string): Promise<number>;
  /** Lazy reads; all that are pending are sent as one request. */
  readonly lazily: ILazyRevisionsOperations;
}

/** `session.advanced.revisions.lazily`. */
export interface ILazyRevisionsOperations {
  getFor<T extends object>(id: string, options?: LazySessionRevisionsOptions<T>): Lazy<T[]>;
  getMetadataFor(id: string, options?: LazySessionRevisionsMetadataOptions): Lazy<IMetadataDictionary[]>;
  get<T extends object>(id: string, date: Date, documentType?: DocumentType<T>): Lazy<T | null>;
  get<T extends object>(changeVector: string, documentType?: DocumentType<T>): Lazy<T | null>;
  get<T extends object>(
    changeVectors: string[],
    documentType?: DocumentType<T>,
  ): Lazy<RevisionsCollectionObject<T>>;
}
