// Values that JSON cannot show (dates, sets, maps, instances of registered classes) and how npm `ravendb` notes them in
// a document's metadata, so that both packages read each other's documents.

import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { CUSTOM, META, NESTED, put } from "./snapshot-values.js";

/** What begins like this is meant as a time: `new Date` reads one in "Room 5", too. */
const TIME = /^[-+]?\d+-\d\d-\d\d/;

/** A time as RavenDB writes it, with ticks. */
const TICKS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}/;

/** A path of notes that is more than the name of a member. */
const DEEP = /[.$[]/;

/** RavenDB writes ticks; a Date has milliseconds. */
export const dateOf = (text) =>
  new Date(TICKS.test(text) ? text.slice(0, 23) + text.slice(27) : text.replace(/(\.\d{3})\d*/, "$1"));

/** An instance of a class with these values, also where its constructor wants arguments. */
export function instance(type, values = {}) {
  if (typeof type !== "function") {
    const { [META]: metadata } = values;
    return Object.assign(type.construct(values), metadata && { [META]: metadata });
  }
  let made;
  try {
    made = new type();
  } catch {
    // Below.
  }
  made ??= Object.create(type.prototype);
  try {
    if (!Object.hasOwn(values, "__proto__")) return Object.assign(made, values);
  } catch {
    // One by one: what the class itself computes it does not take.
  }
  // Nor does a constructor help that freezes what it makes.
  if (Object.isFrozen(made)) made = Object.create(type.prototype);
  for (const [name, value] of Object.entries(values)) {
    if (put(made, name, value) || isComputed(made, name)) continue;
    throw new TypeError(`its class does not let "${name}" be set`);
  }
  return made;
}

/** Whether a member has a getter and no setter. */
function isComputed(object, name) {
  for (let at = object; at !== null; at = Object.getPrototypeOf(at)) {
    const member = Object.getOwnPropertyDescriptor(at, name);
    if (member) return member.get !== undefined;
  }
  return false;
}

/** Whether a path may go on from a value by this step, which may be the first part of a name with dots. */
function leads(value, step) {
  if (!isObject(value)) return false;
  return (
    step === "[]" ||
    Object.hasOwn(value, step) ||
    Object.keys(value).some((key) => key.startsWith(`${step}.`))
  );
}

/** `new Number(1)` and the like, which JSON shows as what is in them. */
const isBoxed = (value) => value instanceof Number || value instanceof String || value instanceof Boolean;

/** A date that shows in UTC what this one shows here. */
function inPlace(date) {
  const shown = new Date(0);
  // Part by part: places once differed from UTC by seconds, too, which `getTimezoneOffset` does not tell.
  shown.setUTCFullYear(date.getFullYear(), date.getMonth(), date.getDate());
  shown.setUTCHours(date.getHours(), date.getMinutes(), date.getSeconds(), date.getMilliseconds());
  return shown;
}

function zone(minutes) {
  const [hour, minute] = [minutes / 60, minutes % 60].map((part) =>
    `${Math.abs(Math.trunc(part))}`.padStart(2, "0"),
  );
  return `${minutes < 0 ? "-" : "+"}${hour}:${minute}`;
}

export class EntityMapper {
  #conventions;

  constructor(conventions) {
    this.#conventions = conventions;
  }

  /** Whether plain objects may need a note, too. */
  get hasLiterals() {
    return this.#conventions.hasLiterals;
  }

  /** Whether a value inside an entity needs a note. */
  isOdd(value) {
    // Its digits are the text that it makes.
    if (JSON.isRawJSON?.(value)) throw CUSTOM;
    const isOdd = value instanceof Map || value instanceof Set;
    return isOdd || isBoxed(value) || this.#conventions.classNameOf(value) !== undefined;
  }

  /** An entity as JSON can show it, without id and metadata, and the notes for its metadata. */
  document(entity) {
    const nested = {};
    const source = typeof entity.toJSON === "function" ? entity.toJSON() : entity;
    if (!isObject(source) || Array.isArray(source))
      fail("InvalidArgument", "an entity is not an object in JSON; check its toJSON");
    const { [this.#conventions.identityOf(entity)]: _, "@metadata": __, ...rest } = source;
    const document = this.#plain(rest, undefined, nested);
    return { document, metadata: Object.keys(nested).length > 0 ? { [NESTED]: nested } : undefined };
  }

  /** A value as a document has it. */
  value(value) {
    return this.#plain(value, undefined, {});
  }

  #plain(value, path, nested) {
    // A number that no double holds, from `JSON.rawJSON`, is a text of its own.
    if (!isObject(value) || JSON.isRawJSON?.(value)) return value;
    if (value instanceof Date) {
      nested[path] = "date";
      return this.date(value);
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
    if (isBoxed(value)) return value.valueOf();
    const below = (key) => (path === undefined ? key : `${path}.${key}`);
    if (Array.isArray(value)) return value.map((item, at) => this.#plain(item, below(at), nested));
    if (typeof value.toJSON === "function") return value.toJSON();
    const name = path !== undefined && this.#conventions.classNameOf(value);
    if (name) nested[path] = name;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.#plain(item, below(key), nested)]),
    );
  }

  /** Ticks, seven digits of a second; in the time of this place, as npm `ravendb` writes it, or in UTC. */
  date(date) {
    if (Number.isNaN(date.getTime())) return null;
    const { storeDatesInUtc: isUtc, storeDatesWithTimezoneInfo: isZoned } = this.#conventions;
    const text = (isUtc ? date : inPlace(date)).toISOString();
    const minutes = isUtc ? 0 : -date.getTimezoneOffset();
    return `${text.slice(0, -1)}0000${isZoned ? zone(minutes) : isUtc ? "Z" : ""}`;
  }

  /** The entity of a document: an instance of its class, if that is registered or given. */
  entity(document, type) {
    const metadata = document["@metadata"] ?? {};
    const made = type ?? this.#conventions.getJsType(metadata["@id"], document);
    const nested = metadata[NESTED];
    if (nested) this.revive(document, nested);
    const id = metadata["@id"];
    try {
      const entity = made ? instance(made, document) : document;
      // A projection is not the document that it was made of, and the result of a group has none. A class may compute its id.
      if (id !== undefined && !metadata["@projection"])
        Reflect.set(entity, this.#conventions.identityOf(entity), id);
      return entity;
    } catch (cause) {
      const why = `${id ?? "a result"} cannot be made an instance of ${made?.name}: ${cause?.message}`;
      fail("InvalidOperation", why, { cause });
    }
  }

  /** Gives values inside an object back what they were, as far as the notes fit: anybody may have written a document. */
  revive(document, nested) {
    if (this.#reviveDates(document, nested)) return;
    // What is inside a set or map is reached only before that is made.
    for (const path of Object.keys(nested).sort().reverse()) {
      const steps = path
        .replaceAll("$MAPKEY", "[].0")
        .replaceAll("$MAP", "[].1")
        .replaceAll("$SET", "[]")
        .replaceAll("[]", ".[]")
        .split(".");
      if (steps[0] !== META) this.#revive(document, steps, nested[path]);
    }
  }

  /** The same where there are only dates that are members, as mostly; gives whether it is so. */
  #reviveDates(document, nested) {
    for (const name in nested) if (nested[name] !== "date" || name === META || DEEP.test(name)) return false;
    for (const name in nested) {
      const was = Object.hasOwn(document, name) ? document[name] : undefined;
      const is = this.#instance(was, "date");
      if (is !== was) put(document, name, is);
    }
    return true;
  }

  /** Gives the value at a path back what it was. */
  #revive(parent, [step, ...steps], name) {
    if (!isObject(parent)) return;
    // What is inherited, such as `__proto__`, is everybody's.
    const isOwn = Object.hasOwn(parent, step);
    if (step === "[]") {
      for (const key of Object.keys(parent)) this.#revive(parent, [key, ...steps], name);
    } else if (steps.length > 0) {
      if (isOwn && leads(parent[step], steps[0])) this.#revive(parent[step], steps, name);
      // The dot may be one of a name.
      else this.#revive(parent, [`${step}.${steps[0]}`, ...steps.slice(1)], name);
    } else if (isOwn) {
      put(parent, step, this.#instance(parent[step], name));
    }
  }

  /** What the value was, or the value where that cannot be. */
  #instance(value, name) {
    if (name === "date") {
      const date = typeof value === "string" && TIME.test(value) && dateOf(value);
      return date && !Number.isNaN(date.getTime()) ? date : value;
    }
    const isList = Array.isArray(value);
    if (name === "Set") return isList ? new Set(value) : value;
    if (name === "Map") return isList && value.every(Array.isArray) ? new Map(value) : value;
    const type = this.#conventions.classNamed(name);
    if (!type || !isObject(value)) return value;
    if (isList) return value.map((item) => this.#instance(item, name));
    // An item of a list may have had a note of its own.
    return Object.getPrototypeOf(value) === Object.prototype ? instance(type, value) : value;
  }
}
