// The documents of a session, by slot: their entities and ids, and what the next save does with them.

import { idKey } from "../common/id-key.js";
import type { JsonObject } from "../common/json.js";
import { AUTO, DocumentVersions } from "./document-versions.js";
import type { EntityMapper } from "./entity-mapper.js";
import type { Entity, ServerDocument } from "./entity-types.js";
import { SaveMarks } from "./save-marks.js";
import { idOf, META } from "./snapshot-values.js";
import { type Identity, Snapshots } from "./snapshots.js";
import { UnknownOutcomes } from "./unknown-outcomes.js";

/** Makes the entity of a document. */
type Convert = (document: ServerDocument) => Entity;

/** By id, the numbers of a response that JavaScript cannot hold. */
type InexactNumbers = ReadonlyMap<string, string[]>;

export class Tracker {
  /** Slots by entity, of those below `#listed`: filled on demand, because sessions that only read never look an entity up. */
  #slots = new Map<unknown, number>();
  #listed = 0;
  /** Slots by the keys of ids, of those below `#indexed`: filled on demand, because most sessions never look an id up. */
  #byId = new Map<string, number>();
  #indexed = 0;
  /** `false` while all documents are new ones with HiLo ids, which are all different. */
  #mixed = false;
  /** Slots whose ids the server will make. */
  #pending = new Set<number>();
  #entities: (Entity | undefined)[] = [];
  #names: (string | undefined)[] = [];
  /** Included documents that the app has not loaded yet. */
  #hidden = new Set<number>();
  /** Ids that are known to have no document, or that are to be deleted: as they were spelled, by their keys. */
  readonly missing = new Map<string, string>();
  /** Whether the documents that were adopted last are those that were wanted, one by one. */
  asWanted = false;
  readonly unknown = new UnknownOutcomes();
  readonly marks = new SaveMarks();
  readonly stamps = new DocumentVersions();
  declare readonly snapshots: Snapshots;

  /** `identity`, `shape`: see `Snapshots`. */
  constructor(identity: Identity, shape: EntityMapper) {
    this.snapshots = new Snapshots(identity, shape);
  }

