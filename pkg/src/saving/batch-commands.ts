// Commands for `session.advanced.defer`: they are sent with the next `saveChanges`.

import { AnyThis } from "../common/any-this.js";
import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { ForceRevisionStrategy } from "../revisions/revision-types.js";
import type { InMemoryDocumentSessionOperations } from "../session/session-events.js";
import { SessionBeforeDeleteEventArgs } from "../session/session-events.js";
import type { DocumentConventions } from "../store/conventions.js";

/** A command for `session.advanced.defer`: one of this package, or one of the app's. */
export interface ICommandData {
  /** The document that the command changes; the session refuses to save a change of the same document with it. */
  readonly id?: string | null | undefined;
  /** What it does, as `POST bulk_docs` calls it: `PUT`, `DELETE`, `PATCH`, …. */
  readonly type: string;
  /** Not used; npm `ravendb` has it here. */
  readonly name?: string | null | undefined;
  /** Not used: the server compares the change vector in the result of {@link serialize}. */
  readonly changeVector?: string | null | undefined;
  /** The command as it is sent. */
  serialize(conventions: DocumentConventions): object;
  /** Called by the save that sends it, before listeners. */
  onBeforeSaveChanges?(session: InMemoryDocumentSessionOperations): void;
}

/**
 * Types of commands that write a document: PUT, DELETE, PATCH, BatchPATCH, JsonPatch. Others, such as AttachmentPUT and Counters, are about
 * what belongs to a document, or to none: the session may save a change of the same document with them.
 */
export const WRITING = /^[A-Z]+$|P(ATCH|atch)/;

/** Writes a document. */
export class PutCommandDataBase<T extends object = object> implements ICommandData {
  readonly type = "PUT";
  declare readonly changeVector: string | null;

  /**
   * @param changeVector The expected change vector: `null`: any; `""`: the document must not exist.
   * @param _originalChangeVector Not used; npm `ravendb` has it here.
   * @param document With its `@metadata`.
   * @param forceRevisionCreationStrategy `"Before"`: RavenDB makes a revision of the document that is overwritten.
   */
  constructor(
    readonly id: string,
    changeVector: string | null | undefined,
    _originalChangeVector: string | null | undefined,
    readonly document: T,
    readonly forceRevisionCreationStrategy: ForceRevisionStrategy = "None",
  ) {
    this.changeVector = changeVector ?? null;
  }

  serialize(_conventions?: DocumentConventions): object {
    const { id, changeVector, forceRevisionCreationStrategy: strategy, document } = this;
    // RavenDB refuses "None".
    const ForceRevisionCreationStrategy = strategy === "None" ? undefined : strategy;
    return {
      Type: "PUT",
      Id: id,
      ChangeVector: changeVector,
      ForceRevisionCreationStrategy,
      Document: document,
    };
  }
}

/** `PutCommandDataBase` by its other name in npm `ravendb`. */
export class PutCommandDataWithJson extends PutCommandDataBase<object> {}

/** Deletes a document; a document that does not exist is no error. */
export class DeleteCommandData implements ICommandData {
  readonly type = "DELETE";
  declare readonly id: string;
  declare readonly changeVector: string | null;

  /**
   * @param changeVector The expected change vector; default: any.
   * @throws {RavenEdgeError} `InvalidArgument` for a blank id.
   */
  constructor(id: string, changeVector?: string | null) {
    if (!isText(id)) fail("InvalidArgument", "a deletion needs an id");
    this.id = id;
    this.changeVector = changeVector ?? null;
  }

  /** @internal */
  onBeforeSaveChanges(
    session: InMemoryDocumentSessionOperations & {
      advanced: { emit(name: "beforeDelete", event: SessionBeforeDeleteEventArgs): void };
    },
  ): void {
    session.advanced.emit("beforeDelete", new SessionBeforeDeleteEventArgs(session, this.id, null));
  }

  serialize(_conventions?: DocumentConventions): object {
    return { Type: "DELETE", Id: this.id, ChangeVector: this.changeVector };
  }
}

/** @internal */
export function assertKey(key: unknown): asserts key is string {
  if (!isText(key)) fail("InvalidArgument", "a compare-exchange value needs a key");
}

/**
 * Sets a value if it has the expected index; else the whole save fails with `Concurrency`.
 *
 * ```ts
 * const session = store.openSession({ transactionMode: "ClusterWide" });
 * const claim = new PutCompareExchangeCommandData("emails/ada@example.com", { Object: "users/ada" }, 0);
 * session.advanced.defer(claim);
 * await session.store(user, "users/ada");
 * await session.saveChanges();
 * ```
 */
export class PutCompareExchangeCommandData extends AnyThis implements ICommandData {
  readonly type = "CompareExchangePUT";
  /** The key. */
  declare readonly id: string;
  #value: object;
  #index: number;

  /**
   * @param value The value as the server stores it: `{ Object: value }`, as in npm `ravendb`.
   * @param index The expected index; 0: the value must not exist.
   */
  constructor(key: string, value: object, index: number) {
    super();
    assertKey(key);
    this.id = key;
    this.#value = value;
    this.#index = index;
  }

  serialize(_conventions?: DocumentConventions): object {
    return { Id: this.id, Document: this.#value, Index: this.#index, Type: this.type };
  }
}

/** Deletes a value if it has the expected index; else the whole save fails with `Concurrency`. */
export class DeleteCompareExchangeCommandData extends AnyThis implements ICommandData {
  readonly type = "CompareExchangeDELETE";
  /** The key. */
  declare readonly id: string;
  #index: number;

  constructor(key: string, index: number) {
    super();
    assertKey(key);
    this.id = key;
    this.#index = index;
  }

  serialize(_conventions?: DocumentConventions): object {
    return { Id: this.id, Index: this.#index, Type: this.type };
  }
}
