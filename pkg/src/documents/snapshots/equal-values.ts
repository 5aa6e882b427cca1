// Whether values are equal in a document: two values, or an entity and values in a list. A layout says which members those belong to; objects
// are made of them, too.

import type { Entity } from "../entity-types.js";
import type { EntityMapper } from "../mapping/entity-mapper.js";
import { DATE, type Layout, ODD } from "./layouts.js";
import { put } from "./put-member.js";

const kindOf = Object.getPrototypeOf;

/** Whether two values are the same in JSON. A value with `toJSON` is equal only to itself. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  // NaN equals itself here: otherwise each save would send its document.
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  // A `Map` has no members but is not an empty object: its text is compared.
  if ((a as Entity).toJSON !== undefined || kindOf(a) !== kindOf(b)) return false;
  if (Array.isArray(a)) {
    if (a.length !== (b as unknown[]).length) return false;
    for (let at = 0; at < a.length; at++) if (!same(a[at], (b as unknown[])[at])) return false;
    return true;
  }
  return alike(a as Entity, b as Entity);
}

/** Whether an object has these values, in any order; its members `identity` and `meta` do not count. */
export function alike(object: Entity, was: Entity, identity?: string, meta?: string): boolean {
  let left = 0;
  for (const name in object) {
    if (name === identity || name === meta) continue;
    // Read once: it may be a getter of the app.
    const value = object[name];
    // A member whose value is `undefined` is not sent.
    if (value === undefined) continue;
    if (!same(value, was[name])) return false;
    left++;
  }
  for (const name in was) if (was[name] !== undefined) left--;
  return left === 0;
}

/** A list that may make its own text. */
export type CustomList = unknown[] & { toJSON?: unknown };

const isPlain = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  kindOf(value) === Object.prototype &&
  !Object.hasOwn(value, "toJSON");

/**
 * Whether an object has the values that begin at `from`; its members `identity` and `meta` do not count. One function that calls itself:
 * V8 compiles functions that call each other once more inside of each.
 */
export function fits(
  list: unknown[],
  layout: Layout,
  from: number,
  object: unknown,
  mapper: EntityMapper,
  identity?: string,
  meta?: string,
): boolean {
  // An entity may be of a class.
  if (meta === undefined && !isPlain(object)) return false;
  const { names, inners } = layout.members;
  const count = names.length;
  let member = 0;
  let at = from;
  for (const name in object as Entity) {
    // Id and metadata are not among the values.
    if (member === count || names[member] !== name) {
      if (name === identity || name === meta) continue;
      return false;
    }
    const value = (object as Entity)[name];
    const inner = inners[member++];
    if (inner === undefined) {
      if (value !== list[at] && !same(value, list[at])) return false;
      at++;
    } else {
      if (typeof value !== "object" || value === null) return false;
      if (inner === DATE) {
        if (kindOf(value) !== Date.prototype || !Object.is((value as Date).getTime(), list[at])) return false;
      } else if (inner === ODD) {
        if (!same(mapper.value(value), list[at])) return false;
      } else if (inner.item !== undefined) {
        const { size } = inner.item;
        const [items, values] = [value as CustomList, list[at] as unknown[]];
        if (!Array.isArray(value) || items.toJSON !== undefined) return false;
        if (items.length * size !== values.length) return false;
        for (let item = 0; item < items.length; item++)
          if (!fits(values, inner.item, item * size, items[item], mapper)) return false;
      } else if (!fits(list, inner, at, value, mapper)) return false;
      at += inner.size;
    }
  }
  return member === count;
}

/** The values that begin at `from`, as an object of JSON values. */
export function objectOf(list: unknown[], layout: Layout, from: number, mapper: EntityMapper): Entity {
  const { names, inners } = layout.members;
  const object: Entity = {};
  let at = from;
  names.forEach((name, member) => {
    const inner = inners[member];
    let value = list[at];
    if (inner === DATE) value = mapper.value(new Date(value as number));
    else if (inner?.item) value = objectsOf(value as unknown[], inner.item, mapper);
    else if (inner && inner !== ODD) value = objectOf(list, inner, at, mapper);
    put(object, name, value);
    at += inner ? inner.size : 1;
  });
  return object;
}

function objectsOf(values: unknown[], layout: Layout, mapper: EntityMapper): Entity[] {
  const objects: Entity[] = [];
  for (let at = 0; at < values.length; at += layout.size) objects.push(objectOf(values, layout, at, mapper));
  return objects;
}
