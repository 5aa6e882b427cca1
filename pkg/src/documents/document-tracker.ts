// The documents that a session tracks, by slot: their entities and ids, and what the next save does with them.

import { idKey } from "../common/id-key.js";
import type { JsonObject } from "../common/json.js";
import { AbsentIds } from "./absent-ids.js";
import { DocumentVersions } from "./document-versions.js";
import type {
  Entity,
  EntityMaker,
  InexactNumbers,
  ObjectTypeDescriptor,
  ServerDocument,
} from "./entity-types.js";
import type { EntityMapper } from "./mapping/entity-mapper.js";
import { SaveMarks } from "./save-marks.js";
import { SlotIndex } from "./slot-index.js";
import { slotList } from "./snapshots/slot-list.js";
import { idOf, META } from "./snapshots/snapshot-values.js";
import { Snapshots } from "./snapshots/snapshots.js";
import { UnknownOutcomes } from "./unknown-outcomes.js";

export class DocumentTracker {
  /** `false` while all documents are new ones with HiLo ids, which are all different. */
  #mixed = false;
  /** Slots whose ids the server will make. */
  #pending = new Set<number>();
  /** Slots by entity. */
  #byEntity = new SlotIndex((slot) => this.#entities[slot]);
  /** Slots by the keys of ids that are final. */
  #byId = new SlotIndex((slot) => (this.isNamed(slot) ? idKey(this.#names[slot] as string) : undefined));
  #entities: (Entity | undefined)[] = slotList();
  #names: (string | undefined)[] = slotList();
  /** Included documents that the app has not loaded yet. */
  #hidden = new Set<number>();
  /** Whether the last response had one result for each requested id, in the order of the request. */
  #asWanted = false;
  readonly absent = new AbsentIds();
  readonly unknown = new UnknownOutcomes();
  readonly marks = new SaveMarks();
  readonly versions = new DocumentVersions();
  declare readonly snapshots: Snapshots;

  get asWanted(): boolean {
    return this.#asWanted;
  }

  /** Another response begins. */
  beginResponse(): void {
    this.#asWanted = false;
  }

  /** `mapper`: see `Snapshots`. */
  constructor(mapper: EntityMapper) {
    this.snapshots = new Snapshots(mapper);
  }

  /** The slot of an id; -1 if the session does not have it. */
  slot(id: string): number {
    return this.slotOfKey(idKey(id));
  }

  /** The same by the key of the id. */
  slotOfKey(key: string): number {
    return this.#byId.find(key, this.next);
  }

  /** The slot of an entity; -1 if the session does not have it. */
  slotOf(entity: unknown): number {
    return this.#byEntity.find(entity, this.next);
  }

  /** The id of an entity in this session, whatever its id property is now. */
  idOf(entity: unknown): string | null {
    return this.#names[this.slotOf(entity)] || null;
  }

  /** The id of a slot that is in use. If the server will make it: a prefix, or `""`. */
  idAt(slot: number): string {
    return this.#names[slot] as string;
  }

  /** The entity of a slot that is in use; despite the type `undefined` if the slot was dropped. */
  at(slot: number): Entity {
    return this.#entities[slot] as Entity;
  }

  /** The slot of the next document. */
  get next(): number {
    return this.#entities.length;
  }

  /** Whether a slot in use passes a test. V8 would compile a loop of our own, and all that it calls, while it runs for the first time. */
  some(test: (slot: number) => boolean): boolean {
    return this.#entities.some((entity, slot) => entity !== undefined && test(slot));
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
    this.absent.unmark(id);
    return slot;
  }

  /** Whether a HiLo id for a new document is already in use in this session, because the app has chosen it. */
  has(id: string): boolean {
    return this.#mixed && this.slot(id) >= 0;
  }