  get #ids(): ReadonlyMap<string, number> {
    for (; this.#indexed < this.#entities.length; this.#indexed++)
      if (this.isNamed(this.#indexed))
        this.#byId.set(idKey(this.#names[this.#indexed] as string), this.#indexed);
    return this.#byId;
  }

  /** The slot of an id; -1 if the session does not have it. */
  slot(id: string): number {
    return this.slotOfKey(idKey(id));
  }

  /** The same by the key of the id. */
  slotOfKey(key: string): number {
    return this.#ids.get(key) ?? -1;
  }

  /** The slot of an entity; -1 if the session does not have it. */
  slotOf(entity: unknown): number {
    for (; this.#listed < this.#entities.length; this.#listed++) {
      const listed = this.#entities[this.#listed];
      if (listed !== undefined) this.#slots.set(listed, this.#listed);
    }
    return this.#slots.get(entity) ?? -1;
  }

  /** The id of an entity in this session, whatever its id property is now. */
  idOf(entity: unknown): string | null {
    return this.#names[this.slotOf(entity)] || null;
  }

  /** The id of a slot that is in use; a prefix, or `""`, while the server has not made it. */
  idAt(slot: number): string {
    return this.#names[slot] as string;
  }

  /** The entity of a slot that is in use. A slot may have been dropped: then it is `undefined` in spite of the type. */
  at(slot: number): Entity {
    return this.#entities[slot] as Entity;
  }

  /** The slot of the next document. */
  get next(): number {
    return this.#entities.length;
  }

  /** The slots in use. */
  *slots(): Generator<number> {
    for (let slot = 0; slot < this.#entities.length; slot++) {
      if (this.#entities[slot] !== undefined) yield slot;
    }
  }

  /** Adds a document under any id. `pending`: the id is a prefix that the server completes. */
  put(id: string, entity: Entity, pending = false): number {
    const slot = this.add(id, entity);
    this.#mixed = true;
    if (pending) this.#pending.add(slot);
    return slot;
  }

  /** Adds a new document under a HiLo id, for which `has` returned `false`. */
  add(id: string, entity: Entity): number {
    const slot = this.next;
    this.#occupy(slot, entity);
    this.#names[slot] = id;
    if (this.missing.size > 0) this.missing.delete(idKey(id));
    return slot;
  }

  /** Whether a HiLo id for a new document is already in use here: the app has chosen it before. */
  has(id: string): boolean {
    return this.#mixed && this.slot(id) >= 0;
  }

  #occupy(slot: number, entity: Entity): void {
    this.#entities[slot] = entity;
    if (slot < this.#listed) this.#slots.set(entity, slot);
  }

  /** Whether the id of a slot is final. */
  isNamed(slot: number): boolean {
    return this.#names[slot] !== undefined && !this.#pending.has(slot);
  }

  /** The server has made the id of a slot. */
  name(slot: number, id: string): void {
    this.#pending.delete(slot);
    this.#names[slot] = id;
    if (this.missing.size > 0) this.missing.delete(idKey(id));
    if (slot < this.#indexed) this.#byId.set(idKey(id), slot);
  }

  /** Removes a document from the session. */
  drop(slot: number): void {
    if (slot < this.#indexed && this.isNamed(slot)) this.#byId.delete(idKey(this.#names[slot] as string));
    this.#slots.delete(this.#entities[slot]);
    for (const list of [this.#entities, this.#names]) list[slot] = undefined;
    this.stamps.drop(slot);
    this.snapshots.drop(slot);
    this.unknown.forget(slot);
    this.marks.drop(slot);
    for (const set of [this.#hidden, this.#pending]) set.delete(slot);
  }

  /** The next save does not delete the document. */
  restore(slot: number): void {
    if (this.marks.restore(slot)) this.missing.delete(idKey(this.#names[slot] as string));
  }

  /** The entity for the app: an included document is no longer hidden. */
  show(slot: number): Entity {
    if (this.#hidden.size > 0) this.#hidden.delete(slot);
    return this.#entities[slot] as Entity;
  }

  /** Replaces a hidden entity by another object. */
  replace(slot: number, entity: Entity): void {
    this.#slots.delete(this.#entities[slot]);
    this.#occupy(slot, entity);
  }

  /** Slots of entities that the app has, and may save. */
  get shown(): number[] {
    return [...this.slots()].filter((slot) => !this.isHidden(slot) && this.marks.writes(slot));
  }

  isHidden(slot: number): boolean {
    return this.#hidden.has(slot);
  }

  /** Whether nothing is known of any document. */
  get isBlank(): boolean {
    return this.#entities.length === 0 && this.missing.size === 0;
  }

  /** Whether a document was never sent or loaded. */
  isNew(slot: number): boolean {
    return !this.snapshots.has(slot);
  }

  /** Ids of documents that were never sent, without ids that the server will make. */
  unsaved(): string[] {
    const slots = [...this.slots()].filter((slot) => this.isNew(slot) && this.isNamed(slot));
    return slots.map((slot) => this.#names[slot] as string);
  }

  /** Whether a document differs from what was last sent or loaded. */
  isChanged(slot: number): boolean {
    const entity = this.#entities[slot] as Entity;
    return (
      this.snapshots.isChanged(slot, entity) ||
      this.stamps.kindIn(slot, entity[META]) !== this.stamps.kindOf(slot)
    );
  }

  /** The document as it would be sent now, without metadata. */
  now(slot: number): JsonObject {
    return JSON.parse(this.snapshots.text(this.#entities[slot] as Entity));
  }

  /** Whether a save would write or delete a document. */
  any(): boolean {
    if (this.marks.deleted.length > 0) return true;
    for (let slot = 0; slot < this.#entities.length; slot++)
      if (this.#entities[slot] !== undefined && this.isChanged(slot) && this.marks.writes(slot)) return true;
    return false;
  }

  /** Slots of documents that the next save writes. */
  changed(): number[] {
    const changed: number[] = [];
    for (let slot = 0; slot < this.#entities.length; slot++)
      if (this.#entities[slot] !== undefined && this.isChanged(slot) && this.marks.writes(slot))
        changed.push(slot);
    return changed;
  }

  /** A document as the core takes it; `command`: what the save does with it (`COMMAND_…`). See `src/session/slots.rs`. */
  report(slot: number, command: number): number {
    return (slot << 8) | (this.stamps.facts(slot, this.isNamed(slot)) << 2) | command;
  }

  /**
   * Adds documents of a response; returns their entities in order, `null` for documents that do not exist. `wanted`: the ids of
   * the request, all different and not known before.
   */
  adopt(
    documents: unknown[],
    convert: Convert,
    numbers: InexactNumbers,
    wanted?: string[],
  ): (Entity | null)[] {
    // A single pass: each document is read from far memory once.
    const entities: (Entity | null)[] = [];
    let isFirst = this.next === 0;
    const seen = new Set<string>();
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
      // The first documents of a session are not looked up until an id comes twice.
      if (isFirst) isFirst = wanted ? id === wanted[at] : seen.size < seen.add(id).size;
      if (id !== wanted?.[at]) this.asWanted = false;
      const known = isFirst ? -1 : this.slot(id);
      entities.push(
        known < 0
          ? (this.#entities[this.#take(id, document as ServerDocument, convert, numbers)] as Entity)
          : this.show(known),
      );
    }
    return entities;
  }

  /** Adds included documents, which stay hidden until the app loads them. */
  include(documents: ServerDocument[], convert: Convert, numbers: InexactNumbers): void {
    this.#mixed = true;
    for (const document of documents) {
      const id = idOf(document);
      if (id !== undefined && this.slot(id) < 0) this.#hidden.add(this.#take(id, document, convert, numbers));
    }
  }

  #take(id: string, document: ServerDocument, convert: Convert, numbers: InexactNumbers): number {
    const metadata = document[META];
    const { "@change-vector": vector, "@collection": collection } = metadata;
    const time = this.stamps.time(metadata["@last-modified"]);
    if (time !== undefined) metadata["@last-modified"] = time;
    const entity = convert(document);
    const slot = this.next;
    this.snapshots.settle(slot, entity);
    // `missing` keeps the id: for `load`, a document that is to be deleted or was not found stays `null`.
    this.#occupy(slot, entity);
    this.#names[slot] = id;
    this.stamps.add(slot, this.stamps.kind(collection), AUTO, vector, time);
    if (numbers.size > 0) this.marks.setInexact(slot, numbers.get(id));
    return slot;
  }
}
