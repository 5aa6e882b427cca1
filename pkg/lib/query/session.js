// A session that queries.

import { fail } from "../error.js";
import { isText } from "../given.js";
import { Patches } from "../patches.js";
import { DocumentSession as Session } from "../session.js";
import { stream } from "../stream.js";
import { DocumentQuery } from "./query.js";
import { RawDocumentQuery } from "./raw.js";

class QueryAdvanced extends Patches {
  #unit;

  constructor(unit) {
    super(unit);
    this.#unit = unit;
  }

  documentQuery(options) {
    return new DocumentQuery(this.#unit, typeof options === "object" ? options : { documentType: options });
  }

  rawQuery(text, type) {
    if (!isText(text)) fail("InvalidArgument", "rawQuery takes RQL");
    return new RawDocumentQuery(this.#unit, [["raw", text]], this.#unit.conventions.classOf(type));
  }

  stream(target, options) {
    return stream(this.#unit, target, options);
  }
}

export class DocumentSession extends Session {
  constructor(store, options) {
    super(store, options, QueryAdvanced);
  }

  query(options = {}) {
    return this.advanced.documentQuery(options);
  }
}
