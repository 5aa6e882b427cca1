// Values that JSON cannot show (dates, sets, maps, instances of registered classes) and how npm `ravendb` notes them in
// a document's metadata, so that both packages read each other's documents.

import { fail } from "./error.js";
import { isObject } from "./given.js";

/** Where the classes of values inside an entity are noted. */
const NESTED = "@nested-object-types";
/** The class of an entity. */
const CLASS = "Raven-Node-Type";

/** RavenDB writes ticks; a Date has milliseconds. */
export const dateOf = (text) => new Date(text.replace(/(\.\d{3})\d*/, "$1"));

export class Shape {
  #conventions;

  constructor(conventions) {
    this.#conventions = conventions;
  }

  /** Whether a value inside an entity needs a note. */
  isOdd(value) {
    return value instanceof Map || value instanceof Set || this.#conventions.classNameOf(value) !== undefined;
  }

  /** An entity as JSON can show it, without id and metadata, and the notes for its metadata. */
  document(entity) {
    const nested = {};
    const source = typeof entity.toJSON === "function" ? entity.toJSON() : entity;
    if (!isObject(source) || Array.isArray(source))
      fail("InvalidArgument", "an entity is not an object in JSON; check its toJSON");
    const { [this.#conventions.identityOf(entity)]: _, "@metadata": __, ...rest } = source;
    const document = this.#plain(rest, "", nested);
    return { document, metadata: Object.keys(nested).length > 0 ? { [NESTED]: nested } : undefined };
  }

  /** A value as a document has it. */
  value(value) {
    return this.#plain(value, "", {});
  }

  #plain(value, path, nested) {
    if (!isObject(value)) return value;
    if (value instanceof Date) {
      nested[path] = "date";
      return this.#date(value);
    }
    if (value instanceof Set) {
      nested[path] = "Set";
      return [...value].map((item) => this.#plain(item, `${path}$SET`, nested));
    }
    if (value instanceof Map) {
      nested[path] = "Map";
      return [...value].map(([key, item]) => [
        this.#plain(key, `${path}$MAPKEY`, nested),
        this.#plain(item, `${path}$MAP`, nested),
      ]);
    }
    const below = (key) => (path === "" ? key : `${path}.${key}`);
    if (Array.isArray(value)) return value.map((item, at) => this.#plain(item, below(at), nested));
    if (typeof value.toJSON === "function") return value.toJSON();
    const name = path !== "" && this.#conventions.classNameOf(value);
    if (name) nested[path] = name;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.#plain(item, below(key), nested)]),
    );
  }

  /** Ticks, seven digits of a second; in the time of this place, as npm `ravendb` writes it, or in UTC. */
  #date(date) {
    if (Number.isNaN(date.getTime())) return null;
    const utc = this.#conventions.storeDatesInUtc;
    const shown = utc ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
    return shown.toISOString().replace("Z", utc ? "0000Z" : "0000");
  }

  /** The entity of a document: an instance of its class, if that is registered or given. */
  entity(document, type) {
    const metadata = document["@metadata"] ?? {};
    const made = type ?? this.#conventions.classNamed(metadata[CLASS]);
    const entity = made ? Object.assign(new made(), document) : document;
    const nested = metadata[NESTED];
    if (nested) this.revive(entity, nested);
    const id = metadata["@id"];
    // A projection is not the document that it was made of, and the result of a group has none.
    if (id !== undefined && !metadata["@projection"]) entity[this.#conventions.identityOf(entity)] = id;
    return entity;
  }

  /** Gives values inside an object back what they were. */
  revive(entity, nested) {
    for (const path of Object.keys(nested).sort()) {
      const steps = path
        .replace(/(\[\]|\$SET|\$MAP)/g, ".$1")
        .split(".")
        .filter((step) => step !== "");
      this.#revive(entity, steps, nested[path]);
    }
  }

  /** Gives the value at a path back what it was. */
  #revive(parent, [step, ...steps], name) {
    if (!isObject(parent)) return;
    if (step === "[]" || step === "$SET" || step === "$MAP") {
      for (const key of Object.keys(parent)) this.#revive(parent, [key, ...steps], name);
    } else if (steps.length > 0) {
      this.#revive(parent[step], steps, name);
    } else if (parent[step] !== undefined && parent[step] !== null) {
      parent[step] = this.#instance(parent[step], name);
    }
  }

  #instance(value, name) {
    if (name === "date") return dateOf(value);
    if (name === "Set") return new Set(value);
    if (name === "Map") return new Map(value);
    const type = this.#conventions.classNamed(name);
    if (!type) return value;
    return Array.isArray(value)
      ? value.map((item) => Object.assign(new type(), item))
      : Object.assign(new type(), value);
  }
}
