// Makes JSON values of dates, sets, maps and instances of classes inside documents, and the reverse. JSON has none: they are noted in a document's
// metadata (`@nested-object-types`) as npm `ravendb` does it, so that both packages read each other's documents.

import { isObject } from "../../common/arguments.js";
import type { JsonObject } from "../../common/json.js";
import { builtInOf } from "../../common/value-kinds.js";
import type { Entity, ObjectTypeDescriptor } from "../entity-types.js";
import { put } from "../snapshots/put-member.js";
import { META } from "../snapshots/snapshot-values.js";
import { type DateConventions, dateOf, dateText } from "./date-format.js";

/** The conventions that decide which values get a note, and how dates are written. */
export interface WritingConventions extends DateConventions {
  /** The name of a value's class; `undefined` for a plain object. */
  classNameOf(value: object): string | undefined;
}

/** The classes of values inside a document (`"date"`, `"Set"`, `"Map"`, names of classes), by their paths. */
export type Notes = Record<string, unknown>;

/** The notes of built-in classes. */
const NOTES: Record<string, string> = { Date: "date", Set: "Set", Map: "Map" };

/** In place of a note, for a value inside of a set or map that needs none. */
const PLAIN = "";

/** A number that makes its own text, its digits: newer engines have some that no double holds (`JSON.rawJSON`). */
export const isRawJson = (value: unknown): boolean =>
  !!(JSON as { isRawJSON?(value: unknown): boolean }).isRawJSON?.(value);

/** Values as a document has them, and their notes. */
export class PlainValues {
  readonly notes: Notes = {};
  #conventions;
  #isItem;

  /** `isItem`: inside of a set or map, where values without a note are marked. */
  constructor(conventions: WritingConventions, isItem = false) {
    this.#conventions = conventions;
    this.#isItem = isItem;
  }

  /** `path`: its place in the document; none for the document itself. `whole`: the object whose `toJSON` has returned the value. */
  of(value: unknown, path?: string, whole = value): unknown {
    if (!isObject(value)) {
      if (value != null) this.#note(path);
      return value;
    }
    const kind = builtInOf(value);
    if (whole === value && kind !== "Date" && typeof value.toJSON === "function") {
      const shown: unknown = value.toJSON();
      if (shown !== value) return this.of(shown, path, value);
    }
    const below = (key: string | number) => (path === undefined ? `${key}` : `${path}.${key}`);
    if (Array.isArray(value)) {
      this.#note(path);
      return value.map((item, at) => this.of(item, below(at)));
    }
    if (kind) {
      this.#note(path, NOTES[kind]);
      if (kind === "Date") return dateText(value as object as Date, this.#conventions);
      if (!NOTES[kind]) return value.valueOf();
      const items = [...(value as object as Iterable<unknown[]>)];
      if (kind === "Set") return this.#items(items, `${path}$SET`, below);
      const [keys = [], values = []] = ["$MAPKEY", "$MAP"].map((shared, part) =>
        this.#items(
          items.map((entry) => entry[part]),
          path + shared,
          (at) => below(`${at}.${part}`),
        ),
      );
      return keys.map((key, at) => [key, values[at]]);
    }
    this.#note(path, this.#conventions.classNameOf(value) ?? this.#conventions.classNameOf(whole as object));
    if (isRawJson(value)) return value;
    // A `toJSON` of the copy would be called again.
    const members = Object.entries(value).filter(([, member]) => typeof member !== "function");
    return Object.fromEntries(members.map(([key, member]) => [key, this.of(member, below(key))]));
  }

