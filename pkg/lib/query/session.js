// A session that queries.

import { fail } from "../error.js";
import { isObject, isText } from "../given.js";
import { Patches } from "../patches.js";
import { Unit } from "../unit.js";
import { DocumentQuery } from "./query.js";
import { RawDocumentQuery } from "./raw.js";
import { stream } from "./stream.js";

export class DocumentSession extends Patches {
  #unit;

  constructor(store, options) {
    const unit = new Unit(store, options);
    super(unit);
    this.#unit = unit;
  }

  query(options = {}, index) {
    return this.documentQuery(isObject(options) ? options : { documentType: options, index });
  }

  documentQuery(options) {
    return new DocumentQuery(this.#unit, isObject(options) ? options : { documentType: options });
  }

  rawQuery(text, type) {
    if (!isText(text)) fail("InvalidArgument", "rawQuery takes RQL");
    return new RawDocumentQuery(this.#unit, [["raw", text]], this.#unit.conventions.classOf(type));
  }

  stream(target, options) {
    return stream(this.#unit, target, options);
  }

  async streamInto(query, writable) {
    const { node = fail("Unsupported", "streamInto is for Node: go through stream(query)") } =
      this.#unit.runtime;
    await node.write(stream(this.#unit, query, undefined, true), writable);
  }
}
