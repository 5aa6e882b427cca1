// Snapshots of a session's documents as they were last sent or loaded: the values of all documents, one after the other, in a few
// lists. One object per document would take most of a session's memory, and comparing texts would be many times slower.

import {
  METADATA_CLASS as CLASS,
  METADATA_MEMBER as META,
  METADATA_CHANGE_VECTOR,
  METADATA_ID,
  METADATA_NESTED as NESTED,
} from "../../../gen/protocol.js";
import { collectionOf } from "../../common/value-kinds.js";
import type { Entity } from "../entity-types.js";
import type { EntityMapper } from "../mapping/entity-mapper.js";
import { slotList } from "../slots.js";
import { alike, type CustomList, fits, objectOf } from "./equal-values.js";
import { DATE, Layout, ODD } from "./layouts.js";
import { put } from "./put-member.js";

export { CLASS, META, NESTED };

/** Thrown if a document has to be kept as text: a value has `toJSON`, or there are too many different layouts. */
export const CUSTOM: unique symbol = Symbol();

/** Maximum number of layouts that sessions share; then the next session begins with none. */
const LAYOUTS = 2_000;

/** Layouts that sessions share: those of an app's documents are mostly the same. */
interface SharedLayouts {
  root: Layout;
  count: number;
}

let shared: SharedLayouts | undefined;

/** The last prototype that was found to have no enumerable members. */
let usual: unknown;

/** A place is one number: its lowest `BITS` bits are the offset in a list at which a document begins, the others the index of the list. */
const BITS = 11;
const MASK = (1 << BITS) - 1;

/**
 * A list that is longer gets no further document. V8 enlarges the memory of a list in steps, one of which leads to 1,202 items, so
 * little of it stays unused.
 * Short lists stay in V8's young generation, which avoids its write barrier.
 */
const LENGTH = 1_150;

/** The maximum number of members of an inner object with a layout. A larger one is a dictionary, whose layout others do not share. */
const WIDE = 50;

/** The id of a document that has a change vector; `undefined` for a projection and for any other value. */
export function idOf(value: unknown): string | undefined {
  const meta = (value as Entity | null | undefined)?.[META];
  if (meta?.["@projection"] === true) return;
  const id = meta?.[METADATA_ID];
  if (typeof id === "string" && typeof (meta as Entity)[METADATA_CHANGE_VECTOR] === "string") return id;
}

const kindOf = Object.getPrototypeOf;

/** Whether a prototype has enumerable members; remembers the last one that has none. */
function hasMembers(kind: object): boolean {
  for (const _ in kind) return true;
  usual = kind;
  return false;
}

export class Values {
  #lists: unknown[][] = slotList();
  /** The last list. */
  #list: unknown[] | undefined;
  #layouts: SharedLayouts;
  /** The number of values in the lists, layouts included. */
  #kept = 0;
  #released = 0;
  /** Counts calls of `keep`, so that a call notices another one that ran within it. */
  #turn = 0;
  #mapper;
  /** Whether the value that was copied last contains values that JSON does not have. */
  #hasOdd = false;

  constructor(mapper: EntityMapper) {
    this.#mapper = mapper;
    if (!shared || shared.count > LAYOUTS) shared = { root: new Layout(), count: 0 };
    this.#layouts = shared;
  }

