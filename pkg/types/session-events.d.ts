// What a session tells.

import type { AdvancedSession } from "./advanced.js";
import type { DocumentConventions } from "./conventions.js";
import type { EntityType, IMetadataDictionary } from "./entities.js";
import type { SessionBeforeQueryEventArgs } from "./queries.js";
import type { DocumentSession } from "./session.js";
import type { SessionEventArgs } from "./store-events.js";

/**
 * The session that an event is about: {@link DocumentSession} and {@link AdvancedSession} in one. By this name in npm
 * `ravendb`.
 */
export type InMemoryDocumentSessionOperations = DocumentSession &
  AdvancedSession & { readonly conventions: DocumentConventions };

/** A document is about to be sent (`beforeStore`): it and its metadata can still be changed. */
export interface SessionBeforeStoreEventArgs {
  readonly session: InMemoryDocumentSessionOperations;
  /** Its id; of one that is yet to be made its beginning. */
  readonly documentId: string;
  getEntity(): object;
  getDocumentMetadata(): IMetadataDictionary;
  /** Whether somebody has asked this event for the metadata. */
  isMetadataAccessed(): boolean;
}

/** A document was saved (`afterSaveChanges`). */
export interface SessionAfterSaveChangesEventArgs {
  readonly session: InMemoryDocumentSessionOperations;
  readonly documentId: string;
  readonly entity: object;
  readonly documentMetadata: IMetadataDictionary;
}

/**
 * A document is about to be deleted (`beforeDelete`). By its id alone it has no entity (`null`), and `documentMetadata`
 * throws `InvalidOperation`.
 */
export interface SessionBeforeDeleteEventArgs {
  readonly session: InMemoryDocumentSessionOperations;
  readonly documentId: string;
  readonly entity: object;
  readonly documentMetadata: IMetadataDictionary;
}

/** A document of the server is about to become an entity (`beforeConversionToEntity`). */
export interface BeforeConversionToEntityEventArgs {
  readonly session: InMemoryDocumentSessionOperations;
  readonly id: string;
  /** The class that the app named, if it did. */
  readonly type: EntityType | undefined;
  /** The document with its `@metadata`; another one may take its place. */
  document: object;
}

/** It has become one (`afterConversionToEntity`). What a listener changes in it counts as a change. */
export interface AfterConversionToEntityEventArgs {
  readonly session: InMemoryDocumentSessionOperations;
  readonly id: string;
  readonly entity: object;
  readonly document: object;
}

/**
 * A save is about to compare an entity with what the server has (`beforeConversionToDocument`). Called for every entity of the
 * session, once more behind `beforeStore` listeners for those that are sent. What a listener changes in the entity is saved.
 */
export interface BeforeConversionToDocumentEventArgs {
  readonly session: InMemoryDocumentSessionOperations;
  readonly id: string | null;
  readonly entity: object;
}

/**
 * An entity that is sent has become a document (`afterConversionToDocument`): `document.value` is what will be sent, and can be
 * changed. The entity does not follow.
 */
export interface AfterConversionToDocumentEventArgs {
  readonly session: InMemoryDocumentSessionOperations;
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
