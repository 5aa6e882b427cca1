// What listeners of a session are given of a document. The members are those of npm `ravendb`.

/** About a document that was saved, or is going to be deleted. */
export class DocumentEvent {
  constructor(session, documentId, entity) {
    Object.assign(this, { session, documentId, entity });
  }

  get documentMetadata() {
    return this.session.advanced.getMetadataFor(this.entity);
  }
}

/** About a document that is going to be stored. */
export class StoreEvent {
  #metadata;

  constructor(session, documentId, entity) {
    Object.assign(this, { session, documentId, getEntity: () => entity });
  }

  getDocumentMetadata() {
    this.#metadata ??= this.session.advanced.getMetadataFor(this.getEntity());
    return this.#metadata;
  }

  isMetadataAccessed() {
    return this.#metadata !== undefined;
  }
}
