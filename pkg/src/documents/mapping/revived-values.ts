// Makes dates, sets, maps and instances of classes again that are noted in the metadata of a document (`@nested-object-types`).

import { isObject } from "../../common/arguments.js";
import type { JsonObject } from "../../common/json.js";
import type { Entity, ObjectTypeDescriptor } from "../entity-types.js";
import { put } from "../snapshots/put-member.js";
import { META } from "../snapshots/snapshot-values.js";
import { dateOf } from "./date-format.js";
import type { Notes } from "./plain-values.js";

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
