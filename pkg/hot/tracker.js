// Holds the entities of a session and their last sent values, by slot: comparing kept values here is four to six
// times faster than any scheme over text. Rust decides what is sent.

const CUSTOM = Symbol();
const META = "@metadata";
const encoder = new TextEncoder();
const decoder = new TextDecoder();

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

function same(a, b) {
  if (a === b) return true;
  // NaN, like every value, equals itself here: else its document would be sent for ever.
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  if (a.toJSON !== undefined) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  let left = 0;
  for (const key in a) {
    if (!same(a[key], b[key])) return false;
    left++;
  }
  for (const _ in b) left--;
  return left === 0 && a.length === b.length;
}

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

/** Whether this is a document as Rust counts them. */
function isDocument(value) {
  const meta = value?.[META];
  return typeof meta?.["@id"] === "string" && typeof meta["@change-vector"] === "string";
}

export class Tracker {
  #slots = new Map();
  #ids = new Map();
  #entities = [];
  #names = [];
  #was = [];
  /** Metadata of the app, where there is any. */
  #wasMeta = new Map();
  #sent = [];
  #sentWas = [];
  #sentMeta = [];
  #text = "";
  #parts = [];
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

  /**
   * `identity` is the property that shows entities their ids, or a function that names it for each; `shape` knows values
   * that JSON cannot show.
   */
  constructor(identity, shape) {
    if (typeof identity === "function") this.#identityOf = identity;
    else this.#identity = identity;
    this.#shape = shape;
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
    if (!pending) return this.add(slot, id, fold(id), entity);
    this.#occupy(slot, entity);
    this.#names[slot] = id;
  }

  /** A new document under a final id, whose case is folded in `key`. */
  add(slot, id, key, entity) {
    this.#occupy(slot, entity);
    this.#name(slot, id, key);
    this.missing.delete(key);
  }

