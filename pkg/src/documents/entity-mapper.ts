// Makes documents of entities, and entities of documents. JSON has no dates, sets, maps and instances of classes: they are noted in
// a document's metadata as npm `ravendb` does it, so that both packages read each other's documents.

import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { JsonObject } from "../common/json.js";
import { instance } from "./class-instances.js";
import type { Entity, IMetadataDictionary, ObjectTypeDescriptor } from "./entity-types.js";
import { CUSTOM, META, NESTED, put } from "./snapshots/snapshot-values.js";

/** The conventions that decide how values are written and read. */
export interface MappingConventions {
  /** Whether plain objects may be of a registered type. */
  readonly hasLiterals: boolean;
  readonly storeDatesInUtc: boolean;
  readonly storeDatesWithTimezoneInfo: boolean;
  /** Whether classes have other properties for their ids than `identityProperty`. */
  readonly hasOwnIdentities: boolean;
  readonly identityProperty: string;
  /** The property that shows an entity its id. */
  identityOf(entity: object): string;
  /** The name of a value's class, if the class is registered. */
  classNameOf(value: object): string | undefined;
  /** The class that is registered by a name. */
  classNamed(name: unknown): ObjectTypeDescriptor | undefined;
  /** The class of a document that is loaded without one. */
  getJsType(id: string | undefined, document: object): ObjectTypeDescriptor | null;
}

/** The classes of values inside a document (`"date"`, `"Set"`, `"Map"`, names of classes), by their paths. */
export type Notes = Record<string, unknown>;

/** A path inside an entity; `undefined`: the entity itself. */
type Path = string | number | undefined;

/** The names on a path. */
type Steps = [step: string, ...steps: string[]];

/** `JSON` of newer engines, which have numbers that no double holds (`JSON.rawJSON`). */
type NewJson = typeof JSON & { isRawJSON?(value: unknown): boolean };

/** Only a text that begins like this is read as a time: `new Date` finds one in "Room 5", too. */
const TIME = /^[-+]?\d+-\d\d-\d\d/;

/** A time as RavenDB writes it, with ticks. */
const TICKS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}/;

/** Since 1973, offsets from UTC are whole minutes everywhere. */
const WHOLE_MINUTES = Date.UTC(1973);