  #note(path: string | undefined, kind: string = PLAIN): void {
    if (path !== undefined && (kind || this.#isItem)) put(this.notes, path, kind);
  }

  /** Items of a set, or keys or values of a map. They share a path in the notes, unless their kinds differ. */
  #items(items: unknown[], shared: string, own: (at: number) => string): unknown[] {
    const kinds: Notes = {};
    let areAlike = true;
    const parts = items.map((item) => {
      const values = new PlainValues(this.#conventions, true);
      const value = values.of(item, "");
      for (const [path, kind] of Object.entries(values.notes)) {
        kinds[path] ??= kind;
        areAlike &&= kinds[path] === kind;
      }
      return { value, notes: values.notes };
    });
    return parts.map(({ value, notes }, at) => {
      const path = areAlike ? shared : own(at);
      for (const [inner, kind] of Object.entries(notes)) this.#note(path + inner, kind as string);
      return value;
    });
  }
}

/** The conventions that decide of which classes instances are made. */
export interface ReadingConventions {
  /** The class that is registered by a name. */
  classNamed(name: unknown): ObjectTypeDescriptor | undefined;
}

/** The names on a path. */
type Steps = [step: string, ...steps: string[]];

/** Only a text that begins like this is read as a time: `new Date` finds one in "Room 5", too. */
const TIME = /^[-+]?\d+-\d\d-\d\d/;

/** A path that is more than the name of a member. */
const DEEP = /[.$[]/;

/** Whether a path may go on from a value by this step, which may be the first part of a name with dots. */
function leads(value: unknown, step: string): boolean {
  if (!isObject(value)) return false;
  return (
    step === "[]" ||
    Object.hasOwn(value, step) ||
    Object.keys(value).some((key) => key.startsWith(`${step}.`))
  );
}

/**
 * Makes dates, sets, maps and instances again, in place. Notes that do not fit their values are ignored: other programs write
 * documents, too.
 */
export function reviveValues(document: JsonObject, nested: Notes, conventions: ReadingConventions): void {
  // Values inside come first: once a set or map is made, no path leads into it.
  for (const path of Object.keys(nested).sort().reverse()) {
    const steps: Steps = DEEP.test(path) ? stepsOf(path) : [path];
    if (steps[0] !== META) reviveAt(document, steps, nested[path], conventions);
  }
}

function stepsOf(path: string): Steps {
  return path
    .replaceAll("$MAPKEY", "[].0")
    .replaceAll("$MAP", "[].1")
    .replaceAll("$SET", "[]")
    .replaceAll("[]", ".[]")
    .split(".") as Steps;
}

/** Revives the value at a path. */
function reviveAt(
  parent: unknown,
  [step, ...steps]: Steps,
  name: unknown,
  conventions: ReadingConventions,
): void {
  if (!isObject(parent)) return;
  // An inherited member, such as `__proto__`, belongs to all objects.
  const isOwn = Object.hasOwn(parent, step);
  if (step === "[]") {
    for (const key of Object.keys(parent)) reviveAt(parent, [key, ...steps], name, conventions);
  } else if (steps.length > 0) {
    if (isOwn && leads(parent[step], steps[0] as string))
      reviveAt(parent[step], steps as Steps, name, conventions);
    // The dot may be part of a name.
    else reviveAt(parent, [`${step}.${steps[0]}`, ...steps.slice(1)], name, conventions);
  } else if (isOwn) {
    put(parent, step, revived(parent[step], name, conventions));
  }
}

/** The value as its note says; unchanged if that cannot be. */
function revived(value: unknown, name: unknown, conventions: ReadingConventions): unknown {
  if (name === "date") {
    const date = typeof value === "string" && TIME.test(value) && dateOf(value);
    return date && !Number.isNaN(date.getTime()) ? date : value;
  }
  const isList = Array.isArray(value);
  if (name === "Set") return isList ? new Set(value) : value;
  if (name === "Map")
    return isList && value.every(Array.isArray) ? new Map(value as [unknown, unknown][]) : value;
  const type = conventions.classNamed(name);
  if (!type || !isObject(value)) return value;
  if (isList) return value.map((item) => revived(item, name, conventions));
  // An item of a list may have been made by a note of its own.
  return Object.getPrototypeOf(value) === Object.prototype ? instance(type, value) : value;
}

/** An instance of a class with these values, even if its constructor fails without arguments. */
export function instance(type: ObjectTypeDescriptor, values: JsonObject = {}): Entity {
  if (typeof type !== "function") {
    const { [META]: metadata } = values;
    return Object.assign(type.construct(values), (metadata && { [META]: metadata }) as object) as Entity;
  }
  let made: object | undefined;
  try {
    made = new type();
  } catch {
    // Made without the constructor, below.
  }
  made ??= Object.create(type.prototype) as object;
  try {
    if (!Object.hasOwn(values, "__proto__")) return Object.assign(made, values) as Entity;
  } catch {
    // A member with a getter alone: members are assigned one by one, and such members are left out.
  }
  // The constructor freezes what it makes: made without it.
  if (Object.isFrozen(made)) made = Object.create(type.prototype) as object;
  for (const [name, value] of Object.entries(values)) {
    if (put(made, name, value) || isComputed(made, name)) continue;
    throw new TypeError(`its class does not let "${name}" be set`);
  }
  return made as Entity;
}

/** Whether a member has a getter and no setter. */
function isComputed(object: object, name: string): boolean {
  for (let at: object | null = object; at !== null; at = Object.getPrototypeOf(at)) {
    const member = Object.getOwnPropertyDescriptor(at, name);
    if (member) return member.get !== undefined;
  }
  return false;
}
