// Events of a session: what listeners get.

import { AnyThis } from "../common/any-this.js";
import type { IMetadataDictionary } from "../documents/entity-types.js";
import type { SessionBeforeQueryEventArgs } from "../query/raw-query-types.js";
import type {
  AfterConversionToDocumentEventArgs,
  AfterConversionToEntityEventArgs,
  BeforeConversionToDocumentEventArgs,
  BeforeConversionToEntityEventArgs,
} from "../store/classes-as-values.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { SessionEventArgs } from "../store/store-event-types.js";
import type { AdvancedSession } from "./advanced-session-types.js";
import type { DocumentSession } from "./document-session-types.js";

/** The session that a state belongs to. Which members of npm `ravendb` it has depends on the entry. */
export interface AttachedSession {
  unsaved(): string[];
}

/** The session that listeners get. */
export type SessionOfEvents = AttachedSession & InMemoryDocumentSessionOperations;

/**
 * The session that an event is about: {@link DocumentSession} and {@link AdvancedSession} in one. By this name in npm
 * `ravendb`.
 */
export type InMemoryDocumentSessionOperations = DocumentSession &
  AdvancedSession & { readonly conventions: DocumentConventions };

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

class DocumentEvent {
  declare readonly session: InMemoryDocumentSessionOperations;
  declare readonly documentId: string;
  declare readonly entity: object;

  constructor(session: InMemoryDocumentSessionOperations, documentId: string, entity: object | null) {
    Object.assign(this, { session, documentId, entity });
  }

  get documentMetadata(): IMetadataDictionary {
    return this.session.advanced.getMetadataFor(this.entity);
  }
}

/** A document was saved (`afterSaveChanges`). */
export class SessionAfterSaveChangesEventArgs extends DocumentEvent {}

/**
 * A document is about to be deleted (`beforeDelete`). If it is deleted by its id alone, `entity` is `null`, although npm `ravendb` leaves
 * this out of the type, too, and `documentMetadata` throws `InvalidOperation`.
 */
export class SessionBeforeDeleteEventArgs extends DocumentEvent {}

/** A document is about to be sent (`beforeStore`): it and its metadata can still be changed. */
export class SessionBeforeStoreEventArgs extends AnyThis {
  declare readonly session: InMemoryDocumentSessionOperations;
  /** Its id; the prefix (`companies/`) of an id that the server completes. */
  declare readonly documentId: string;
  declare readonly getEntity: () => object;
  #metadata: IMetadataDictionary | undefined;

  constructor(session: InMemoryDocumentSessionOperations, documentId: string, entity: object) {
    super();
    Object.assign(this, { session, documentId, getEntity: () => entity });
  }

  getDocumentMetadata(): IMetadataDictionary {
    this.#metadata ??= this.session.advanced.getMetadataFor(this.getEntity());
    return this.#metadata;
  }

  /** Whether a listener has asked this event for the metadata. */
  isMetadataAccessed(): boolean {
    return this.#metadata !== undefined;
  }
}
