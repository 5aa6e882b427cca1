// A session that queries.

import { Advanced } from "../advanced.js";
import { fail } from "../error.js";
import { Patches } from "../patches.js";
import { DocumentSession as Session } from "../session.js";
import { stream } from "../stream.js";
import { DocumentQuery } from "./query.js";
import { RawDocumentQuery } from "./raw.js";

class QueryAdvanced extends Advanced {
  #unit;
  #patches;

  constructor(unit) {
    super(unit);
    this.#unit = unit;
    this.#patches = new Patches(unit);
  }

  documentQuery(options) {
    return new DocumentQuery(this.#unit, typeof options === "object" ? options : { documentType: options });
  }

  rawQuery(text, type) {
    if (typeof text !== "string" || text.trim() === "") fail("InvalidArgument", "rawQuery takes RQL");
    return new RawDocumentQuery(this.#unit, [["raw", text]], this.#unit.conventions.classOf(type));
  }

  patch(target, path, value) {
    this.#patches.patch(target, path, value);
  }

  increment(target, path, value) {
    this.#patches.increment(target, path, value);
  }

  patchArray(target, path, change) {
    this.#patches.patchArray(target, path, change);
  }

  patchObject(target, path, change) {
    this.#patches.patchObject(target, path, change);
  }

  addOrPatch(id, entity, path, value) {
    this.#patches.addOrPatch(id, entity, path, value);
  }

  addOrIncrement(id, entity, path, value) {
    this.#patches.addOrIncrement(id, entity, path, value);
  }

  addOrPatchArray(id, entity, path, change) {
    this.#patches.addOrPatchArray(id, entity, path, change);
  }

  stream(target, options) {
    return stream(this.#unit, target, options);
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
