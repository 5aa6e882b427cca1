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
import { slotList } from "./slot-list.js";

export { CLASS, META, NESTED };

/** Thrown where a document is to be kept as its text: a value makes its own (`toJSON`), or no two are alike. */
export const CUSTOM: unique symbol = Symbol();

/** Maximum number of layouts that sessions share; then the next session begins with none. */
const LAYOUTS = 2_000;

/** Layouts that sessions share: those of an app's documents are mostly the same. */
interface SharedLayouts {
  root: Layout;
  count: number;
}

let shared: SharedLayouts | undefined;

/** The class that was last found to share no members. */
let usual: unknown;

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

/** Knows values that JSON cannot show. */
export interface ValueMapper {
  /** Whether plain objects may be such values, too. */
  readonly hasLiterals: boolean;
  /** Whether a value is one. */
  isOdd(value: object): boolean;
  /** The value as JSON shows it. */
  value(value: unknown): unknown;
}

/** A list that may make its own text. */
type CustomList = unknown[] & { toJSON?: unknown };

export class Values {
  #lists: unknown[][] = slotList();
  /** The last of them. */
  #list: unknown[] | undefined;
  #layouts: SharedLayouts;
  /** How many values there are, layouts included, and how many of them are no longer needed. */
  #kept = 0;
  #released = 0;
  /** Counts the documents that were to be kept. */
  #turn = 0;
  #mapper;
  /** Whether what was copied has something inside that JSON cannot show. */
  #hasOdd = false;

  constructor(mapper: ValueMapper) {
    this.#mapper = mapper;
    if (!shared || shared.count > LAYOUTS) shared = { root: new Layout(), count: 0 };
    this.#layouts = shared;
  }

