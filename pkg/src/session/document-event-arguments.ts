// What listeners of a session get about a document. The members are those of npm `ravendb`.

import type { IMetadataDictionary } from "../documents/entity-types.js";
import type { InMemoryDocumentSessionOperations } from "./session-event-types.js";

/** A document was saved, or is about to be deleted. */
export class DocumentEvent {
  declare readonly session: InMemoryDocumentSessionOperations;
  declare readonly documentId: string;
  /** In fact `null` for a document that is deleted by its id alone; npm `ravendb` leaves this out of the type, too. */
  declare readonly entity: object;

  constructor(session: InMemoryDocumentSessionOperations, documentId: string, entity: object | null) {
    Object.assign(this, { session, documentId, entity });
  }

  get documentMetadata(): IMetadataDictionary {
    return this.session.advanced.getMetadataFor(this.entity);
  }
}

/** A document is about to be stored. */
export class StoreEvent {
  declare readonly session: InMemoryDocumentSessionOperations;
  declare readonly documentId: string;
  declare readonly getEntity: () => object;
  #metadata: IMetadataDictionary | undefined;

  constructor(session: InMemoryDocumentSessionOperations, documentId: string, entity: object) {
    Object.assign(this, { session, documentId, getEntity: () => entity });
  }

  getDocumentMetadata(): IMetadataDictionary {
    this.#metadata ??= this.session.advanced.getMetadataFor(this.getEntity());
    return this.#metadata;
  }

  isMetadataAccessed(): boolean {
    return this.#metadata !== undefined;
  }
}
