// What was last sent or loaded of a session's documents: their values, one after the other in a few lists. An object for
// each document would be most of what a session weighs, and comparing here is many times faster than any scheme over
// text.

export const META = "@metadata";
/** The name of an entity's class, by which npm `ravendb` makes an instance of it again. */
export const CLASS = "Raven-Node-Type";
/** Where the classes of values inside an entity are noted. */
export const NESTED = "@nested-object-types";

/** Thrown where a document is to be kept as its text: a value makes its own (`toJSON`, a `Map`), or no two are alike. */
const CUSTOM = Symbol();

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
export function idOf(value) {
  const meta = value?.[META];
  if (meta?.["@projection"] === true) return;
  if (typeof meta?.["@id"] === "string" && typeof meta["@change-vector"] === "string") return meta["@id"];
}

const kindOf = Object.getPrototypeOf;

/** Sets a member, also one called `__proto__`, which is no more than a name; gives whether the object takes it. */
export function put(object, name, value) {
  if (name !== "__proto__") return Reflect.set(object, name, value);
  return Reflect.defineProperty(object, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

export function same(a, b) {
  if (a === b) return true;
  // NaN, like every value, equals itself here: else its document would be sent for ever.
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  // A `Map` has no members, and is more than an object that has none: its text decides.
  if (a.toJSON !== undefined || kindOf(a) !== kindOf(b)) return false;
  // A member without a value is not sent, and none.
  let left = 0;
  for (const key in a) {
    const value = a[key];
    if (value === undefined) continue;
    if (!same(value, b[key])) return false;
    left++;
  }
  for (const key in b) if (b[key] !== undefined) left--;
  return left === 0 && a.length === b.length;
}

/** The names of an object's members in order; documents that are alike share one. */
class Layout {
  /** How many values it has. */
  size = 0;
  #before;
  #name;
  #inner;
  #next;
  #others;
  #members;

  /** `inner`: the layout of the last member's own members, if it is an object. */
  constructor(before, name, inner) {
    this.#before = before;
    this.#name = name;
    this.#inner = inner;
    if (before) this.size = before.size + (inner ? inner.size : 1);
  }

  /** This one and one member more; `made` is called for one that was not there before. */
  and(name, inner, made) {
    const next = this.#next;
    if (next !== undefined && next.#name === name && next.#inner === inner) return next;
    let found = this.#others?.find((other) => other.#name === name && other.#inner === inner);
    if (!found) {
      found = new Layout(this, name, inner);
      this.#others ??= [];
      this.#others.push(found);
      made();
    }
    this.#next = found;
    return found;
  }

  /** The names in order, and for each the layout of its value's members, `undefined` for what is one value. */
  get members() {
    this.#members ??= this.#list();
    return this.#members;
  }

  #list() {
    const [names, inners] = [[], []];
    for (let at = this; at.#before; at = at.#before) {
      names.unshift(at.#name);
      inners.unshift(at.#inner);
    }
    return { names, inners };
  }
}

export class Values {
  #lists = [];
  /** The last of them. */
  #list;
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
  /** The class that was last found to share no members. */
  #checked = null;

  /** `isOdd` knows values that JSON cannot show; `asksOften`: also plain objects may be some. */
  constructor(isOdd, asksOften) {
    this.#isOdd = isOdd;
    this.#asksOften = asksOften;
  }

  /** Keeps a copy of an entity's values, without id and metadata; `undefined` where something makes its own text. */
  keep(entity, identity) {
    const list = this.#open();
    const at = list.length;
    const turn = ++this.#turn;
    try {
      if (entity.toJSON !== undefined || this.#inherits(entity)) throw CUSTOM;
      list.push(undefined);
      const layout = this.#add(list, turn, entity, identity, META);
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

  #open() {
    if (this.#list === undefined || this.#list.length > MASK) {
      this.#list = [];
      this.#lists.push(this.#list);
    }
    return this.#list;
  }

  #add(list, turn, object, identity, meta) {
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
      let inner;
      if (typeof value !== "object" || value === null) list.push(value);
      else {
        if (!Array.isArray(value)) inner = this.#add(list, turn, this.#plain(value));
        if (inner === undefined) list.push(this.#copy(value));
      }
      layout = layout.and(name, inner, this.#made);
    }
    return layout;
  }

  #plain(value) {
    if (value.toJSON !== undefined || this.#inherits(value)) throw CUSTOM;
    if ((this.#asksOften || value.constructor !== Object) && this.#isOdd(value)) throw CUSTOM;
    return value;
  }

  #copy(value) {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.#copy(item));
    const object = {};
    for (const name in this.#plain(value)) {
      if (name === "__proto__") put(object, name, this.#copy(value[name]));
      else object[name] = this.#copy(value[name]);
    }
    return object;
  }

  /** Whether a class shares members that `for … in` finds, and that are none of its documents'. */
  #inherits(object) {
    const kind = kindOf(object);
    if (kind === Object.prototype || kind === this.#checked) return false;
    for (const _ in kind) return true;
    this.#checked = kind;
    return false;
  }

  /** Whether the entity has the values that were kept at this place. */
  has(place, entity, identity) {
    if (entity.toJSON !== undefined) return false;
    const list = this.#lists[place >>> BITS];
    const at = place & MASK;
    if (this.#fits(list, list[at], at + 1, entity, identity, META)) return true;
    // Its members may have another order.
    return alike(entity, this.object(place), identity);
  }

  #fits(list, layout, from, object, identity, meta) {
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
        if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
        if (value.toJSON !== undefined || kindOf(value) !== Object.prototype) return false;
        if (!this.#fits(list, inner, at, value)) return false;
        at += inner.size;
      }
    }
    return member === count;
  }

  /** The values as an object. */
  object(place) {
    const list = this.#lists[place >>> BITS];
    const at = place & MASK;
    return this.#object(list, list[at], at + 1);
  }

  #object(list, layout, from) {
    const { names, inners } = layout.members;
    const object = {};
    let at = from;
    names.forEach((name, member) => {
      const inner = inners[member];
      put(object, name, inner ? this.#object(list, inner, at) : list[at]);
      at += inner ? inner.size : 1;
    });
    return object;
  }

  /** The values at this place are no longer needed. */
  release(place) {
    this.#released += this.#lists[place >>> BITS][place & MASK].size + 1;
  }

  /** Closes the gaps once they are most of all; `places`: all that is needed, which move. */
  compact(places) {
    if (this.#released * 2 <= this.#kept) return;
    const lists = this.#lists;
    this.#lists = [];
    this.#list = undefined;
    this.#kept -= this.#released;
    this.#released = 0;
    places.forEach((place, index) => {
      if (typeof place !== "number") return;
      const [from, at] = [lists[place >>> BITS], place & MASK];
      const list = this.#open();
      places[index] = ((this.#lists.length - 1) << BITS) | list.length;
      for (let next = at; next <= at + from[at].size; next++) list.push(from[next]);
    });
  }
}

function alike(entity, was, identity) {
  let left = 0;
  for (const name in entity) {
    if (name === identity || name === META) continue;
    // Once: it may be a getter of the app.
    const value = entity[name];
    if (value === undefined) continue;
    if (!same(value, was[name])) return false;
    left++;
  }
  for (const name in was) if (was[name] !== undefined) left--;
  return left === 0;
}
