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
    const shape = conventions && new Shape(conventions);
    const values = Object.entries(this.values ?? {}).map(([name, value]) => [
      name,
      shape ? shape.value(value) : value,
    ]);
    return { Script: this.script, Values: values.length > 0 ? Object.fromEntries(values) : undefined };
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
    if (!id) fail("InvalidArgument", "a patch needs an id");
    if (!patch) fail("InvalidArgument", "a patch needs a script");
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