  #occupy(slot, entity) {
    this.#slots.set(entity, slot);
    this.#entities[slot] = entity;
  }

  /** Whether the id of a slot is final. */
  isNamed(slot) {
    const name = this.#names[slot];
    return name !== undefined && this.slot(name) === slot;
  }

  /** The server has made the id of a slot. */
  name(slot, id) {
    this.#made.push(slot);
    this.#name(slot, id, fold(id));
  }

  /** Slots of the last batch whose ids the server has made. */
  get made() {
    return this.#made;
  }

  #name(slot, id, key) {
    this.#names[slot] = id;
    this.#ids.set(key, slot);
  }

  /** The session is done with a document; its id may be missing from now on. */
  drop(slot) {
    if (this.isNamed(slot)) this.#ids.delete(fold(this.#names[slot]));
    this.#slots.delete(this.#entities[slot]);
    for (const list of [this.#entities, this.#names, this.#was]) list[slot] = undefined;
    for (const set of [this.#deleted, this.#ignored, this.#hidden, this.#wasMeta, this.#numbers])
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
    return typeof was === "object" && this.#alike(entity, was)
      ? true
      : this.#shown(entity) === this.#write(was);
  }

  #alike(entity, was) {
    if (entity.toJSON !== undefined) return false;
    const identity = this.#identityOf ? this.#identityOf(entity) : this.#identity;
    let left = 0;
    for (const key in entity) {
      if (key === identity || key === META) continue;
      if (!same(entity[key], was[key])) return false;
      left++;
    }
    for (const _ in was) left--;
    return left === 0;
  }

  #write(was) {
    return typeof was === "string" ? was : JSON.stringify(was);
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

  /** What is compared later: the values, or the text where something (a `Date`) makes its own. */
  #snapshot(entity) {
    return this.#values(entity) ?? this.#shown(entity);
  }

  /** A copy of the values, `undefined` where something makes its own text. */
  #values(entity) {
    try {
      if (entity.toJSON !== undefined) throw CUSTOM;
      const was = {};
      const identity = this.#identityOf ? this.#identityOf(entity) : this.#identity;
      for (const key in entity) {
        if (key !== identity && key !== META) was[key] = this.#copy(entity[key]);
      }
      return was;
    } catch (error) {
      if (error !== CUSTOM) throw error;
    }
  }

  #copy(value) {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.#copy(item));
    if (value.toJSON !== undefined || (value.constructor !== Object && this.#shape.isOdd(value)))
      throw CUSTOM;
    const object = {};
    for (const key in value) object[key] = this.#copy(value[key]);
    return object;
  }

  /** What the server has of a document is what its entity shows now. */
  settle(slot) {
    this.#settle(slot, this.#snapshot(this.#entities[slot]), this.#snapshotMeta(this.#entities[slot]));
  }

  #snapshotMeta(entity) {
    const own = this.#own(entity[META]);
    return own && JSON.parse(JSON.stringify(own));
  }

  #settle(slot, was, meta) {
    this.#was[slot] = was;
    if (meta) this.#wasMeta.set(slot, meta);
    else if (this.#wasMeta.size > 0) this.#wasMeta.delete(slot);
  }

  /** What the document was, without metadata; `undefined` for one that was never sent. */
  before(slot) {
    const was = this.#was[slot];
    return typeof was === "string" ? JSON.parse(was) : was;
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
    this.#sent = [];
    this.#sentWas = [];
    this.#sentMeta = [];
    this.#made = [];
    this.#body = [];
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
      const values = this.#values(entity);
      // The app's own code makes the text: once, for what is sent and for what is compared later.
      const shaped = values ? undefined : this.#shape.document(entity);
      this.#sent.push(slot);
      this.#sentWas.push(values ?? JSON.stringify(shaped.document));
      this.#sentMeta.push(this.#snapshotMeta(entity));
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

  /** What was sent last. */
  get sent() {
    return { slots: this.#sent, was: this.#sentWas, meta: this.#sentMeta };
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

  /** The part of it that is about these slots. */
  pick(slots) {
    const at = slots.map((slot) => this.#sent.indexOf(slot));
    return {
      slots,
      was: at.map((place) => this.#sentWas[place]),
      meta: at.map((place) => this.#sentMeta[place]),
    };
  }

  /** Whether a document of an answer says what was sent for a slot. */
  hasSent(sent, slot, document) {
    const at = sent.slots.indexOf(slot);
    const [was, meta] = [sent.was[at], sent.meta[at]];
    const { [META]: found, ...rest } = document;
    const text = JSON.parse(JSON.stringify([typeof was === "string" ? JSON.parse(was) : was, meta ?? null]));
    return same([rest, this.#app(found) ?? null], text);
  }

  /** Metadata of the app; the class is noted by us. */
  #app(meta) {
    const { "Raven-Node-Type": _, "@nested-object-types": __, ...rest } = meta;
    return this.#own(rest);
  }

  accept(sent = this.sent) {
    for (let at = 0; at < sent.slots.length; at++) this.#settle(sent.slots[at], sent.was[at], sent.meta[at]);
  }

  /** The text of an answer's documents, copied out of wasm memory before anything can grow it. */
  keep(results, base, count, included) {
    this.#parts.push([decoder.decode(results), base, count, included]);
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
   * The documents become entities, all in one `JSON.parse`; gives the entities of each answer in order, `null` for those
   * that do not exist. `convert` makes an entity of a document; `track`: whether the session knows it from now on.
   * RavenDB may store what is no JSON (`1.`): then none is taken.
   */
  parse(convert, track) {
    const parts = this.#parts.splice(0).map(([text, ...rest]) => [JSON.parse(text) ?? [], ...rest]);
    const answers = [];
    for (const [documents, base, count, included] of parts) {
      if (documents.filter(isDocument).length !== count) throw new SyntaxError("documents without an id");
      let slot = base;
      const entities = documents.map((document) => {
        if (!isDocument(document)) return null;
        // Only for what was asked for the app may have named a class.
        const at = included ? -1 : answers.length;
        return track ? this.#take(document, slot++, at, convert) : convert(document, at);
      });
      if (!included) answers.push(entities);
    }
    return answers;
  }

  /** The documents themselves, with the slots that the core gave them. */
  documents() {
    return this.#parts.splice(0).flatMap(([text, base]) => {
      let slot = base;
      const documents = (JSON.parse(text) ?? []).filter(isDocument);
      return documents.map((document) => [document, slot++]);
    });
  }

  #take(document, slot, at, convert) {
    const id = document[META]["@id"];
    const key = fold(id);
    const known = this.slotOfKey(key);
    if (known >= 0) {
      this.#numbers.delete(slot);
      return at < 0 ? null : this.show(known);
    }
    const entity = convert(document, at);
    // What is to be deleted, or was not there, stays so for `load`.
    this.#occupy(slot, entity);
    this.#name(slot, id, key);
    this.settle(slot);
    if (at < 0) this.#hidden.add(slot);
    return entity;
  }
}
