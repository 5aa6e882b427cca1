// A session that queries.

import { Advanced } from "../advanced.js";
import { fail } from "../error.js";
import { DocumentSession as Session } from "../session.js";
import { DocumentQuery } from "./query.js";
import { RawDocumentQuery } from "./raw.js";

class QueryAdvanced extends Advanced {
  #unit;

  constructor(unit) {
    super(unit);
    this.#unit = unit;
  }

  documentQuery(options) {
    return new DocumentQuery(this.#unit, typeof options === "object" ? options : { documentType: options });
  }

  rawQuery(text, type) {
    if (typeof text !== "string" || text.trim() === "") fail("InvalidArgument", "rawQuery takes RQL");
    return new RawDocumentQuery(this.#unit, [["raw", text]], this.#unit.conventions.classOf(type));
  }
}

export class DocumentSession extends Session {
  constructor(store, runtime, options) {
    super(store, runtime, options, QueryAdvanced);
  }

  query(options = {}) {
    return this.advanced.documentQuery(options);
  }
}
