// How entities map to collections, tags and ids. Names and defaults are those of npm `ravendb`.

import { fail } from "./error.js";

export class DocumentConventions {
  #types = new Map();
  #frozen = false;

  identityProperty = "id";
  identityPartsSeparator = "/";
  disableTopologyUpdates = false;
  findCollectionName;
  findCollectionNameForObjectLiteral;

  /** As RavenDB's clients do: `Orders` → `orders`, but `OrderLines` keeps its case. */
  transformClassCollectionNameToDocumentIdPrefix = (name) =>
    (name.match(/[A-Z]/g)?.length ?? 0) <= 1 ? name.toLowerCase() : name;

  /** Which collection the instances of a class belong to; class names do not survive minifiers. */
  registerEntityType(type, collection) {
    if (this.#frozen) fail("Disposed", "conventions cannot change after initialize()");
    this.#types.set(type, collection);
    return this;
  }

  freeze() {
    this.#frozen = true;
    Object.freeze(this);
  }

  /** The collection of an entity, `undefined` when nothing tells. */
  collectionOf(entity) {
    const named = entity["@metadata"]?.["@collection"];
    if (named) return named;
    const type = entity.constructor;
    if (type === Object || type === undefined) return this.findCollectionNameForObjectLiteral?.(entity);
    return this.#types.get(type) ?? this.findCollectionName?.(type);
  }
}
