// The documents of a session, by slot: their entities and ids, and what is to become of them.

import { idKey } from "../common/id-key.js";
import { AUTO, DocumentVersions } from "./document-versions.js";
import { idOf, META } from "./snapshot-values.js";
import { Snapshots } from "./snapshots.js";

export class Tracker {
  /** Slots by entity, of those below `#listed`: sessions that only read never ask. */
  #slots = new Map();
  #listed = 0;
  /** Slots by id, of those below `#indexed`: most sessions never ask. */
  #byId = new Map();
  #indexed = 0;
  /** Whether there are other documents than new ones under ids of ours, all different. */
  #mixed = false;
  /** Slots whose ids the server will make. */
  #pending = new Set();
  #entities = [];
  #names = [];
  #deleted = new Set();
  #ignored = new Set();
  #hidden = new Set();
  #numbers = new Map();
  /** Ids that are known to have no document, or that are to be deleted: as they were spelled, by their keys. */
  missing = new Map();
  /** Whether the documents that were adopted last are those that were wanted, one by one. */
  asWanted = false;
  /** Texts of saves whose outcome is unknown, by slot and version. */
  unknown = new Map();
  #gone = [];
  stamps = new DocumentVersions();
  snapshots;

  /** `identity`, `shape`: see `Snapshots`. */
  constructor(identity, shape) {
    this.snapshots = new Snapshots(identity, shape);
  }

  get #ids() {
    for (; this.#indexed < this.#entities.length; this.#indexed++)
      if (this.isNamed(this.#indexed)) this.#byId.set(idKey(this.#names[this.#indexed]), this.#indexed);
    return this.#byId;
  }

  slot(id) {
    return this.slotOfKey(idKey(id));
  }

  /** The slot of an id by its key. */
  slotOfKey(key) {
    return this.#ids.get(key) ?? -1;
  }

  slotOf(entity) {
    for (; this.#listed < this.#entities.length; this.#listed++) {
      const listed = this.#entities[this.#listed];
      if (listed !== undefined) this.#slots.set(listed, this.#listed);
    }
    return this.#slots.get(entity) ?? -1;
  }

  /** The id that the session knows the entity by, whatever the entity says now. */
  idOf(entity) {
    return this.#names[this.slotOf(entity)] || null;
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

  /** A document under any id. `pending`: the server will make it, of what it begins with. */
  put(id, entity, pending = false) {
    const slot = this.add(id, entity);
    this.#mixed = true;
    if (pending) this.#pending.add(slot);
    return slot;
  }

  /** A new document under an id of ours, which `has` does not know. */
  add(id, entity) {
    const slot = this.next;
    this.#occupy(slot, entity);
    this.#names[slot] = id;
    if (this.missing.size > 0) this.missing.delete(idKey(id));
    return slot;
  }

  /** Whether an id that was made for a new document is here already: somebody has chosen it. */
  has(id) {
    return this.#mixed && this.slot(id) >= 0;
  }

  #occupy(slot, entity) {
    this.#entities[slot] = entity;
    if (slot < this.#listed) this.#slots.set(entity, slot);
  }

  /** Whether the id of a slot is final. */
  isNamed(slot) {
    return this.#names[slot] !== undefined && !this.#pending.has(slot);
  }

  /** The server has made the id of a slot. */
  name(slot, id) {
    this.#pending.delete(slot);
    this.#names[slot] = id;
    if (this.missing.size > 0) this.missing.delete(idKey(id));
    if (slot < this.#indexed) this.#byId.set(idKey(id), slot);
  }

  /** The session is done with a document; its id may be missing from now on. */
  drop(slot) {
    if (slot < this.#indexed && this.isNamed(slot)) this.#byId.delete(idKey(this.#names[slot]));
    this.#slots.delete(this.#entities[slot]);
    for (const list of [this.#entities, this.#names]) list[slot] = undefined;
    this.stamps.drop(slot);
    this.snapshots.drop(slot);
    this.forget(slot);
    for (const set of [this.#deleted, this.#ignored, this.#hidden, this.#numbers, this.#pending])
      set.delete(slot);
  }

  delete(slot) {
    this.#deleted.add(slot);
  }

  /** It is not to be deleted any more. */
  restore(slot) {
    if (this.#deleted.delete(slot)) this.missing.delete(idKey(this.#names[slot]));
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

  /** Slots of entities that the app has, and may save. */
  get shown() {
    return [...this.slots()].filter((slot) =>
      [this.#hidden, this.#ignored, this.#deleted].every((set) => !set.has(slot)),
    );
  }

  isHidden(slot) {
    return this.#hidden.has(slot);
  }

  /** Whether nothing is known of any document. */
  get isBlank() {
    return this.#entities.length === 0 && this.missing.size === 0;
  }

  isNew(slot) {
    return !this.snapshots.has(slot);
  }

  /** Ids of documents that were never sent, but for those that the server will make. */
  unsaved() {
    const slots = [...this.slots()].filter((slot) => this.isNew(slot) && this.isNamed(slot));
    return slots.map((slot) => this.#names[slot]);
  }

  isChanged(slot) {
    const entity = this.#entities[slot];
    return (
      this.snapshots.isChanged(slot, entity) ||
      this.stamps.kindIn(slot, entity[META]) !== this.stamps.kindOf(slot)
    );
  }

  /** What the document is now, without metadata. */
  now(slot) {
    return JSON.parse(this.snapshots.text(this.#entities[slot]));
  }

  any() {
    if (this.#deleted.size > 0) return true;
    for (let slot = 0; slot < this.#entities.length; slot++)
      if (this.#entities[slot] !== undefined && this.isChanged(slot) && this.#isSaved(slot)) return true;
    return false;
  }

  /** Slots whose entity differs from what was last sent or loaded. */
  changed() {
    const changed = [];
    for (let slot = 0; slot < this.#entities.length; slot++)
      if (this.#entities[slot] !== undefined && this.isChanged(slot) && this.#isSaved(slot))
        changed.push(slot);
    return changed;
  }

  /** Whether a change of this document is for a save. */
  #isSaved(slot) {
    return !this.#ignored.has(slot) && !this.#deleted.has(slot);
  }

  /** What the core is told of a document; `want`: what is to be done with it (`COMMAND_…`). See `src/session/slots.rs`. */
  report(slot, want) {
    return (slot << 8) | (this.stamps.facts(slot, this.isNamed(slot)) << 2) | want;
  }

  /** What was sent of a document and may yet arrive, by version. */
  texts(slot) {
    const texts = this.unknown.get(slot) ?? new Map();
    this.unknown.set(slot, texts);
    return texts;
  }

  /** What the server has of a document is known, or nobody wants to know it any more. */
  forget(slot) {
    this.unknown.delete(slot);
    this.#gone.push(slot);
  }

  /** Slots that were forgotten since this was asked last. */
  takeGone() {
    const gone = Uint32Array.from(this.#gone);
    this.#gone = [];
    return gone;
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
    const length = this.next + documents.length;
    this.#names.length = length;
    for (const kept of [this.stamps, this.snapshots]) kept.reserve(length);
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
    const time = this.stamps.time(metadata["@last-modified"]);
    if (time !== undefined) metadata["@last-modified"] = time;
    const entity = convert(document);
    const slot = this.next;
    this.snapshots.settle(slot, entity);
    // What is to be deleted, or was not there, stays so for `load`.
    this.#occupy(slot, entity);
    this.#names[slot] = id;
    this.stamps.add(slot, this.stamps.kind(collection), AUTO, vector, time);
    if (numbers.size > 0) this.setNumbers(slot, numbers.get(id));
    return slot;
  }
}
