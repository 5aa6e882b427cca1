// Commands that travel with a save.

import type { DocumentConventions } from "./conventions.js";
import type { InMemoryDocumentSessionOperations } from "./session-events.js";

/** A command for {@link AdvancedSession.defer}: one of those below, or one of the app's. */
export interface ICommandData {
  /** The document that it is about; the session refuses to save a change of the same one with it. */
  readonly id?: string | null | undefined;
  /** What it does, in the words of `POST bulk_docs`: `PUT`, `DELETE`, `PATCH`, …. */
  readonly type: string;
  /** Not used; npm `ravendb` has it here. */
  readonly name?: string | null | undefined;
  /** Not used: what has to be there stands in what {@link serialize} makes. */
  readonly changeVector?: string | null | undefined;
  /** What is sent. */
  serialize(conventions: DocumentConventions): object;
  /** Called by the save that sends it, before listeners. */
  onBeforeSaveChanges?(session: InMemoryDocumentSessionOperations): void;
}

/** Writes a document. */
export class PutCommandDataBase<T extends object = object> implements ICommandData {
  /**
   * @param changeVector What has to be there: `null`: anything; `""`: nothing.
   * @param originalChangeVector Not used; npm `ravendb` has it here.
   * @param document With its `@metadata`.
   */
  constructor(
    id: string,
    changeVector: string | null | undefined,
    originalChangeVector: string | null | undefined,
    document: T,
  );
  readonly id: string;
  readonly type: "PUT";
  readonly changeVector: string | null;
  readonly document: T;
  serialize(conventions?: DocumentConventions): object;
}

/** The same, by its other name in npm `ravendb`. */
export class PutCommandDataWithJson extends PutCommandDataBase<object> {}

/** Deletes a document, whether there is one or not. */
export class DeleteCommandData implements ICommandData {
  /** @param changeVector What has to be there; default: anything. */
  constructor(id: string, changeVector?: string | null);
  readonly id: string;
  readonly type: "DELETE";
  readonly changeVector: string | null;
  serialize(conventions?: DocumentConventions): object;
}
