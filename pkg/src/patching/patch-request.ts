// Changes that the server makes to documents by a script.

import { AnyThis } from "../common/any-this.js";
import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { EntityMapper, type MappingConventions } from "../documents/mapping/entity-mapper.js";
import type { ICommandData } from "../saving/batch-commands.js";
import type { InMemoryDocumentSessionOperations } from "../session/session-events.js";
import type { DocumentConventions } from "../store/conventions.js";

/**
 * A script that changes a document on the server (RavenDB documentation, "Single Document Patch Operations").
 *
 * ```ts
 * const patch = Object.assign(PatchRequest.forScript("this.stock -= args.by"), { values: { by: 4 } });
 * session.advanced.defer(new PatchCommandData("products/7-A", null, patch));
 * ```
 */
export class PatchRequest {
  /** JavaScript; the document is `this`. */
  script = "";
  /** The values that the script finds in `args`. */
  values: Record<string, unknown> = {};

  static forScript(script: string): PatchRequest {
    return Object.assign(new PatchRequest(), { script });
  }

  serialize(conventions?: DocumentConventions): object {
    const given = Object.keys(this.values ?? {}).length > 0 ? this.values : undefined;
    // Dates, sets and instances of classes are sent as documents contain them.
    const mapper = conventions && new EntityMapper(conventions as DocumentConventions & MappingConventions);
    return { Script: this.script, Values: mapper ? mapper.value(given) : given };
  }
}

/** Patches a document. If the document does not exist, nothing happens. For {@link AdvancedSession.defer}. */
export class PatchCommandData implements ICommandData {
  readonly type = "PATCH";
  /** The document to create, with its `@metadata`, if it does not exist. */
  createIfMissing?: object | undefined;
  /**
   * Whether the response is to contain the patched document.
   * @internal
   */
  returnDocument: boolean | undefined;
  declare readonly id: string;
  declare readonly changeVector: string | null;
  declare readonly patch: PatchRequest;
  declare readonly patchIfMissing: PatchRequest | null | undefined;

  /**
   * @param changeVector The expected change vector; `null`: any.
   * @param patchIfMissing Creates the document if it does not exist.
   * @throws {RavenEdgeError} `InvalidArgument` for a blank id, and without a patch.
   */
  constructor(
    id: string,
    changeVector: string | null | undefined,
    patch: PatchRequest,
    patchIfMissing?: PatchRequest | null,
  ) {
    if (!isText(id) || !patch) fail("InvalidArgument", "a patch needs an id and a script");
    Object.assign(this, { id, changeVector: changeVector ?? null, patch, patchIfMissing });
  }

  /** @internal */
  onBeforeSaveChanges(session: InMemoryDocumentSessionOperations): void {
    this.returnDocument = session.advanced.isLoaded(this.id);
  }

  serialize(conventions?: DocumentConventions): object {
    return {
      Type: "PATCH",
      Id: this.id,
      ChangeVector: this.changeVector,
      Patch: this.patch.serialize(conventions),
      PatchIfMissing: this.patchIfMissing?.serialize(conventions),
      CreateIfMissing: this.createIfMissing,
      ReturnDocument: this.returnDocument,
    };
  }
}

/** A document for {@link BatchPatchCommandData}, and its expected change vector; absent or `null`: any. */
export interface IdAndChangeVector {
  readonly id: string;
  readonly changeVector?: string | null | undefined;
}

/**
 * One script for several documents, for {@link AdvancedSession.defer}. Entities of the session do not show its changes, as in npm
 * `ravendb`: `refresh` them.
 *
 * ```ts
 * const patch = PatchRequest.forScript("this.archived = true");
 * session.advanced.defer(new BatchPatchCommandData(patch, null, "orders/1-A", { id: "orders/2-A", changeVector }));
 * await session.saveChanges();
 * ```
 */
export class BatchPatchCommandData extends AnyThis implements ICommandData {
  readonly type = "BatchPATCH";
  readonly name = null;
  #patchIfMissing: PatchRequest | null | undefined;
  declare readonly patch: PatchRequest;
  declare readonly ids: readonly IdAndChangeVector[];

  /**
   * @param patchIfMissing Creates a document that does not exist.
   * @throws {RavenEdgeError} `InvalidArgument` without a script and for a blank id, `InvalidOperation` for an id that is given twice.
   */
  constructor(
    patch: PatchRequest,
    patchIfMissing: PatchRequest | null | undefined,
    ...ids: (string | IdAndChangeVector)[]
  ) {
    super();
    if (!patch) fail("InvalidArgument", "a patch needs a script");
    const seen = new Set<string>();
    this.patch = patch;
    this.#patchIfMissing = patchIfMissing;
    this.ids = ids.map((each) => {
      const { id, changeVector } = (Object(each) === each ? each : { id: each }) as IdAndChangeVector;
      if (!isText(id)) fail("InvalidArgument", "a patch of several documents takes ids that are not empty");
      if (seen.size === seen.add(idKey(id)).size)
        fail("InvalidOperation", `the id ${id} occurs twice: a patch changes a document once`);
      return { id, changeVector };
    });
  }

  patchIfMissing(): PatchRequest | null | undefined {
    return this.#patchIfMissing;
  }

  serialize(conventions?: DocumentConventions): object {
    return {
      Type: this.type,
      Ids: this.ids.map(({ id: Id, changeVector }) => ({ Id, ChangeVector: changeVector || undefined })),
      Patch: this.patch.serialize(conventions),
      PatchIfMissing: this.#patchIfMissing?.serialize(conventions),
    };
  }
}
