// Holds the entities of a session and what was last sent of them, by slot. Rust decides what is sent.

import { idOf, META, same, Values } from "./values.js";

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
  /** What the server says of documents that were only loaded; the core knows it of others. */
  #vectors = [];
  #times = [];
  /** The last of them. */
  #time;
  #collections = [];
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

  /** The slot of the next document. */
  get next() {
    return this.#entities.length;
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
    this.handOver(slot);
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

  /** Change vector, time of the last change and collection of a document that was only loaded. */
  stamp(slot) {
    const vector = this.#vectors[slot];
    return vector === undefined ? undefined : [vector, this.#times[slot], this.#collections[slot]];
  }

  /** Notes what the server says now of a document that was only loaded; `false` for any other. */
  restamp(slot, vector, time) {
    if (this.#vectors[slot] === undefined) return false;
    this.#vectors[slot] = vector;
    this.#times[slot] = time;
    return true;
  }

  /** The stamp of a document of which the core hears now. */
  handOver(slot) {
    const stamp = this.stamp(slot);
    if (stamp) for (const list of [this.#vectors, this.#times, this.#collections]) list[slot] = undefined;
    return stamp;
  }

  /** Notes the numbers of a document that JavaScript cannot hold, if it has any. */
  setNumbers(slot, literals) {
    if (literals) this.#numbers.set(slot, literals);
    else if (this.#numbers.size > 0) this.#numbers.delete(slot);
  }

  get hasNumbers() {
    return this.#numbers.size > 0;
  }

  /** Numbers of a document that JavaScript cannot hold, as they were written. */
  numbers(slot) {
    return this.#numbers.get(slot);
  }

  /**
   * Documents become entities of the session; gives them in order, `null` for those that do not exist. `convert` makes an
   * entity of a document; `numbers`: see `inexact`. `wanted`: they were asked for by these ids, all different and not known
   * before.
   */
  adopt(documents, convert, numbers, wanted) {
    // One way through them: whatever is looked at is far away in memory.
    const entities = [];
    let isFirst = this.next === 0;
    const seen = new Set();
    this.asWanted = documents.length === wanted?.length;
    this.#mixed = true;
    // One allocation for all of them: lists that grow one by one are a third larger than they need to be.
    for (const list of [this.#names, this.#was, this.#vectors, this.#times, this.#collections])
      list.length = this.next + documents.length;
    for (let at = 0; at < documents.length; at++) {
      const document = documents[at];
      const id = idOf(document);
      if (id === undefined) {
        entities.push(null);
        continue;
      }
      // The first documents of a session are not looked up among each other, until two are alike.
      if (isFirst) isFirst = wanted ? id === wanted[at] : seen.size < seen.add(id).size;
      if (id !== wanted?.[at]) this.asWanted = false;
      const known = isFirst ? -1 : this.slot(id);
      entities.push(
        known < 0 ? this.#entities[this.#take(id, document, convert, numbers)] : this.show(known),
      );
    }
    return entities;
  }

  /** Documents that nobody has asked for become entities, which show themselves when they are loaded. */
  include(documents, convert, numbers) {
    this.#mixed = true;
    for (const document of documents) {
      const id = idOf(document);
      if (id !== undefined && this.slot(id) < 0) this.#hidden.add(this.#take(id, document, convert, numbers));
    }
  }

  #take(id, document, convert, numbers) {
    const metadata = document[META];
    const { "@change-vector": vector, "@collection": collection } = metadata;
    // Documents that were saved together say the same time: one text for all of them.
    const time = metadata["@last-modified"];
    if (time === this.#time) metadata["@last-modified"] = this.#time;
    else this.#time = time;
    const entity = convert(document);
    const slot = this.next;
    // What is to be deleted, or was not there, stays so for `load`.
    this.#occupy(slot, entity);
    this.#names[slot] = id;
    this.#vectors[slot] = vector;
    this.#times[slot] = this.#time;
    this.#collections[slot] = collection;
    if (numbers.size > 0) this.setNumbers(slot, numbers.get(id));
    this.settle(slot);
    return slot;
  }
}
