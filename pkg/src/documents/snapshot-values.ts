// What was last sent or loaded of a session's documents: their values, one after the other in a few lists. An object for
// each document would be most of what a session weighs, and comparing here is many times faster than any scheme over
// text.

import {
  METADATA_CLASS as CLASS,
  METADATA_MEMBER as META,
  METADATA_CHANGE_VECTOR,
  METADATA_ID,
  METADATA_NESTED as NESTED,
} from "../../gen/protocol.js";
import type { Entity } from "./entity-types.js";
import { alike, same } from "./equal-values.js";
import { DATE, Layout, ODD } from "./layouts.js";

export { CLASS, META, NESTED };

/** Thrown where a document is to be kept as its text: a value makes its own (`toJSON`), or no two are alike. */
export const CUSTOM: unique symbol = Symbol();

/** So many layouts are remembered. */
const LAYOUTS = 2_000;

/**
 * A place is the number of a list and where in it a document begins, in so many bits. A longer list would soon be old to
 * the engine, which writes young values there at a price.
 */
const BITS = 10;
const MASK = (1 << BITS) - 1;

/** An inner object with more members is a dictionary, and has no layout in common with others. */
const WIDE = 50;

/** The id of a document; a part of one has none. */
export function idOf(value: unknown): string | undefined {
  const meta = (value as Entity | null | undefined)?.[META];
  if (meta?.["@projection"] === true) return;
  const id = meta?.[METADATA_ID];
  if (typeof id === "string" && typeof (meta as Entity)[METADATA_CHANGE_VECTOR] === "string") return id;
}

const kindOf = Object.getPrototypeOf;

