// Dates, sets, maps and instances of classes inside documents. JSON has none: they are noted in a document's metadata
// (`@nested-object-types`) as npm `ravendb` does it, so that both packages read each other's documents.

import { isObject } from "../../common/arguments.js";
import type { JsonObject } from "../../common/json.js";
import type { ObjectTypeDescriptor } from "../entity-types.js";
import { put } from "../snapshots/put-member.js";
import { META } from "../snapshots/snapshot-values.js";
import { instance } from "./class-instances.js";
import { type DateConventions, dateOf, dateText } from "./date-format.js";

/** The conventions that decide which values get a note, and how dates are written. */
export interface NoteConventions extends DateConventions {
  /** The name of a value's class, if the class is registered. */
  classNameOf(value: object): string | undefined;
  /** The class that is registered by a name. */
  classNamed(name: unknown): ObjectTypeDescriptor | undefined;
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

/** A path that is more than the name of a member. */
const DEEP = /[.$[]/;

/** A number that makes its own text: its digits. */
export const isRawJson = (value: unknown): boolean => !!(JSON as NewJson).isRawJSON?.(value);

/** `new Number(1)` and the like, which JSON writes as primitive values. */
export const isBoxed = (value: object): boolean =>
  value instanceof Number || value instanceof String || value instanceof Boolean;

/** Whether a path may go on from a value by this step, which may be the first part of a name with dots. */
function leads(value: unknown, step: string): boolean {
  if (!isObject(value)) return false;
  return (
    step === "[]" ||
    Object.hasOwn(value, step) ||
    Object.keys(value).some((key) => key.startsWith(`${step}.`))
  );
}

/** A value as a document has it; `path` is its place in the document. Adds notes to `nested`. */
export function plainValue(value: unknown, path: Path, nested: Notes, conventions: NoteConventions): unknown {
  if (!isObject(value) || isRawJson(value)) return value;
  if (value instanceof Date) {
    nested[path as string] = "date";
    return dateText(value, conventions);
  }
  if (value instanceof Set) {
    nested[path as string] = "Set";
    return [...value].map((item) => plainValue(item, `${path}$SET`, nested, conventions));
  }
  if (value instanceof Map) {
    nested[path as string] = "Map";
    return [...value].map(([key, item]) => [
      plainValue(key, `${path}$MAPKEY`, nested, conventions),
      plainValue(item, `${path}$MAP`, nested, conventions),
    ]);
  }
  if (isBoxed(value)) return value.valueOf();
  const below = (key: string | number) => (path === undefined ? key : `${path}.${key}`);
  if (Array.isArray(value)) return value.map((item, at) => plainValue(item, below(at), nested, conventions));
  if (typeof value.toJSON === "function") return value.toJSON();
  const name = path !== undefined && conventions.classNameOf(value);
  if (name) nested[path] = name;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, plainValue(item, below(key), nested, conventions)]),
  );
}

/**
 * Makes dates, sets, maps and instances again, in place. Notes that do not fit their values are ignored: other programs write
 * documents, too.
 */
export function reviveValues(document: JsonObject, nested: Notes, conventions: NoteConventions): void {
  if (reviveDates(document, nested)) return;
  // Values inside come first: once a set or map is made, no path leads into it.
  for (const path of Object.keys(nested).sort().reverse()) {
    const steps = path
      .replaceAll("$MAPKEY", "[].0")
      .replaceAll("$MAP", "[].1")
      .replaceAll("$SET", "[]")
      .replaceAll("[]", ".[]")
      .split(".") as Steps;
    if (steps[0] !== META) reviveAt(document, steps, nested[path], conventions);
  }
}

/** The same if all notes are about dates that are members, as is usual; otherwise it does nothing and returns `false`. */
function reviveDates(document: JsonObject, nested: Notes): boolean {
  for (const name in nested) if (nested[name] !== "date" || name === META || DEEP.test(name)) return false;
  for (const name in nested) {
    const was = Object.hasOwn(document, name) ? document[name] : undefined;
    const is = revivedDate(was);
    if (is === was) continue;
    if (name === "__proto__") put(document, name, is);
    else document[name] = is;
  }
  return true;
}

/** Revives the value at a path. */
function reviveAt(
  parent: unknown,
  [step, ...steps]: Steps,
  name: unknown,
  conventions: NoteConventions,
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
function revived(value: unknown, name: unknown, conventions: NoteConventions): unknown {
  if (name === "date") return revivedDate(value);
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

function revivedDate(value: unknown): unknown {
  const date = typeof value === "string" && TIME.test(value) && dateOf(value);
  return date && !Number.isNaN(date.getTime()) ? date : value;
}
