// Makes instances of classes of the app.

import type { JsonObject } from "../../common/json.js";
import type { Entity, ObjectTypeDescriptor } from "../entity-types.js";
import { put } from "../snapshots/put-member.js";
import { META } from "../snapshots/snapshot-values.js";

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