/** Sets a member, also one called `__proto__`, which is no more than a name; gives whether the object takes it. */
export function put(object: object, name: string, value: unknown): boolean {
  if (name !== "__proto__") return Reflect.set(object, name, value);
  return Reflect.defineProperty(object, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

export class Values {
  #lists: unknown[][] = [];
  /** The last of them. */
  #list: unknown[] | undefined;
  #root = new Layout();
  #layouts = 0;
  #made = () => {
    if (this.#layouts++ > LAYOUTS) throw CUSTOM;
  };
  /** How many values there are, layouts included, and how many of them are no longer needed. */
  #kept = 0;
  #released = 0;
  /** Counts the documents that were to be kept. */
  #turn = 0;
  #isOdd;
  #asksOften;
  #shaped;
  /** The class that was last found to share no members. */
  #checked: unknown = null;
  /** Whether what was copied has something inside that JSON cannot show. */
  #hasOdd = false;

  /** `isOdd` knows values that JSON cannot show; `asksOften`: also plain objects may be some; `shaped`: them as JSON shows them. */
  constructor(isOdd: (value: object) => boolean, asksOften: boolean, shaped: (value: unknown) => unknown) {
    this.#isOdd = isOdd;
    this.#asksOften = asksOften;
    this.#shaped = shaped;
  }

  /** Keeps a copy of an entity's values, without id and metadata; `undefined` where something makes its own text. */
  keep(entity: Entity, identity?: string): number | undefined {
    const list = this.#open();
    const at = list.length;
    const turn = ++this.#turn;
    try {
      if (entity.toJSON !== undefined || this.#inherits(entity)) throw CUSTOM;
      list.push(undefined);
      const layout = this.#add(list, turn, entity, identity, META) as Layout;
      // A getter of the app has come back here: the values of two documents stand among each other.
      if (turn !== this.#turn) throw CUSTOM;
      list[at] = layout;
      this.#kept += layout.size + 1;
      return ((this.#lists.length - 1) << BITS) | at;
    } catch (error) {
      if (turn === this.#turn) list.length = at;
      if (error !== CUSTOM) throw error;
    }
  }

  #open(): unknown[] {
    if (this.#list === undefined || this.#list.length > MASK) {
      this.#list = [];
      this.#lists.push(this.#list);
    }
    return this.#list;
  }

  #add(list: unknown[], turn: number, object: Entity, identity?: string, meta?: string): Layout | undefined {
    const from = list.length;
    let layout = this.#root;
    let members = 0;
    for (const name in object) {
      if (name === identity || name === meta) continue;
      if (++members > WIDE && meta === undefined) {
        if (turn !== this.#turn) throw CUSTOM;
        list.length = from;
        return undefined;
      }
      const value = object[name];
      let inner: Layout | undefined;
      if (typeof value !== "object" || value === null) list.push(value);
      else if (kindOf(value) === Date.prototype) {
        inner = DATE;
        list.push((value as Date).getTime());
      } else inner = this.#addObject(list, turn, value);
      const { next } = layout;
      layout =
        next !== undefined && next.name === name && next.inner === inner
          ? next
          : layout.and(name, inner, this.#made);
    }
    return layout;
  }

  #addObject(list: unknown[], turn: number, value: object): Layout | undefined {
    if (!Array.isArray(value) && !this.#isCustom(value)) {
      const inner = this.#add(list, turn, value as Entity);
      if (inner !== undefined) return inner;
    }
    this.#hasOdd = false;
    const copy = this.#copy(value);
    const isOdd = this.#hasOdd;
    list.push(isOdd ? JSON.parse(JSON.stringify(this.#shaped(value))) : copy);
    return isOdd ? ODD : undefined;
  }

  #copy(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (let at = 0; at < value.length; at++) items.push(this.#copy(value[at]));
      return items;
    }
    if (this.#isCustom(value)) {
      this.#hasOdd = true;
      // None of what is inside may make its own text.
      if (value instanceof Map || value instanceof Set) this.#copy([...value]);
    }
    const object: Entity = { ...value };
    for (const name in object) {
      const inner = object[name];
      if (typeof inner === "object" && inner !== null) put(object, name, this.#copy(inner));
    }
    return object;
  }

  /** Whether an object is more than its members, or of a class. */
  #isCustom(value: object): boolean {
    const kind = kindOf(value);
    if (kind === Date.prototype) return true;
    if ((value as Entity).toJSON !== undefined || this.#inherits(value)) throw CUSTOM;
    if (kind === Object.prototype && value.constructor === Object && !this.#asksOften) return false;
    return this.#isOdd(value) || kind !== Object.prototype;
  }

  /** Whether a class shares members that `for … in` finds, and that are none of its documents'. */
  #inherits(object: object): boolean {
    const kind = kindOf(object);
    if (kind === Object.prototype || kind === this.#checked) return false;
    for (const _ in kind) return true;
    this.#checked = kind;
    return false;
  }

  /** Whether the entity has the values that were kept at this place. */
  has(place: number, entity: Entity, identity: string): boolean {
    if (entity.toJSON !== undefined) return false;
    const list = this.#lists[place >>> BITS] as unknown[];
    const at = place & MASK;
    if (this.#fits(list, list[at] as Layout, at + 1, entity, identity, META)) return true;
    // Its members may have another order.
    return alike(entity, this.object(place), identity);
  }

  #fits(
    list: unknown[],
    layout: Layout,
    from: number,
    object: Entity,
    identity?: string,
    meta?: string,
  ): boolean {
    const { names, inners } = layout.members;
    const count = names.length;
    let member = 0;
    let at = from;
    for (const name in object) {
      // Neither of these is ever kept.
      if (member === count || names[member] !== name) {
        if (name === identity || name === meta) continue;
        return false;
      }
      const value = object[name];
      const inner = inners[member++];
      if (inner === undefined) {
        if (value !== list[at] && !same(value, list[at])) return false;
        at++;
      } else {
        if (typeof value !== "object" || value === null) return false;
        if (inner === DATE) {
          if (kindOf(value) !== Date.prototype || !Object.is((value as Date).getTime(), list[at]))
            return false;
        } else if (inner === ODD) {
          if (!same(this.#shaped(value), list[at])) return false;
        } else {
          if ((value as Entity).toJSON !== undefined || kindOf(value) !== Object.prototype) return false;
          if (!this.#fits(list, inner, at, value as Entity)) return false;
        }
        at += inner.size;
      }
    }
    return member === count;
  }

  /** The layout of the values at this place. */
  layout(place: number): Layout {
    return (this.#lists[place >>> BITS] as unknown[])[place & MASK] as Layout;
  }

  /** The values as an object that JSON can show. */
  object(place: number): Entity {
    const list = this.#lists[place >>> BITS] as unknown[];
    const at = place & MASK;
    return this.#object(list, list[at] as Layout, at + 1);
  }

  #object(list: unknown[], layout: Layout, from: number): Entity {
    const { names, inners } = layout.members;
    const object: Entity = {};
    let at = from;
    names.forEach((name, member) => {
      const inner = inners[member];
      let value = list[at];
      if (inner === DATE) value = this.#shaped(new Date(value as number));
      else if (inner && inner !== ODD) value = this.#object(list, inner, at);
      put(object, name, value);
      at += inner ? inner.size : 1;
    });
    return object;
  }

  /** The values at this place are no longer needed. */
  release(place: number): void {
    this.#released += this.layout(place).size + 1;
  }

  /** Closes the gaps once they are most of all; `places`: all that is needed, which move. */
  compact(places: (number | string | undefined)[]): void {
    if (this.#released * 2 <= this.#kept) return;
    const lists = this.#lists;
    this.#lists = [];
    this.#list = undefined;
    this.#kept -= this.#released;
    this.#released = 0;
    places.forEach((place, index) => {
      if (typeof place !== "number") return;
      const [from, at] = [lists[place >>> BITS] as unknown[], place & MASK];
      const list = this.#open();
      places[index] = ((this.#lists.length - 1) << BITS) | list.length;
      for (let next = at; next <= at + (from[at] as Layout).size; next++) list.push(from[next]);
    });
  }
}
