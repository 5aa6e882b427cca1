// Changes that the server makes to a document by a script.

export class PatchRequest {
  script = "";
  values = {};

  static forScript(script) {
    return Object.assign(new PatchRequest(), { script });
  }

  serialize() {
    return { Script: this.script, Values: this.values };
  }
}

/** For `session.advanced.defer`. */
export class PatchCommandData {
  type = "PATCH";

  constructor(id, changeVector, patch, patchIfMissing) {
    Object.assign(this, { id, changeVector: changeVector ?? null, patch, patchIfMissing });
  }

  serialize() {
    return {
      Type: "PATCH",
      Id: this.id,
      ChangeVector: this.changeVector,
      Patch: this.patch.serialize(),
      PatchIfMissing: this.patchIfMissing?.serialize(),
    };
  }
}
