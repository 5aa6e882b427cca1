// What listeners of a session get about a document. Names and members are those of npm `ravendb`.

import { AnyThis } from "../common/any-this.js";
import type { IMetadataDictionary } from "../documents/entity-types.js";
import type { InMemoryDocumentSessionOperations } from "./session-event-types.js";

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