/** A path that is more than the name of a member. */
const DEEP = /[.$[]/;

/** RavenDB writes ticks; a Date has milliseconds. */
export const dateOf = (text: string): Date =>
  new Date(TICKS.test(text) ? text.slice(0, 23) + text.slice(27) : text.replace(/(\.\d{3})\d*/, "$1"));

/** Whether a path may go on from a value by this step, which may be the first part of a name with dots. */
function leads(value: unknown, step: string): boolean {
  if (!isObject(value)) return false;
  return (
    step === "[]" ||
    Object.hasOwn(value, step) ||
    Object.keys(value).some((key) => key.startsWith(`${step}.`))
  );
}

/** `new Number(1)` and the like, which JSON writes as primitive values. */
const isBoxed = (value: object): boolean =>
  value instanceof Number || value instanceof String || value instanceof Boolean;

/** A date whose parts in UTC are the local parts of this one. */
function inPlace(date: Date): Date {
  const shown = new Date(0);
  // Part by part: historical offsets from UTC include seconds, which `getTimezoneOffset` leaves out.
  shown.setUTCFullYear(date.getFullYear(), date.getMonth(), date.getDate());
  shown.setUTCHours(date.getHours(), date.getMinutes(), date.getSeconds(), date.getMilliseconds());
  return shown;
}

/** An offset from UTC in minutes as `+01:00`. */
function zone(minutes: number): string {
  const [hour, minute] = [minutes / 60, minutes % 60].map((part) =>
    `${Math.abs(Math.trunc(part))}`.padStart(2, "0"),
  );
  return `${minutes < 0 ? "-" : "+"}${hour}:${minute}`;
}

export class EntityMapper {
  #conventions;

  constructor(conventions: MappingConventions) {
    this.#conventions = conventions;
  }

  /** Whether plain objects may need a note, too. */
  get hasLiterals(): boolean {
    return this.#conventions.hasLiterals;
  }

  /** Whether a value inside an entity needs a note. */
  isOdd(value: object): boolean {
    // It makes its own text: its digits.
    if ((JSON as NewJson).isRawJSON?.(value)) throw CUSTOM;
    const isOdd = value instanceof Map || value instanceof Set;
    return isOdd || isBoxed(value) || this.#conventions.classNameOf(value) !== undefined;
  }

  /** An entity as JSON can show it, without id and metadata, and the notes for its metadata. */
  document(entity: Entity): { document: Entity; metadata: { [NESTED]: Notes } | undefined } {
    const nested: Notes = {};
    const source: unknown = typeof entity.toJSON === "function" ? entity.toJSON() : entity;
    if (!isObject(source) || Array.isArray(source))
      fail("InvalidArgument", "an entity is not an object in JSON; check its toJSON");
    const { [this.#conventions.identityOf(entity)]: _, "@metadata": __, ...rest } = source;
    const document = this.#plain(rest, undefined, nested) as Entity;
    return { document, metadata: Object.keys(nested).length > 0 ? { [NESTED]: nested } : undefined };
  }

  /** A value as a document has it. */
  value(value: unknown): unknown {
    return this.#plain(value, undefined, {});
  }

  /** Adds notes to `nested`. */
  #plain(value: unknown, path: Path, nested: Notes): unknown {
    if (!isObject(value) || (JSON as NewJson).isRawJSON?.(value)) return value;
    if (value instanceof Date) {
      nested[path as string] = "date";
      return this.date(value);
    }
    if (value instanceof Set) {
      nested[path as string] = "Set";
      return [...value].map((item) => this.#plain(item, `${path}$SET`, nested));
    }
    if (value instanceof Map) {
      nested[path as string] = "Map";
      return [...value].map(([key, item]) => [
        this.#plain(key, `${path}$MAPKEY`, nested),
        this.#plain(item, `${path}$MAP`, nested),
      ]);
    }
    if (isBoxed(value)) return value.valueOf();
    const below = (key: string | number) => (path === undefined ? key : `${path}.${key}`);
    if (Array.isArray(value)) return value.map((item, at) => this.#plain(item, below(at), nested));
    if (typeof value.toJSON === "function") return value.toJSON();
    const name = path !== undefined && this.#conventions.classNameOf(value);
    if (name) nested[path] = name;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.#plain(item, below(key), nested)]),
    );
  }

  /**
   * A date with ticks, seven digits of a second; in local time, as npm `ravendb` writes it, or in UTC. `null` for an invalid date.
   */
  date(date: Date): string | null {
    const time = date.getTime();
    if (Number.isNaN(time)) return null;
    const { storeDatesInUtc: isUtc, storeDatesWithTimezoneInfo: isZoned } = this.#conventions;
    const minutes = isUtc ? 0 : -date.getTimezoneOffset();
    let shown = date;
    if (time < WHOLE_MINUTES && !isUtc) shown = inPlace(date);
    else if (minutes !== 0) shown = new Date(time + minutes * 60_000);
    const text = shown.toISOString();
    return `${text.slice(0, -1)}0000${isZoned ? zone(minutes) : isUtc ? "Z" : ""}`;
  }

  /** Replaces the dates of a document, whose members `dates` names, by their texts. */
  writeDates(document: Entity, dates: Notes): void {
    for (const name in dates) {
      const text = this.date(document[name] as Date);
      // `put` is slow.
      if (name === "__proto__") put(document, name, text);
      else document[name] = text;
    }
  }

  /** The entity of a document: an instance of its class, if that is registered or given. */
  entity(document: Entity, type?: ObjectTypeDescriptor): Entity {
    const metadata: IMetadataDictionary = document["@metadata"] ?? {};
    const made = type ?? this.#conventions.getJsType(metadata["@id"], document);
    const nested = metadata[NESTED];
    if (nested) this.revive(document, nested as Notes);
    const id = metadata["@id"];
    try {
      const entity = made ? instance(made, document) : document;
      // A projection is not the document that it was made of, and the result of a group has no id. A class may compute its id.
      if (id !== undefined && !metadata["@projection"]) this.#show(entity, id);
      return entity;
    } catch (cause) {
      const why = `${id ?? "a result"} cannot be made an instance of ${made?.name}: ${(cause as Error | undefined)?.message}`;
      fail("InvalidOperation", why, { cause });
    }
  }

  #show(entity: Entity, id: string): void {
    const { hasOwnIdentities, identityProperty } = this.#conventions;
    const identity = hasOwnIdentities ? this.#conventions.identityOf(entity) : identityProperty;
    try {
      entity[identity] = id;
    } catch {
      // Without an error where there is no setter, or the entity is frozen.
      Reflect.set(entity, identity, id);
    }
  }

  /**
   * Makes dates, sets, maps and instances again, in place. Notes that do not fit their values are ignored: other programs write
   * documents, too.
   */
  revive(document: JsonObject, nested: Notes): void {
    if (this.#reviveDates(document, nested)) return;
    // Values inside come first: once a set or map is made, no path leads into it.
    for (const path of Object.keys(nested).sort().reverse()) {
      const steps = path
        .replaceAll("$MAPKEY", "[].0")
        .replaceAll("$MAP", "[].1")
        .replaceAll("$SET", "[]")
        .replaceAll("[]", ".[]")
        .split(".") as Steps;
      if (steps[0] !== META) this.#revive(document, steps, nested[path]);
    }
  }

  /** The same if all notes are about dates that are members, as is usual; otherwise it does nothing and returns `false`. */
  #reviveDates(document: JsonObject, nested: Notes): boolean {
    for (const name in nested) if (nested[name] !== "date" || name === META || DEEP.test(name)) return false;
    for (const name in nested) {
      const was = Object.hasOwn(document, name) ? document[name] : undefined;
      const is = this.#instance(was, "date");
      if (is === was) continue;
      if (name === "__proto__") put(document, name, is);
      else document[name] = is;
    }
    return true;
  }

  /** Revives the value at a path. */
  #revive(parent: unknown, [step, ...steps]: Steps, name: unknown): void {
    if (!isObject(parent)) return;
    // An inherited member, such as `__proto__`, belongs to all objects.
    const isOwn = Object.hasOwn(parent, step);
    if (step === "[]") {
      for (const key of Object.keys(parent)) this.#revive(parent, [key, ...steps], name);
    } else if (steps.length > 0) {
      if (isOwn && leads(parent[step], steps[0] as string)) this.#revive(parent[step], steps as Steps, name);
      // The dot may be part of a name.
      else this.#revive(parent, [`${step}.${steps[0]}`, ...steps.slice(1)], name);
    } else if (isOwn) {
      put(parent, step, this.#instance(parent[step], name));
    }
  }

  /** The value as its note says; unchanged if that cannot be. */
  #instance(value: unknown, name: unknown): unknown {
    if (name === "date") {
      const date = typeof value === "string" && TIME.test(value) && dateOf(value);
      return date && !Number.isNaN(date.getTime()) ? date : value;
    }
    const isList = Array.isArray(value);
    if (name === "Set") return isList ? new Set(value) : value;
    if (name === "Map")
      return isList && value.every(Array.isArray) ? new Map(value as [unknown, unknown][]) : value;
    const type = this.#conventions.classNamed(name);
    if (!type || !isObject(value)) return value;
    if (isList) return value.map((item) => this.#instance(item, name));
    // An item of a list may have been made by a note of its own.
    return Object.getPrototypeOf(value) === Object.prototype ? instance(type, value) : value;
  }
}
