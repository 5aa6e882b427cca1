// Changes by script.

import type { ICommandData } from "./batch.js";
import type { DocumentConventions } from "./conventions.js";

/** What {@link AdvancedSession.patchArray} is to do; each call adds a step. */
export class JavaScriptArray<T = unknown> {
  private constructor();
  /** Appends values. */
  push(...values: T[]): this;
  /** Takes out the item at an index. */
  removeAt(index: number): this;
  /** The script so far. */
  readonly script: string;
  /** The values that it names. */
  readonly parameters: Record<string, unknown>;
}

/** What {@link AdvancedSession.patchObject} is to do; each call adds a step. */
export class JavaScriptMap<TKey = string, TValue = unknown> {
  private constructor();
  /** Sets the value of a key, whatever the key's characters. */
  set(key: TKey, value: TValue): this;
  /** Takes out a key. */
  remove(key: TKey): this;
  /** The script so far. */
  readonly script: string;
  /** The values that it names. */
  readonly parameters: Record<string, unknown>;
}

/**
 * A script that changes a document on the server (RavenDB documentation, "Single Document Patch Operations").
 *
 * ```ts
 * const patch = Object.assign(PatchRequest.forScript("this.stock -= args.by"), { values: { by: 4 } });
 * session.advanced.defer(new PatchCommandData("products/7-A", null, patch));
 * ```
 */
export class PatchRequest {
  constructor();
  /** JavaScript; the document is `this`. */
  script: string;
  /** What the script has as `args`. */
  values: Record<string, unknown>;
  static forScript(script: string): PatchRequest;
  serialize(conventions?: DocumentConventions): object;
}

/** Patches a document; of one that does not exist nothing happens. */
export class PatchCommandData implements ICommandData {
  /**
   * @param changeVector What has to be there: `null`: anything.
   * @param patchIfMissing Makes the document when there is none.
   */
  constructor(
    id: string,
    changeVector: string | null | undefined,
    patch: PatchRequest,
    patchIfMissing?: PatchRequest | null,
  );
  readonly id: string;
  readonly type: "PATCH";
  readonly changeVector: string | null;
  readonly patch: PatchRequest;
  readonly patchIfMissing: PatchRequest | null | undefined;
  /** The document to be made where there is none, with its `@metadata`. */
  createIfMissing?: object | undefined;
  serialize(conventions?: DocumentConventions): object;
}

/** A document that {@link BatchPatchCommandData} patches, and what has to be there: absent or `null`: anything. */
export interface IdAndChangeVector {
  readonly id: string;
  readonly changeVector?: string | null | undefined;
}

/**
 * One script for several documents, for {@link AdvancedSession.defer}. Entities that the session has do not follow it, as in npm
 * `ravendb`: `refresh` them.
 *
 * ```ts
 * const patch = PatchRequest.forScript("this.archived = true");
 * session.advanced.defer(new BatchPatchCommandData(patch, null, "orders/1-A", { id: "orders/2-A", changeVector }));
 * await session.saveChanges();
 * ```
 */
export class BatchPatchCommandData implements ICommandData {
  /**
   * @param patchIfMissing Makes a document when there is none.
   * @throws {RavenEdgeError} `InvalidArgument` without a script and for an empty id, `InvalidOperation` for an id that is there twice.
   */
  constructor(
    patch: PatchRequest,
    patchIfMissing: PatchRequest | null | undefined,
    ...ids: (string | IdAndChangeVector)[]
  );
  readonly type: "BatchPATCH";
  readonly name: null;
  readonly ids: readonly IdAndChangeVector[];
  readonly patch: PatchRequest;
  patchIfMissing(): PatchRequest | null | undefined;
  serialize(conventions?: DocumentConventions): object;
}

export {
  PatchOperation,
  type PatchOperationResult,
  type PatchStatus,
} from "../dts/operations/patch-operations.js";
