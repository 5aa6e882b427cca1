// Operations on counters, as `POST counters` and `POST bulk_docs` take them.

import { SentOnce } from "../capabilities/about-a-document.js";
import { AnyThis } from "../common/any-this.js";
import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { ICommandData } from "../saving/batch-commands.js";
import type { SessionState } from "../session/session-state.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { CounterOperationType } from "./counter-types.js";

/** An operation on one counter. */
export class CounterOperation {
  declare type: CounterOperationType;
  declare counterName: string;
  declare delta: number;
  declare changeVector: string;

  /** @param delta For `Increment` and `Put`. */
  static create(counterName: string, type: CounterOperationType, delta?: number): CounterOperation {
    return Object.assign(new CounterOperation(), {
      counterName,
      type,
      ...(delta !== undefined && { delta }),
    });
  }

  /** @throws {RavenEdgeError} `InvalidArgument` for an increment that is not a whole number: RavenDB would cut off the rest. */
  serialize(): object {
    const { type, counterName, delta } = this;
    if (type === "Increment") assertWhole(delta);
    return { Type: type, CounterName: counterName, Delta: delta };
  }
}

/** Refuses numbers that RavenDB or JavaScript would change. */
export function assertWhole(delta: unknown): void {
  if (!Number.isSafeInteger(delta))
    fail("InvalidArgument", `a counter is incremented by a whole number below 2^53, not by ${delta}`);
}

/** Operations on the counters of one document. */
export class DocumentCountersOperation {
  declare documentId: string;
  declare operations: CounterOperation[];

  serialize(): object {
    return { DocumentId: this.documentId, Operations: this.operations.map((each) => each.serialize()) };
  }
}

/** Operations on the counters of several documents; see {@link CounterBatchOperation}. */
export class CounterBatch {
  /** Whether results have the value of each node. */
  declare replyWithAllNodesValues: boolean;
  documents: DocumentCountersOperation[] = [];
  /** Whether a tool copies the counters from another database. */
  declare fromEtl: boolean;

  serialize(): object {
    return {
      ReplyWithAllNodesValues: this.replyWithAllNodesValues,
      Documents: this.documents.map((each) => each.serialize()),
      FromEtl: this.fromEtl,
    };
  }
}

/** Changes counters of a document, for `session.advanced.defer`; `session.countersFor` makes the same. */
export class CountersBatchCommandData extends AnyThis implements ICommandData {
  readonly type = "Counters";
  declare readonly id: string;
  readonly name = null;
  readonly changeVector = null;
  declare readonly fromEtl: boolean | undefined;
  declare readonly counters: DocumentCountersOperation;
  #sent = new SentOnce();

  /** @throws {RavenEdgeError} `InvalidArgument` for a blank id and without operations. */
  constructor(documentId: string, counterOperations: CounterOperation | CounterOperation[]) {
    super();
    if (!isText(documentId)) fail("InvalidArgument", "counters need the id of a document");
    if (!counterOperations) fail("InvalidArgument", "this command needs operations on counters");
    this.id = documentId;
    const operations = Array.isArray(counterOperations) ? counterOperations : [counterOperations];
    this.counters = Object.assign(new DocumentCountersOperation(), { documentId, operations });
  }

  hasDelete(counterName: string): boolean {
    return this.#has("Delete", counterName);
  }

  hasIncrement(counterName: string): boolean {
    return this.#has("Increment", counterName);
  }

  #has(wanted: CounterOperationType, name: string): boolean {
    return this.counters.operations.some(({ type, counterName }) => type === wanted && counterName === name);
  }

  /**
   * Whether a save has sent it, and its outcome is unknown.
   * @internal
   */
  get isUnknown(): boolean {
    return this.#sent.isUnknown;
  }

  /** @internal */
  get advice(): string {
    return `read the counters of ${this.id}, call countersFor("${this.id}").discard(), and increment again what is missing`;
  }

  /** @internal */
  onOutcomeUnknown(state: SessionState): void {
    this.#sent.isUnknown = true;
    state.unitOfWork.kept.get("counters")?.delete(idKey(this.id));
  }

  /** @internal */
  onBeforeSaveChanges(): void {
    const names = this.counters.operations.map(({ counterName }) => counterName).join(", ");
    this.#sent.assertKnown(`the counters ${names} of ${this.id}`, `countersFor("${this.id}")`);
  }

  serialize(conventions?: DocumentConventions): object;
  serialize(): object {
    return {
      Id: this.id,
      Counters: this.counters.serialize(),
      Type: this.type,
      FromEtl: this.fromEtl || undefined,
    };
  }
}
