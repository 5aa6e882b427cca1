// What the server has of each document of a session: what was last sent or loaded, to be compared with what entities say now.

import { META, NESTED, same, Values } from "./values.js";

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

export class Snapshots {
  /** By slot: where the values are, or the text of what makes its own. */
  #was = [];
  /** Metadata of the app, where there is any. */
  #metadata = new Map();
  /** Notes of the classes of values inside, of documents that were saved with such. */
  #notes = new Map();
  #values;
  #identity;
  #identityOf;
  #shape;

  /**
   * `identity` is the property that shows entities their ids, or a function that names it for each; `shape` knows values
   * that JSON cannot show.
   */
  constructor(identity, shape) {
    if (typeof identity === "function") this.#identityOf = identity;
    else this.#identity = identity;
    this.#shape = shape;
    this.#values = new Values((value) => shape.isOdd(value), shape.hasLiterals);
  }

  /** The property that shows an entity its id, which is not stored. */
  identityIn(entity) {
    return this.#identityOf ? this.#identityOf(entity) : this.#identity;
  }

  /** Makes room, in one allocation. */
  reserve(length) {
    this.#was.length = length;
  }

  /** Whether the document was sent or loaded. */
  has(slot) {
    return this.#was[slot] !== undefined;
  }

  isChanged(slot, entity) {
    const was = this.#was[slot];
    if (was === undefined) return true;
    return !this.#unchanged(entity, was, this.#metadata.size > 0 ? this.#metadata.get(slot) : undefined);
  }

  #unchanged(entity, was, metadata) {
    // A date, too, is in metadata what JSON shows of it.
    if (!same(ofApp(entity[META]), metadata) && !same(this.metadata(entity), metadata)) return false;
    if (typeof was === "number" && this.#values.has(was, entity, this.identityIn(entity))) return true;
    const now = this.text(entity);
    if (typeof was !== "string") return now === JSON.stringify(this.#values.object(was));
    // Its members may have another order.
    return now === was || same(JSON.parse(now), JSON.parse(was));
  }

  /** The text of an entity, without id and metadata. */
  text(entity) {
    return JSON.stringify(this.#shape.document(entity).document);
  }

  /** Keeps what an entity says now; `undefined` where the app's own code makes its text. */
  keep(entity) {
    return this.#values.keep(entity, this.identityIn(entity));
  }

  /** Keeps what has no code of the app in it. */
  keepPlain(document) {
    return this.#values.keep(document) ?? JSON.stringify(document);
  }

  /** The app's part of an entity's metadata, as it is now. */
  metadata(entity) {
    const own = ofApp(entity[META]);
    return own && JSON.parse(JSON.stringify(own));
  }

  /** The same, as the server has it. */
  own(slot) {
    return this.#metadata.get(slot);
  }

  /** What the server has of a document is what its entity shows now. */
  settle(slot, entity) {
    this.set(slot, this.keep(entity) ?? this.text(entity), this.metadata(entity));
  }

  /** The notes that a document was saved with, `undefined` for none. */
  notes(slot) {
    return this.#notes.get(slot);
  }

  /** The server has one more member in the metadata of a document. */
  note(slot, name, value) {
    if (this.has(slot)) this.#metadata.set(slot, { ...this.own(slot), [name]: value });
  }

  /** What the server has of a document is what was kept. */
  set(slot, was, metadata, notes) {
    this.release(this.#was[slot]);
    this.#was[slot] = was;
    if (metadata) this.#metadata.set(slot, metadata);
    else if (this.#metadata.size > 0) this.#metadata.delete(slot);
    if (notes) this.#notes.set(slot, notes);
    else if (this.#notes.size > 0) this.#notes.delete(slot);
  }

  /** The session is done with a document. */
  drop(slot) {
    this.set(slot, undefined, undefined);
  }

  /** What the document was, without metadata; `undefined` for one that was never sent. */
  before(slot) {
    return this.read(this.#was[slot]);
  }

  /** The values that were kept, as an object. */
  read(was) {
    return typeof was === "number" ? this.#values.object(was) : was && JSON.parse(was);
  }

  /** What was kept is no longer needed. */
  release(was) {
    if (typeof was === "number") this.#values.release(was);
  }

  /** Takes back the memory of what was released. */
  compact() {
    this.#values.compact(this.#was);
  }
}

/** The part of the metadata that is the app's; `undefined` when there is none. */
export function ofApp(metadata) {
  let own;
  for (const key in metadata) {
    // The one that all have needs no looking up; the notes of types are made anew with each save.
    if (key === "@collection" || key === NESTED || SERVERS.has(key)) continue;
    own ??= {};
    own[key] = metadata[key];
  }
  return own;
}