  #occupy(slot: number, entity: Entity): void {
    this.#entities[slot] = entity;
    this.#byEntity.update(entity, slot);
  }

  /** Whether the id of a slot is final. */
  isNamed(slot: number): boolean {
    return this.#names[slot] !== undefined && !this.#pending.has(slot);
  }

  /** The server has made the id of a slot. */
  name(slot: number, id: string): void {
    this.#pending.delete(slot);
    this.#names[slot] = id;
    this.absent.unmark(id);
    this.#byId.update(idKey(id), slot);
  }

  /** Removes a document from the session. */
  drop(slot: number): void {
    if (this.isNamed(slot)) this.#byId.delete(idKey(this.#names[slot] as string), slot);
    this.#byEntity.delete(this.#entities[slot], slot);
    for (const list of [this.#entities, this.#names]) list[slot] = undefined;
    this.versions.drop(slot);
    this.snapshots.drop(slot);
    this.unknown.forget(slot);
    this.marks.drop(slot);
    for (const set of [this.#hidden, this.#pending]) set.delete(slot);
  }

  /** Removes all documents, and all knowledge about ids. */
  clear(): void {
    for (const slot of this.slots()) this.drop(slot);
    this.absent.clear();
  }

  /** The next save does not delete the document. */
  restore(slot: number): void {
    if (this.marks.restore(slot)) this.absent.unmark(this.#names[slot] as string);
  }

  /** The entity, for the app. If it was included, it is no longer hidden. */
  show(slot: number): Entity {
    if (this.#hidden.size > 0) this.#hidden.delete(slot);
    return this.#entities[slot] as Entity;
  }

  /** Replaces a hidden entity by another object. */
  replace(slot: number, entity: Entity): void {
    this.#byEntity.delete(this.#entities[slot], slot);
    this.#occupy(slot, entity);
  }

  /** Slots of entities that the app has and that a save may write. */
  get shown(): number[] {
    return [...this.slots()].filter((slot) => !this.isHidden(slot) && this.marks.writes(slot));
  }

  isHidden(slot: number): boolean {
    return this.#hidden.has(slot);
  }

  /** Whether nothing is known of any document. */
  get isBlank(): boolean {
    return this.#entities.length === 0 && this.absent.isEmpty;
  }

  /** Whether a document was never sent or loaded. */
  isNew(slot: number): boolean {
    return !this.snapshots.has(slot);
  }

  /** Ids of documents that were never sent, without ids that the server will make. */
  unsaved(): string[] {
    const slots = [...this.slots()].filter((slot) => this.isNew(slot) && this.isNamed(slot));
    return slots.map((slot) => this.idAt(slot));
  }

  /** Whether a document differs from what was last sent or loaded. */
  isChanged(slot: number): boolean {
    const entity = this.#entities[slot] as Entity;
    return this.snapshots.isChanged(slot, entity) || this.versions.isMoved(slot, entity[META]);
  }

  /** The document as it would be sent now, without metadata. */
  now(slot: number): JsonObject {
    return JSON.parse(this.snapshots.text(this.#entities[slot] as Entity));
  }

  /**
   * Adds documents to `into`, in the form of the core (`src/session/slots.rs`). `command`: what the save does with them
   * (`COMMAND_…`).
   */
  report(slots: number[], command: number, into: number[]): void {
    this.versions.report(slots, command, this.#pending, into);
  }

  /**
   * Adds documents of a response; returns their entities in order, `null` for documents that do not exist. `wanted`: the ids of
   * the request, all different and not known before. `type`: the class that the app named.
   */
  adopt(
    documents: unknown[],
    maker: EntityMaker,
    type: ObjectTypeDescriptor | undefined,
    numbers: InexactNumbers,
    wanted?: string[],
  ): (Entity | null)[] {
    const ids = documents.map(idOf);
    this.#asWanted = documents.length === wanted?.length;
    for (let at = 0; at < ids.length && this.#asWanted; at++)
      if (ids[at] !== undefined && ids[at] !== wanted?.[at]) this.#asWanted = false;
    const names = ids.filter((id) => id !== undefined);
    const areDifferent = this.#asWanted || (!wanted && new Set(names).size === names.length);
    this.#mixed = true;
    // The first documents of a session need no lookup unless an id occurs twice.
    let slot = this.next;
    const areNew = slot === 0 && areDifferent;
    if (areNew) {
      const found =
        names.length < ids.length ? documents.filter((_, at) => ids[at] !== undefined) : documents;
      this.#take(names, found as ServerDocument[], maker, type, numbers);
    }
    return ids.map((id, at) => {
      if (id === undefined) return null;
      if (areNew) return this.#entities[slot++] as Entity;
      const known = this.slot(id);
      if (known >= 0) return this.show(known);
      return this.at(this.#take([id], [documents[at] as ServerDocument], maker, type, numbers));
    });
  }

  /** Adds included documents, which stay hidden until the app loads them. */
  include(documents: ServerDocument[], maker: EntityMaker, numbers: InexactNumbers): void {
    this.#mixed = true;
    for (const document of documents) {
      const id = idOf(document);
      if (id !== undefined && this.slot(id) < 0)
        this.#hidden.add(this.#take([id], [document], maker, undefined, numbers));
    }
  }

  /** Adds documents under new ids; returns the slot of the first. */
  #take(
    ids: string[],
    documents: ServerDocument[],
    maker: EntityMaker,
    type: ObjectTypeDescriptor | undefined,
    numbers: InexactNumbers,
  ): number {
    const first = this.next;
    const end = first + documents.length;
    // Several short passes, which V8 compiles sooner than a long one. The slots are reserved first, because the app's code may store
    // documents meanwhile; a slot without an entity counts as dropped.
    for (const list of [this.#entities, this.#names]) list.length = end;
    this.versions.take(first, documents);
    try {
      for (let at = 0; at < documents.length; at++) {
        this.#occupy(first + at, maker.entity(documents[at] as ServerDocument, type));
        // The id stays marked as absent: `load` still returns `null` for a document that is to be deleted.
        this.#names[first + at] = ids[at];
      }
      this.snapshots.take(first, end, this.#entities as Entity[]);
    } catch (error) {
      // A class of the app has thrown, or a document is nested too deeply.
      for (let slot = first; slot < end; slot++) this.drop(slot);
      throw error;
    }
    if (numbers.size > 0)
      ids.forEach((id, at) => {
        this.marks.setInexact(first + at, numbers.get(id));
      });
    return first;
  }
}
