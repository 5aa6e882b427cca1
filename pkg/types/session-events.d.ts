// What a session tells.

import type { EntityType, IMetadataDictionary } from "./entities.js";
import type { SessionBeforeQueryEventArgs } from "./queries.js";
import type { DocumentSession } from "./session.js";
import type { SessionEventArgs } from "./store-events.js";

/** A document is about to be sent (`beforeStore`): it and its metadata can still be changed. */
export interface SessionBeforeStoreEventArgs {
  readonly session: DocumentSession;
  /** Its id; of one that is yet to be made its beginning. */
  readonly documentId: string;
  getEntity(): object;
  getDocumentMetadata(): IMetadataDictionary;
  /** Whether somebody has asked this event for the metadata. */
  isMetadataAccessed(): boolean;
}

/** A document was saved (`afterSaveChanges`). */
export interface SessionAfterSaveChangesEventArgs {
  readonly session: DocumentSession;
  readonly documentId: string;
  readonly entity: object;
  readonly documentMetadata: IMetadataDictionary;
}

/** A document is about to be deleted (`beforeDelete`). By its id alone it has neither entity nor metadata. */
export interface SessionBeforeDeleteEventArgs {
  readonly session: DocumentSession;
  readonly documentId: string;
  readonly entity: object;
  readonly documentMetadata: IMetadataDictionary;
}

/** A document of the server is about to become an entity (`beforeConversionToEntity`). */
export interface BeforeConversionToEntityEventArgs {
  readonly session: DocumentSession;
  readonly id: string;
  /** The class that the app named, if it did. */
  readonly entityType: EntityType | undefined;
  /** The document with its `@metadata`; another one may take its place. */
  document: object;
}

/** It has become one (`afterConversionToEntity`). What a listener changes in it counts as a change. */
export interface AfterConversionToEntityEventArgs {
  readonly session: DocumentSession;
  readonly id: string;
  readonly entity: object;
  readonly document: object;
}

/** An entity is about to become a document (`beforeConversionToDocument`). */
export interface BeforeConversionToDocumentEventArgs {
  readonly session: DocumentSession;
  readonly id: string | null;
  readonly entity: object;
}

/** It has become one (`afterConversionToDocument`): `document.value` is what will be sent, and can be changed. */
export interface AfterConversionToDocumentEventArgs {
  readonly session: DocumentSession;
  readonly id: string | null;
  readonly entity: object;
  readonly document: { value: object };
}

/** The events of a session by name. */
export interface SessionEvents {
  beforeStore: SessionBeforeStoreEventArgs;
  afterSaveChanges: SessionAfterSaveChangesEventArgs;
  beforeDelete: SessionBeforeDeleteEventArgs;
  beforeConversionToEntity: BeforeConversionToEntityEventArgs;
  afterConversionToEntity: AfterConversionToEntityEventArgs;
  beforeConversionToDocument: BeforeConversionToDocumentEventArgs;
  afterConversionToDocument: AfterConversionToDocumentEventArgs;
  beforeQuery: SessionBeforeQueryEventArgs;
  sessionDisposing: SessionEventArgs;
}