  /**
   * Keeps a copy of an entity's values, without id and metadata; `undefined` where something makes its own text. One large function
   * for all usual values: V8 compiles it once, and does not copy it into each caller.
   */
  keep(entity: Entity, identity?: string): number | undefined {
    let list = this.#list;
    if (list === undefined || list.length > MASK) list = this.#open();
    const at = list.length;
    const turn = ++this.#turn;
    try {
      if (Object.hasOwn(entity, "toJSON") || (kindOf(entity) !== usual && this.#makesText(entity)))
        throw CUSTOM;
      list.push(undefined);
      let layout = this.#layouts.root;
      for (const name in entity) {
        if (name === identity || name === META) continue;
        const value = entity[name];
        let inner: Layout | undefined;
        if (typeof value !== "object" || value === null) list.push(value);
        else inner = this.#inner(list, turn, value, layout.inside);
        const { next } = layout;
        layout =
          next !== undefined && next.name === name && next.inner === inner
            ? next
            : this.#next(layout, name, inner);
      }
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
    const list: unknown[] = slotList();
    this.#list = list;
    this.#lists.push(list);
    return list;
  }

  #next(layout: Layout, name: string, inner: Layout | undefined): Layout {
    let next = layout.find(name, inner);
    if (next === undefined) {
      if (this.#layouts.count++ > LAYOUTS) throw CUSTOM;
      next = layout.and(name, inner);
    }
    layout.next = next;
    return next;
  }

  /** Adds a value that is an object; returns its layout, which begins with `root`; `undefined` if it is kept as one value. */
  #inner(list: unknown[], turn: number, value: object, root: Layout): Layout | undefined {
    const kind = kindOf(value);
    if (kind === Date.prototype) {
      list.push((value as Date).getTime());
      return DATE;
    }
    if (Array.isArray(value)) {
      const items = this.#items(value, turn, root);
      if (items !== undefined) {
        list.push(items.values);
        return items.layout.list;
      }
    } else if (!this.#isCustom(value)) {
      const from = list.length;
      let layout = root;
      let members = 0;
      for (const name in value) {
        if (++members > WIDE) break;
        const member = (value as Entity)[name];
        let inner: Layout | undefined;
        if (typeof member !== "object" || member === null) list.push(member);
        else inner = this.#inner(list, turn, member, layout.inside);
        const { next } = layout;
        layout =
          next !== undefined && next.name === name && next.inner === inner
            ? next
            : this.#next(layout, name, inner);
      }
      if (members <= WIDE) return layout;
      if (turn !== this.#turn) throw CUSTOM;
      list.length = from;
    }
    this.#hasOdd = false;
    const copy = this.#copy(value);
    const isOdd = this.#hasOdd;
    list.push(isOdd ? JSON.parse(JSON.stringify(this.#mapper.value(value))) : copy);
    return isOdd ? ODD : undefined;
  }

  /** The values of objects in a list, one after the other, if all have the same layout. */
  #items(items: CustomList, turn: number, root: Layout): { values: unknown[]; layout: Layout } | undefined {
    if (typeof items[0] !== "object" || items.toJSON !== undefined) return;
    const values: unknown[] = slotList();
    let layout: Layout | undefined;
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      if (typeof item !== "object" || item === null || kindOf(item) !== Object.prototype) return;
      const found = this.#inner(values, turn, item, root);
      if (found === undefined || found === ODD || (layout !== undefined && layout !== found)) return;
      layout = found;
    }
    return layout && layout.size > 0 ? { values, layout } : undefined;
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
    if (this.#makesText(value)) throw CUSTOM;
    if (kind === Object.prototype && !this.#mapper.hasLiterals && !Object.hasOwn(value, "constructor"))
      return false;
    return this.#mapper.isOdd(value) || kind !== Object.prototype;
  }

  /**
   * Whether an object makes its own text, or its class shares members that `for … in` finds, and that are none of its documents'.
   * V8 compiles no code for a hidden class here.
   */
  #makesText(object: object): boolean {
    if (Object.hasOwn(object, "toJSON")) return true;
    const kind = kindOf(object);
    if (kind === Object.prototype || kind === usual || kind === null) return false;
    if ("toJSON" in kind) return true;
    for (const _ in kind) return true;
    usual = kind;
    return false;
  }

  /** Whether the entity has the values that were kept at this place. */
  has(place: number, entity: Entity, identity: string): boolean {
    if (this.#makesText(entity)) return false;
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
          if (!same(this.#mapper.value(value), list[at])) return false;
        } else if (inner.item !== undefined) {
          if (!Array.isArray(value)) return false;
          if (!this.#fitsItems(list[at] as unknown[], inner.item, value)) return false;
        } else {
          if (kindOf(value) !== Object.prototype || Object.hasOwn(value, "toJSON")) return false;
          if (!this.#fits(list, inner, at, value as Entity)) return false;
        }
        at += inner.size;
      }
    }
    return member === count;
  }

  #fitsItems(values: unknown[], layout: Layout, items: CustomList): boolean {
    if (items.length * layout.size !== values.length || items.toJSON !== undefined) return false;
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      if (typeof item !== "object" || item === null) return false;
      if (kindOf(item) !== Object.prototype || Object.hasOwn(item, "toJSON")) return false;
      if (!this.#fits(values, layout, at * layout.size, item as Entity)) return false;
    }
    return true;
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
      if (inner === DATE) value = this.#mapper.value(new Date(value as number));
      else if (inner?.item) value = this.#objects(value as unknown[], inner.item);
      else if (inner && inner !== ODD) value = this.#object(list, inner, at);
      put(object, name, value);
      at += inner ? inner.size : 1;
    });
    return object;
  }

  #objects(values: unknown[], layout: Layout): Entity[] {
    const objects: Entity[] = [];
    for (let at = 0; at < values.length; at += layout.size) objects.push(this.#object(values, layout, at));
    return objects;
  }

  /** The values at this place are no longer needed. */
  release(place: number): void {
    this.#released += this.layout(place).size + 1;
  }

  /** Closes the gaps once they are most of all; `places`: all that is needed, which move. */
  compact(places: (number | string | undefined)[]): void {
    if (this.#released * 2 <= this.#kept) return;
    const lists = this.#lists;
    this.#lists = slotList();
    this.#list = undefined;
    this.#kept -= this.#released;
    this.#released = 0;
    places.forEach((place, index) => {
      if (typeof place !== "number") return;
      const [from, at] = [lists[place >>> BITS] as unknown[], place & MASK];
      const list = this.#list === undefined || this.#list.length > MASK ? this.#open() : this.#list;
      places[index] = ((this.#lists.length - 1) << BITS) | list.length;
      for (let next = at; next <= at + (from[at] as Layout).size; next++) list.push(from[next]);
    });
  }
}