  /** Keeps a copy of an entity's values, without id and metadata. Returns its place; `undefined` if the document must be kept as text. */
  keep(entity: Entity, identity?: string): number | undefined {
    let list = this.#list;
    if (list === undefined || list.length > LENGTH) list = this.#open();
    const at = list.length;
    const turn = ++this.#turn;
    try {
      if (this.#makesText(entity)) throw CUSTOM;
      list.push(undefined);
      const layout = this.#add(list, turn, entity, this.#layouts.root, identity, META) as Layout;
      // A getter of the app has called `keep` in between, so the values of two documents are mixed.
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

  /** Adds the members of an object. Returns its layout, a descendant of `root` in the tree of layouts; `undefined` for a dictionary. */
  #add(
    list: unknown[],
    turn: number,
    object: Entity,
    root: Layout,
    identity?: string,
    meta?: string,
  ): Layout | undefined {
    const from = list.length;
    let layout = root;
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
      // Calls itself for most objects: V8 compiles a function that others call again inside of itself.
      else if (kindOf(value) === Object.prototype && !this.#isCustom(value))
        inner = this.#add(list, turn, value as Entity, layout.inside) ?? this.#whole(list, value);
      else inner = this.#inner(list, turn, value, layout.inside);
      const { next } = layout;
      layout =
        next !== undefined && next.name === name && next.inner === inner
          ? next
          : this.#next(layout, name, inner);
    }
    return layout;
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

  /**
   * Adds a date, a list or another value that is not a plain object. Returns its layout, made from descendants of `root` in the tree
   * of layouts, or `DATE` or `ODD`; `undefined` if it is kept as one value.
   */
  #inner(list: unknown[], turn: number, value: object, root: Layout): Layout | undefined {
    if (kindOf(value) === Date.prototype) {
      list.push((value as Date).getTime());
      return DATE;
    }
    const items = Array.isArray(value) ? this.#items(value, turn, root) : undefined;
    if (items === undefined) return this.#whole(list, value);
    list.push(items.values);
    return items.layout.list;
  }

  /** Adds a copy of an object as one value. */
  #whole(list: unknown[], value: object): Layout | undefined {
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
      if (this.#isCustom(item)) return;
      const found = this.#add(values, turn, item as Entity, root);
      if (found === undefined || (layout !== undefined && layout !== found)) return;
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
      // Throws `CUSTOM` if an item has `toJSON`.
      if (collectionOf(value)) this.#copy([...(value as Iterable<unknown>)]);
    }
    const object: Entity = { ...value };
    for (const name in object) {
      const inner = object[name];
      if (typeof inner === "object" && inner !== null) put(object, name, this.#copy(inner));
    }
    return object;
  }

  /**
   * Whether an object is, or may be, more than a plain object: a date, a set, an instance of a class. Throws `CUSTOM` if it has to be
   * kept as text.
   */
  #isCustom(value: object): boolean {
    const kind = kindOf(value);
    if (kind === Date.prototype) return true;
    if (this.#makesText(value)) throw CUSTOM;
    if (kind === Object.prototype && !this.#mapper.hasLiterals && !Object.hasOwn(value, "constructor"))
      return false;
    return this.#mapper.isOdd(value) || kind !== Object.prototype;
  }

  /**
   * Whether an object has `toJSON`, or inherits enumerable members, which `for … in` would list although they are not part of the
   * document. Do not read `object.toJSON` here: V8 would compile code for each hidden class.
   */
  #makesText(object: object): boolean {
    if (Object.hasOwn(object, "toJSON")) return true;
    const kind = kindOf(object);
    if (kind === Object.prototype || kind === null) return false;
    return "toJSON" in kind || (kind !== usual && hasMembers(kind));
  }

  /** Whether the entity has the values at this place. */
  has(place: number, entity: Entity, identity: string | undefined): boolean {
    if (this.#makesText(entity)) return false;
    const list = this.#lists[place >>> BITS] as unknown[];
    const at = place & MASK;
    if (fits(list, list[at] as Layout, at + 1, entity, this.#mapper, identity, META)) return true;
    // The order of members may differ.
    return alike(entity, this.object(place), identity, META);
  }

  /** The layout of the values at this place. */
  layout(place: number): Layout {
    return (this.#lists[place >>> BITS] as unknown[])[place & MASK] as Layout;
  }

  /** The values at this place as an object of JSON values. */
  object(place: number): Entity {
    const list = this.#lists[place >>> BITS] as unknown[];
    const at = place & MASK;
    return objectOf(list, list[at] as Layout, at + 1, this.#mapper);
  }

  /** The values at this place are no longer needed. */
  release(place: number): void {
    this.#released += this.layout(place).size + 1;
  }

  /** Frees released values if they are more than half of all. `places`: all places in use; they are updated. */
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
      const list = this.#list === undefined || this.#list.length > LENGTH ? this.#open() : this.#list;
      places[index] = ((this.#lists.length - 1) << BITS) | list.length;
      for (let next = at; next <= at + (from[at] as Layout).size; next++) list.push(from[next]);
    });
  }
}
