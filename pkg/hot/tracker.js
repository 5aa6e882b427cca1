// Holds the entities of a session and what was last sent of them, by slot. Rust decides what is sent.

import { META, same, Values } from "./values.js";

const encoder = new TextEncoder();

/** Metadata that the server makes: an app does not change them. */
export const SERVERS = new Set([
  "@id",
  "@change-vector",
  "@last-modified",
  "@collection",
  "@flags",
  "@etag",
  "@index-score",
  "@counters",
]);

/** Document ids do not differ by case in RavenDB. */
export const fold = (id) => id.toLowerCase();

/** Whether a double holds every digit of a number. */
function isExact(literal) {
  const digits = (text) =>
    text
      .replace(/e.*/i, "")
      .replace(/[-.]/g, "")
      .replace(/^0+|0+$/g, "");
  const held = Number(literal);
  return Number.isFinite(held) && digits(literal) === digits(String(held));
}

/** The id of a document as Rust counts them; a part of one is none. */
export function idOf(value) {
  const meta = value?.[META];
  if (meta?.["@projection"] === true) return;
  if (typeof meta?.["@id"] === "string" && typeof meta["@change-vector"] === "string") return meta["@id"];
}

export class Tracker {
  #slots = new Map();
  /** Slots by id, of those below `#indexed`: most sessions never ask. */
  #byId = new Map();
  #indexed = 0;
  /** Whether there are other documents than new ones under ids of ours, all different. */
  #mixed = false;
  /** Slots whose ids the server will make. */
  #pending = new Set();
  #entities = [];
  #names = [];
  /** Where the values are, or the text of what makes its own. */
  #was = [];
  #values;
  /** Metadata of the app, where there is any. */
  #wasMeta = new Map();
  #sent = [];
  #sentWas = [];
  #sentMeta = new Map();
  #text = "";
  #identity;
  #identityOf;
  #shape;
  #deleted = new Set();
  #ignored = new Set();
  #hidden = new Set();
  #made = [];
  #body = [];
  #numbers = new Map();
  /** Ids, in lower case, that are known to have no document, or that are to be deleted. */
  missing = new Set();
  /** Whether the documents that were adopted last are those that were wanted, one by one. */
  asWanted = false;

  /**
   * `identity` is the property that shows entities their ids, or a function that names it for each; `shape` knows values
   * that JSON cannot show.
   */
  constructor(identity, shape) {
    if (typeof identity === "function") this.#identityOf = identity;
    else this.#identity = identity;
    this.#shape = shape;
    this.#values = new Values((value) => shape.isOdd(value));
  }

