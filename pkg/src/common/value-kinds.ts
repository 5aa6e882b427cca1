// What a value is, whichever realm made it: an iframe, a `vm` context, a test runner. `instanceof` of a built-in class is `false` for
// values of other realms, so no other file uses it; `cargo xtask lint` checks that.

import type { EntityType } from "../documents/entity-types.js";
import { isObject } from "./arguments.js";

/** `"Date"`, `"Map"`, …; for other objects what they claim by `Symbol.toStringTag`, else `"Object"`. */
const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

/** A built-in class. */
type BuiltIn = (new () => object) & { prototype: Record<string, () => unknown> };

/** The name of a value's class, if that is one of `names`. `method`: theirs, which throws if `this` only claims to be an instance. */
function nameOf(value: unknown, names: RegExp, method: string): string | undefined {
  const name = tagOf(value);
  if (!isObject(value) || !names.test(name)) return;
  const type = Reflect.get(globalThis, name) as BuiltIn;
  try {
    // A framework's Proxy of a `Map` is an instance, and refuses the method.
    if (!(value instanceof type)) Reflect.apply(type.prototype[method] as () => unknown, value, [0, 0]);
    return name;
  } catch {
    // No instance.
  }
}

/** `"Map"` or `"Set"`. */
export const collectionOf = (value: unknown): string | undefined => nameOf(value, /^(Map|Set)$/, "has");

/** `"Map"`, `"Set"`, `"Date"`, or the name of a class of primitive values (`new Number(1)`), which JSON writes as such. */
export const builtInOf = (value: unknown): string | undefined =>
  collectionOf(value) ?? nameOf(value, /^(Date|Number|String|Boolean)$/, "valueOf");

export const isDate = (value: unknown): value is Date => !!nameOf(value, /^Date$/, "valueOf");
export const isArrayBuffer = (value: unknown): value is ArrayBuffer =>
  !!nameOf(value, /^ArrayBuffer$/, "slice");

/** A look-alike, such as the one of jsdom, is not one: the platform would send it as the text `[object Blob]`. */
export const isBlob = (value: unknown): value is Blob => !!nameOf(value, /^(Blob|File)$/, "slice");

export const isInvalidDate = (value: unknown): boolean => isDate(value) && Number.isNaN(value.getTime());

export const isValidDate = (value: unknown): value is Date => isDate(value) && !isInvalidDate(value);

/** Also what IndexedDB gives to a script of another realm. */
export const isUint32Array = (value: unknown): value is Uint32Array =>
  ArrayBuffer.isView(value) && tagOf(value) === "Uint32Array";

export const isError = (value: unknown): value is Error =>
  value instanceof Error || /^(Error|DOMException)$/.test(tagOf(value));

/** Whether the engine has thrown it, by one of these classes: `isEngineError(cause, "RangeError")`. */
export const isEngineError = (value: unknown, ...classes: string[]): value is Error =>
  classes.includes((value as Partial<object> | null | undefined)?.constructor?.name ?? "");

/** The class of an object; `undefined` for a plain object. From its prototype: it may have a member `constructor` of its own. */
export function classOf(value: object): EntityType | undefined {
  const type: unknown = Object.getPrototypeOf(value)?.constructor;
  return typeof type === "function" && type.name !== "Object" ? (type as EntityType) : undefined;
}
