// Changes that the server makes to documents by a script.

import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { EntityMapper } from "../documents/entity-mapper.js";

export class PatchRequest {
  script = "";
  values = {};

  static forScript(script) {
    return Object.assign(new PatchRequest(), { script });
  }

  /** Values as documents have them: dates, sets, instances of classes. */
  serialize(conventions) {
    const given = Object.keys(this.values ?? {}).length > 0 ? this.values : undefined;
    return { Script: this.script, Values: conventions ? new EntityMapper(conventions).value(given) : given };
  }
}

/** For `session.advanced.defer`. */
export class PatchCommandData {
  type = "PATCH";
  /** The document to be made where there is none. */
  createIfMissing;
  /** Whether the document as it is afterwards is to come back. */
  returnDocument;

  constructor(id, changeVector, patch, patchIfMissing) {
    if (!isText(id) || !patch) fail("InvalidArgument", "a patch needs an id and a script");
    Object.assign(this, { id, changeVector: changeVector ?? null, patch, patchIfMissing });
  }

  onBeforeSaveChanges(session) {
    this.returnDocument = session.advanced.isLoaded(this.id);
  }

  serialize(conventions) {
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

/** One script for several documents, for `session.advanced.defer`. Entities of the session do not follow it. */
export class BatchPatchCommandData {
  type = "BatchPATCH";
  name = null;
  #missing;

  /** Each of `ids` is an id, or `{ id, changeVector }`. */
  constructor(patch, patchIfMissing, ...ids) {
    if (!patch) fail("InvalidArgument", "a patch needs a script");
    const seen = new Set();
    this.patch = patch;
    this.#missing = patchIfMissing;
    this.ids = ids.map((each) => {
      const { id, changeVector } = Object(each) === each ? each : { id: each };
      if (!isText(id)) fail("InvalidArgument", "a patch of several documents takes ids, which are not empty");
      if (seen.size === seen.add(idKey(id)).size)
        fail("InvalidOperation", `the id ${id} is there twice: a patch changes a document once`);
      return { id, changeVector };
    });
  }

  patchIfMissing() {
    return this.#missing;
  }

  serialize(conventions) {
    return {
      Type: this.type,
      Ids: this.ids.map(({ id: Id, changeVector }) => ({ Id, ChangeVector: changeVector || undefined })),
      Patch: this.patch.serialize(conventions),
      PatchIfMissing: this.#missing?.serialize(conventions),
    };
  }
}
