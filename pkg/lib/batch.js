// Commands for `session.advanced.defer`: they travel with the next `saveChanges`.

import { DocumentEvent } from "./document-events.js";
import { fail } from "./error.js";
import { isText } from "./given.js";

export class PutCommandDataBase {
  type = "PUT";

  /** The third argument is npm `ravendb`'s own bookkeeping. */
  constructor(id, changeVector, _originalChangeVector, document) {
    this.id = id;
    this.changeVector = changeVector ?? null;
    this.document = document;
  }

  serialize() {
    return { Type: "PUT", Id: this.id, ChangeVector: this.changeVector, Document: this.document };
  }
}

export class PutCommandDataWithJson extends PutCommandDataBase {}

export class DeleteCommandData {
  type = "DELETE";

  constructor(id, changeVector) {
    if (!isText(id)) fail("InvalidArgument", "a deletion needs an id");
    this.id = id;
    this.changeVector = changeVector ?? null;
  }

  onBeforeSaveChanges(session) {
    session.advanced.emit("beforeDelete", new DocumentEvent(session, this.id, null));
  }

  serialize() {
    return { Type: "DELETE", Id: this.id, ChangeVector: this.changeVector };
  }
}