  get #ids() {
    for (; this.#indexed < this.#entities.length; this.#indexed++)
      if (this.isNamed(this.#indexed)) this.#byId.set(fold(this.#names[this.#indexed]), this.#indexed);
    return this.#byId;
  }

  slot(id) {
    return this.slotOfKey(fold(id));
  }

  /** The slot of an id whose case is folded already. */
  slotOfKey(key) {
    return this.#ids.get(key) ?? -1;
  }

  slotOf(entity) {
    return this.#slots.get(entity) ?? -1;
  }

  /** The id that the session knows the entity by, whatever the entity says now. */
  idOf(entity) {
    return this.#names[this.#slots.get(entity)] || null;
  }

  idAt(slot) {
    return this.#names[slot];
  }

  at(slot) {
    return this.#entities[slot];
  }

  /** The slots in use. */
  *slots() {
    for (let slot = 0; slot < this.#entities.length; slot++) {
      if (this.#entities[slot] !== undefined) yield slot;
    }
  }

  /** `pending`: the server will make the id, of which this is the beginning. */
  put(slot, id, entity, pending = false) {
    this.add(slot, id, entity);
    this.#mixed = true;
    if (pending) this.#pending.add(slot);
  }

  /** A new document under an id of ours, which `has` does not know. */
  add(slot, id, entity) {
    this.#occupy(slot, entity);
    this.#names[slot] = id;
    if (this.missing.size > 0) this.missing.delete(fold(id));
  }

  /** Whether an id that was made for a new document is here already: somebody has chosen it. */
  has(id) {
    return this.#mixed && this.slot(id) >= 0;
  }

  #occupy(slot, entity) {
    this.#slots.set(entity, slot);
    this.#entities[slot] = entity;
  }

  /** Whether the id of a slot is final. */
  isNamed(slot) {
    return this.#names[slot] !== undefined && !this.#pending.has(slot);
  }

  /** The server has made the id of a slot. */
  name(slot, id) {
    this.#made.push(slot);
    this.#pending.delete(slot);
    this.#names[slot] = id;
    if (slot < this.#indexed) this.#byId.set(fold(id), slot);
  }

  /** Slots of the last batch whose ids the server has made. */
  get made() {
    return this.#made;
  }

  /** The session is done with a document; its id may be missing from now on. */
  drop(slot) {
    if (slot < this.#indexed && this.isNamed(slot)) this.#byId.delete(fold(this.#names[slot]));
    this.#slots.delete(this.#entities[slot]);
    this.#release(this.#was[slot]);
    for (const list of [this.#entities, this.#names, this.#was]) list[slot] = undefined;
    for (const set of [
      this.#deleted,
      this.#ignored,
      this.#hidden,
      this.#wasMeta,
      this.#numbers,
      this.#pending,
    ])
      set.delete(slot);
  }

  delete(slot) {
    this.#deleted.add(slot);
  }

  isDeleted(slot) {
    return this.#deleted.has(slot);
  }

  /** Slots that are to be deleted. */
  get deleted() {
    return [...this.#deleted];
  }

  ignore(slot) {
    this.#ignored.add(slot);
  }

  /** What an answer included shows itself when it is loaded. */
  show(slot) {
    if (this.#hidden.size > 0) this.#hidden.delete(slot);
    return this.#entities[slot];
  }

  /** Another object takes the place of an entity that nobody has seen yet. */
  replace(slot, entity) {
    this.#slots.delete(this.#entities[slot]);
    this.#occupy(slot, entity);
  }

  isHidden(slot) {
    return this.#hidden.has(slot);
  }

  /** Whether nothing is known of any document. */
  get isBlank() {
    return this.#entities.length === 0 && this.missing.size === 0;
  }

  isNew(slot) {
    return this.#was[slot] === undefined;
  }

  /** Ids of documents that were never sent. */
  unsaved() {
    return [...this.slots()].filter((slot) => this.isNew(slot)).map((slot) => this.#names[slot]);
  }

  isChanged(slot) {
    const was = this.#was[slot];
    return was === undefined || !this.#unchanged(this.#entities[slot], was, this.#wasMeta.get(slot));
  }

  #unchanged(entity, was, wasMeta) {
    const meta = entity[META];
    if (meta !== undefined && !same(this.#own(meta), wasMeta)) return false;
    if (meta === undefined && wasMeta !== undefined) return false;
    if (typeof was === "number" && this.#values.has(was, entity, this.#identityIn(entity))) return true;
    return this.#shown(entity) === this.#write(was);
  }

  #identityIn(entity) {
    return this.#identityOf ? this.#identityOf(entity) : this.#identity;
  }

  #write(was) {
    return typeof was === "string" ? was : JSON.stringify(this.#values.object(was));
  }

  /** The text of an entity as it is sent, without id and metadata. */
  #shown(entity) {
    return JSON.stringify(this.#shape.document(entity).document);
  }

  /** The part of the metadata that is the app's; `undefined` when there is none. */
  #own(meta) {
    let own;
    for (const key in meta) {
      if (SERVERS.has(key)) continue;
      own ??= {};
      own[key] = meta[key];
    }
    return own;
  }

  /** What the server has of a document is what its entity shows now. */
  settle(slot) {
    const entity = this.#entities[slot];
    const was = this.#values.keep(entity, this.#identityIn(entity)) ?? this.#shown(entity);
    this.#settle(slot, was, this.#snapshotMeta(entity));
  }

  #snapshotMeta(entity) {
    const own = this.#own(entity[META]);
    return own && JSON.parse(JSON.stringify(own));
  }

  #settle(slot, was, meta) {
    this.#release(this.#was[slot]);
    this.#was[slot] = was;
    if (meta) this.#wasMeta.set(slot, meta);
    else if (this.#wasMeta.size > 0) this.#wasMeta.delete(slot);
  }

  #release(was) {
    if (typeof was === "number") this.#values.release(was);
  }

  /** What the document was, without metadata; `undefined` for one that was never sent. */
  before(slot) {
    return this.#read(this.#was[slot]);
  }

  #read(was) {
    return typeof was === "number" ? this.#values.object(was) : was && JSON.parse(was);
  }

  /** What the document is now, without metadata. */
  now(slot) {
    return JSON.parse(this.#shown(this.#entities[slot]));
  }

  any() {
    if (this.#deleted.size > 0) return true;
    for (let slot = 0; slot < this.#entities.length; slot++) if (this.#isToBeSent(slot)) return true;
    return false;
  }

  /** Slots whose entity differs from what was last sent or loaded. */
  changed() {
    const changed = [];
    for (let slot = 0; slot < this.#entities.length; slot++) {
      if (this.#isToBeSent(slot)) changed.push(slot);
    }
    return changed;
  }

  #isToBeSent(slot) {
    if (this.#entities[slot] === undefined || !this.isChanged(slot)) return false;
    return !this.#ignored.has(slot) && !this.#deleted.has(slot);
  }

  /** Before the first text of a batch. */
  begin() {
    for (const was of this.#sentWas) this.#release(was);
    this.#forgetSent();
    this.#values.compact(this.#was);
    this.#made = [];
    this.#body = [];
  }

  #forgetSent() {
    this.#sent = [];
    this.#sentWas = [];
    this.#sentMeta.clear();
  }

  /**
   * Makes the text `[entity, …]` and gives its length; what it says is remembered until `accept`. `convert` makes
   * another document of an entity, if the app wants to.
   */
  text(slots, convert) {
    const documents = Array.from(slots, (slot) => {
      const entity = this.#entities[slot];
      // The app's own code, in a getter of another entity, has taken it out.
      if (entity === undefined) return null;
      const was = this.#values.keep(entity, this.#identityIn(entity));
      // The app's own code makes the text: once, for what is sent and for what is compared later.
      const shaped = was === undefined ? this.#shape.document(entity) : undefined;
      this.#sent.push(slot);
      this.#sentWas.push(was ?? JSON.stringify(shaped.document));
      const meta = this.#snapshotMeta(entity);
      if (meta) this.#sentMeta.set(slot, meta);
      const document = shaped
        ? { ...shaped.document, [META]: { ...entity[META], ...shaped.metadata } }
        : entity;
      return convert ? convert(slot, document) : document;
    });
    this.#text = JSON.stringify(documents);
    return this.#text.length;
  }

  /** Writes that text into wasm memory (room for 3 bytes a unit) and gives the bytes written. */
  fill(memory) {
    return encoder.encodeInto(this.#text, memory).written;
  }

  /** Keeps a part of a batch, copied out of wasm memory. */
  part(text) {
    this.#body.push(text.slice());
  }

  /** The whole batch, once. */
  body() {
    const parts = this.#body.splice(0);
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  /** What was sent last for these slots. */
  pick(slots) {
    const was = slots.map((slot) => this.#read(this.#sentWas[this.#sent.indexOf(slot)]));
    return { slots, was, meta: slots.map((slot) => this.#sentMeta.get(slot)) };
  }

  /** Whether a document of an answer says what was sent for a slot. */
  hasSent(sent, slot, document) {
    const at = sent.slots.indexOf(slot);
    const { [META]: found, ...rest } = document;
    const text = JSON.parse(JSON.stringify([sent.was[at], sent.meta[at] ?? null]));
    return same([rest, this.#app(found) ?? null], text);
  }

  /** Metadata of the app; the class is noted by us. */
  #app(meta) {
    const { "Raven-Node-Type": _, "@nested-object-types": __, ...rest } = meta;
    return this.#own(rest);
  }

  /** What was sent last is what the server has. */
  accept() {
    this.#sent.forEach((slot, at) => this.#settle(slot, this.#sentWas[at], this.#sentMeta.get(slot)));
    this.#forgetSent();
  }

  /** What was picked before is what the server has. */
  acceptPicked({ slots, was, meta }) {
    slots.forEach((slot, at) =>
      this.#settle(slot, this.#values.keep(was[at]) ?? JSON.stringify(was[at]), meta[at]),
    );
  }

  /** A document has a number that may have lost digits. */
  number(slot, literal) {
    if (isExact(literal)) return;
    const numbers = this.#numbers.get(slot) ?? [];
    this.#numbers.set(slot, numbers);
    numbers.push(literal);
  }

  /** The same numbers, for a document that was read again. */
  renumber(slot, from) {
    const numbers = this.#numbers.get(from);
    this.#numbers.delete(from);
    if (numbers) this.#numbers.set(slot, numbers);
    else this.#numbers.delete(slot);
  }

  get hasNumbers() {
    return this.#numbers.size > 0;
  }

  /** Numbers of a document that JavaScript cannot hold, as they were written. */
  numbers(slot) {
    return this.#numbers.get(slot);
  }

  /**
   * Documents become entities of the session, the first of `count` under the slot `base`; gives them in order, `null` for
   * those that do not exist, or nothing at all where Rust has counted others. `convert` makes an entity of a document;
   * `included`: nobody has asked for them. `wanted`: they were asked for by these ids, all different and not known before.
   */
  adopt({ documents, base, count, included }, convert, wanted) {
    // One way through them: whatever is looked at is far away in memory.
    const entities = [];
    let isFirst = this.#entities.length === 0;
    const seen = new Set();
    let slot = base;
    if (!included) this.asWanted = documents.length === wanted?.length;
    this.#mixed = true;
    for (let at = 0; at < documents.length; at++) {
      const document = documents[at];
      const id = idOf(document);
      if (id === undefined) {
        entities.push(null);
        continue;
      }
      // The first documents of a session are not looked up among each other, until two are alike.
      if (isFirst) isFirst = wanted ? id === wanted[at] : seen.size < seen.add(id).size;
      if (!included && id !== wanted?.[at]) this.asWanted = false;
      entities.push(this.#take(slot++, id, document, convert, included, isFirst));
    }
    if (slot - base === count) return entities;
    for (const entity of entities) if (entity && this.slotOf(entity) >= base) this.drop(this.slotOf(entity));
  }

  /** `isNew`: the id is not known. */
  #take(slot, id, document, convert, included, isNew) {
    const known = isNew ? -1 : this.slot(id);
    if (known >= 0) {
      this.#numbers.delete(slot);
      return included ? null : this.show(known);
    }
    const entity = convert(document);
    // What is to be deleted, or was not there, stays so for `load`.
    this.#occupy(slot, entity);
    this.#names[slot] = id;
    this.settle(slot);
    if (included) this.#hidden.add(slot);
    return entity;
  }
}
