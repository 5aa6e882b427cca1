// A session without queries.

import { Advanced } from "./advanced.js";
import { Unit } from "./unit.js";

export class DocumentSession extends Advanced {
  constructor(store, options) {
    super(new Unit(store, options));
  }
}
