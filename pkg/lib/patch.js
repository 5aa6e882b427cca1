// Changes that the server makes to a document by a script.

import { fail } from "./error.js";
import { Shape } from "./types.js";

export class PatchRequest {
  script = "";
  values = {};

  static forScript(script) {
    return Object.assign(new PatchRequest(), { script });
  }

  /** Values as documents have them: dates, sets, instances of classes. */
  serialize(conventions) {
    const given = Object.keys(this.values ?? {}).length > 0 ? this.values : undefined;
    return { Script: this.script, Values: conventions ? new Shape(conventions).value(given) : given };
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
    if (!id || !patch) fail("InvalidArgument", "a patch needs an id and a script");
    Object.assign(this, { id, changeVector: changeVector ?? null, patch, patchIfMissing });
  }

  onBeforeSaveChanges(unit) {
    this.returnDocument = unit.knows(this.id);
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
