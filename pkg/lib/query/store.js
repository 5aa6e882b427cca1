// A store whose sessions query.

import { StoreBase as Base } from "../store.js";
import { DocumentSession } from "./session.js";

export class StoreBase extends Base {
  get Session() {
    return DocumentSession;
  }
}
