// Whether two values are equal in a document.

import { METADATA_MEMBER as META } from "../../../gen/protocol.js";
import type { Entity } from "../entity-types.js";

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
  // A member whose value is `undefined` is not sent.
  let left = 0;
  for (const key in a) {
    const value = (a as Entity)[key];
    if (value === undefined) continue;
    if (!same(value, (b as Entity)[key])) return false;
    left++;
  }
  for (const key in b) if ((b as Entity)[key] !== undefined) left--;
  return left === 0;
}

/** Whether an entity has these values, in any order. */
export function alike(entity: Entity, was: Entity, identity: string | undefined): boolean {
  let left = 0;
  for (const name in entity) {
    if (name === identity || name === META) continue;
    // Read once: it may be a getter of the app.
    const value = entity[name];
    if (value === undefined) continue;
    if (!same(value, was[name])) return false;
    left++;
  }
  for (const name in was) if (was[name] !== undefined) left--;
  return left === 0;
}
