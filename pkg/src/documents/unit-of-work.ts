// What a session knows and has to save: its documents by slot, and the commands of the app. The verbs that begin the names of its
// methods are the only way to change it: loaded, stored, saved, deleted, evicted, dropped. Everything else reads.

import type { Kept as KeptByCapability } from "../capabilities/session-part.js";
import { idKey, isFinal } from "../common/id-key.js";
import type { JsonObject } from "../common/json.js";
import type { ICommandData } from "../saving/batch-commands.js";
import { DocumentVersions, type Kind, type Reported } from "./document-versions.js";
import type {
  Entity,
  EntityMaker,
  InexactNumbers,
  ObjectTypeDescriptor,
  ServerDocument,
} from "./entity-types.js";
import type { EntityMapper } from "./mapping/entity-mapper.js";
import { slotList } from "./slots.js";
import { CLASS, idOf, META } from "./snapshots/snapshot-values.js";
import { type Kept, type OwnMetadata, Snapshots } from "./snapshots/snapshots.js";

/** The values of a document that was sent, and its metadata of the app. */
export interface SentDocument {
  was: unknown;
  metadata: OwnMetadata | undefined;
}

/** What documents of one class and collection have in common. */
export interface StoredKind {
  type: unknown;
  /** As their metadata say. */
  collection: unknown;
  kind: Kind;
  identity: string | undefined;
  /** The next id; `undefined`: no number is in memory. */
  take: () => string | undefined;
}

/** The entities of a response, in its order; `null` for documents that do not exist. */
export interface LoadedEntities {
  entities: (Entity | null)[];
  /** Whether the response had one result for each requested id, in the order of the request. */
  inOrder?: boolean | undefined;
}

/** What other files do with versions and snapshots: read them. */
type Versions = Omit<DocumentVersions, "add" | "addLoaded" | "setCheck" | "update">;
type SnapshotReader = Omit<Snapshots, "addLoaded" | "note" | "set" | "update">;

export class UnitOfWork {
  /** `false` while all documents are new ones with HiLo ids, which are all different. */
  #mixed = false;
  /** Slots whose ids the server will make. */
  #pending = new Set<number>();
  /** Slots by entity; all below `#indexed` are in it. */
  #byEntity = new Map<unknown, number>();
  #indexed = 0;
  /** Slots by the keys of ids that are final; all below `#named` are in it. */
  #byId = new Map<string, number>();
  #named = 0;
  #entities: (Entity | undefined)[] = slotList();
  #names: (string | undefined)[] = slotList();
  /** Included documents that the app has not loaded yet. */
  #hidden = new Set<number>();
  /** Ids for which `load` returns `null` without a request, as they were spelled, by their keys. */
  #absent = new Map<string, string>();
  /** Documents that the next save deletes, and those that no save writes. */
  #deleted = new Set<number>();
  #ignored = new Set<number>();
  /** Numbers that JavaScript cannot hold, as the server wrote them. */
  #inexact = new Map<number, string[]>();
  /** Documents of saves whose outcome is unknown: what was sent, by slot and by version of the batch. */
  #unknown = new Map<number, Map<number, SentDocument>>();
  /** Slots that have left `#unknown` since the core was last notified. */
  #forgotten: number[] = [];
  #deferred: ICommandData[] = [];
  /** How many commands were deferred before those in the list. */
  #past = 0;
  #versions = new DocumentVersions();
  /** Kinds of documents that were stored, and the one that was stored last. */
  #stored: StoredKind[] = [];
  #like: StoredKind | undefined;
  readonly versions: Versions = this.#versions;
  declare readonly snapshots: SnapshotReader;
  #snapshots: Snapshots;
  /** What capabilities keep of this session, by their names: each writes its own. */
  readonly kept = new Map<string, KeptByCapability>();

  constructor(mapper: EntityMapper) {
    this.#snapshots = new Snapshots(mapper);
    this.snapshots = this.#snapshots;
  }

  /** The slot of an id; -1 if the session does not have it. */
  slot(id: string): number {
    return this.slotOfKey(idKey(id));
  }

  /** The slot of the id with this key. */
  slotOfKey(key: string): number {
    for (; this.#named < this.next; this.#named++) {
      if (this.isNamed(this.#named)) this.#byId.set(idKey(this.idAt(this.#named)), this.#named);
    }
    return this.#byId.get(key) ?? -1;
  }

  /** The slot of an entity; -1 if the session does not have it. */
  slotOf(entity: unknown): number {
    this.#indexEntities();
    return this.#byEntity.get(entity) ?? -1;
  }

  #indexEntities(): void {
    for (; this.#indexed < this.#entities.length; this.#indexed++) {
      const entity = this.#entities[this.#indexed];
      if (entity !== undefined) this.#byEntity.set(entity, this.#indexed);
    }
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

  /** Whether a save would write or delete a document. */
  hasChanges(): boolean {
    // V8 would compile a loop of our own, and all that it calls, while it runs for the first time.
    return this.#deleted.size > 0 || this.#entities.some(this.#isToBeWritten, this);
  }

  /** Slots of documents that the next save writes. */
  changed(): number[] {
    const changed: number[] = [];
    for (let slot = 0; slot < this.#entities.length; slot++) {
      if (this.#isToBeWritten(this.#entities[slot], slot)) changed.push(slot);
    }
    return changed;
  }

  #isToBeWritten(entity: Entity | undefined, slot: number): boolean {
    if (entity === undefined) return false;
    const isChanged = this.#snapshots.isChanged(slot, entity) || this.#versions.isMoved(slot, entity[META]);
    return isChanged && this.writes(slot);
  }

  *slots(): Generator<number> {
    for (let slot = 0; slot < this.#entities.length; slot++) {
      if (this.#entities[slot] !== undefined) yield slot;
    }
  }

  /** Whether the id of a slot is final. */
  isNamed(slot: number): boolean {
    return this.#names[slot] !== undefined && !this.#pending.has(slot);
  }

  /** Whether the server will make the id of any document. */
  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Slots of entities that the app has and that a save may write. */
  get shown(): number[] {
    return [...this.slots()].filter((slot) => !this.isHidden(slot) && this.writes(slot));
  }

  isHidden(slot: number): boolean {
    return this.#hidden.has(slot);
  }

  /** Whether nothing is known of any document. */
  get isBlank(): boolean {
    return this.#entities.length === 0 && this.#absent.size === 0;
  }

  /** Whether the document with this key does not exist, or is to be deleted. */
  isAbsent(key: string): boolean {
    return this.#absent.has(key);
  }

  /** Ids of documents that do not exist or are to be deleted, as they were spelled. */
  get absentIds(): Iterable<string> {
    return this.#absent.values();
  }

  /** Whether a document is in the session, or known not to exist. */
  knows(id: string): boolean {
    const key = idKey(id);
    return this.slotOfKey(key) >= 0 || this.isAbsent(key);
  }

  /** Whether a document was never sent or loaded. */
  isNew(slot: number): boolean {
    return !this.#snapshots.has(slot);
  }

  /** Ids of documents that were never sent, without ids that the server will make. */
  unsaved(): string[] {
    const slots = [...this.slots()].filter((slot) => this.isNew(slot) && this.isNamed(slot));
    return slots.map((slot) => this.idAt(slot));
  }

  /** Whether a document differs from what was last sent or loaded. */
  isChanged(slot: number): boolean {
    const entity = this.#entities[slot] as Entity;
    return this.#snapshots.isChanged(slot, entity) || this.#versions.isMoved(slot, entity[META]);
  }

  isDeleted(slot: number): boolean {
    return this.#deleted.has(slot);
  }

  get toBeDeleted(): number[] {
    return [...this.#deleted];
  }

  /** Whether a save writes changes of the document. */
  writes(slot: number): boolean {
    return !this.#ignored.has(slot) && !this.#deleted.has(slot);
  }

  /** Whether any document has numbers that JavaScript cannot hold. */
  get hasInexact(): boolean {
    return this.#inexact.size > 0;
  }

  /** The numbers of a document that JavaScript cannot hold, as the server wrote them. */
  inexact(slot: number): string[] | undefined {
    return this.#inexact.get(slot);
  }

  /** The document as it would be sent now, without metadata. */
  now(slot: number): JsonObject {
    return JSON.parse(this.#snapshots.text(this.#entities[slot] as Entity));
  }

  /** What saves with an unknown outcome have sent of a document, by version of the batch, in the order of versions. */
  sentOf(slot: number): ReadonlyMap<number, SentDocument> | undefined {
    return this.#unknown.get(slot);
  }

  /** Slots whose unknown outcome is of no interest any more, for the core; each is returned once. */
  takeForgotten(): Uint32Array {
    return Uint32Array.from(this.#forgotten.splice(0));
  }

  /** The commands of the app that wait for a save. */
  get deferred(): readonly ICommandData[] {
    return this.#deferred;
  }

  /** The place behind the last deferred command, for `savedCommands`. */
  get end(): number {
    return this.#past + this.#deferred.length;
  }

  /** All commands besides those about documents: deferred ones, and those of capabilities. */
  get commands(): readonly ICommandData[] {
    return [...this.#deferred, ...[...this.kept.values()].flatMap((each) => each.commands())];
  }

  /**
   * Adds documents to `into`, in the form of the core (`src/session/slots.rs`). `command`: what the save does with them
   * (`COMMAND_…`).
   */
  addFacts(slots: readonly number[], command: number, into: number[]): void {
    this.#versions.addFacts(slots, command, this.#pending, into);
  }

  /**
   * Documents of a response. `wanted`: the ids of the request, all different and not known before. `type`: the class that the app named.
   */
  loaded(
    documents: unknown[],
    maker: EntityMaker,
    type: ObjectTypeDescriptor | undefined,
    numbers: InexactNumbers,
    wanted?: string[],
  ): LoadedEntities {
    const ids = documents.map(idOf);
    const inOrder =
      documents.length === wanted?.length && ids.every((id, at) => id === undefined || id === wanted[at]);
    const isWhole = !ids.includes(undefined);
    const names = isWhole ? (ids as string[]) : ids.filter((id) => id !== undefined);
    const areDifferent = inOrder || (!wanted && new Set(names).size === names.length);
    this.#mixed = true;
    // The first documents of a session need no lookup unless an id occurs twice.
    let slot = this.next;
    const areNew = slot === 0 && areDifferent;
    if (areNew) {
      const found = isWhole ? documents : documents.filter((_, at) => ids[at] !== undefined);
      this.#take(names, found as ServerDocument[], maker, type, numbers);
    }
    const entities = ids.map((id, at) => {
      if (id === undefined) return null;
      if (areNew) return this.#entities[slot++] as Entity;
      const known = this.slot(id);
      if (known >= 0) return this.loadedAt(known);
      return this.at(this.#take([id], [documents[at] as ServerDocument], maker, type, numbers));
    });
    return { entities, inOrder };
  }

  /** Included documents, which stay hidden until the app loads them. */
  loadedIncludes(documents: ServerDocument[], maker: EntityMaker, numbers: InexactNumbers): void {
    this.#mixed = true;
    for (const document of documents) {
      const id = idOf(document);
      if (id !== undefined && this.slot(id) < 0)
        this.#hidden.add(this.#take([id], [document], maker, undefined, numbers));
    }
  }

  /** The app has asked for these ids, and there is no document under those that the session does not have. */
  loadedWithout(ids: readonly string[]): void {
    for (const id of ids) {
      const key = idKey(id);
      if (this.slotOfKey(key) < 0) this.#absent.set(key, id);
    }
  }

  /** The entity, for the app. If it was included, it is no longer hidden. */
  loadedAt(slot: number): Entity {
    if (this.#hidden.size > 0) this.#hidden.delete(slot);
    return this.#entities[slot] as Entity;
  }

  /** The app has another object for a document that was loaded. */
  loadedAs(slot: number, entity: Entity): void {
    if (slot < this.#indexed) this.#byEntity.delete(this.#entities[slot]);
    this.#occupy(slot, entity);
  }

  /** The app has loaded a hidden document by its class. */
  loadedByClass(slot: number, entity: Entity): void {
    this.loadedAs(slot, entity);
    // Members that the class adds are no change of the app's.
    this.#snapshots.update(slot, entity);
  }

  /** The entity has got the values of the server. `literals`: its numbers that JavaScript cannot hold. */
  loadedAgain(slot: number, metadata: Reported, literals: string[] | undefined): void {
    this.#versions.update(slot, metadata);
    this.#snapshots.update(slot, this.#entities[slot] as Entity);
    this.#setInexact(slot, literals);
    this.#forget(slot);
  }

  /** A new document. `isOurs`: its id was made by HiLo, and no other document has it. If the id is a prefix, the server completes it. */
  stored(id: string, isOurs: boolean, entity: Entity, kind: Kind, vector?: string): void {
    const slot = this.next;
    this.#occupy(slot, entity);
    this.#names[slot] = id;
    this.savedThere(id);
    this.#versions.add(slot, kind, vector);
    if (isOurs) return;
    this.#mixed = true;
    if (!isFinal(id)) this.#pending.add(slot);
  }

  /** A document was stored; `storedLike` stores those like it. */
  storedFirst(like: StoredKind): void {
    const { type, collection } = like;
    this.#stored = [
      ...this.#stored.filter((other) => other.type !== type || other.collection !== collection),
      like,
    ];
    this.#like = like;
  }

  /**
   * A document like one that was stored before, which shows no id, if a number is in memory; returns whether it was stored. One function
   * that calls few others: V8 compiles each that is called for every document, and once more inside of its callers unless it is long.
   */
  storedLike(entity: Entity): boolean {
    const type: unknown = entity?.constructor;
    const collection = entity?.[META]?.["@collection"];
    let like = this.#like;
    if (like === undefined || like.type !== type || like.collection !== collection) {
      like = this.#stored.find((kind) => kind.type === type && kind.collection === collection);
      this.#like = like;
    }
    if (like === undefined || this.#deferred.length > 0) return false;
    const { identity } = like;
    if (identity && typeof entity[identity] === "string") return false;
    const slot = this.#entities.length;
    const byEntity = this.#byEntity;
    if (this.#indexed < slot) this.#indexEntities();
    if (byEntity.has(entity)) return false;
    const id = like.take();
    // The app has chosen an id that HiLo makes now: this number is burnt.
    if (id === undefined || (this.#mixed && this.slot(id) >= 0)) return false;
    byEntity.set(entity, slot);
    this.#indexed = slot + 1;
    this.#entities[slot] = entity;
    this.#names[slot] = id;
    this.#versions.add(slot, like.kind);
    if (this.#absent.size > 0) this.#absent.delete(idKey(id));
    try {
      if (identity) entity[identity] = id;
    } catch {
      // The document is stored already: a setter of the app that throws must not make that fail.
    }
    return true;
  }

  /** A document that the session has: the next save does not delete it. */
  storedAgain(slot: number): void {
    if (this.#deleted.delete(slot)) this.savedThere(this.idAt(slot));
  }

  /**
   * The change vector that the next save of a document expects: the app has given it, or something that belongs to the document was
   * saved. `undefined`: the one that is known. `check`: how it is checked.
   */
  storedVector(slot: number, vector?: string, check: number = this.#versions.checkOf(slot)): void {
    this.#versions.setCheck(slot, check, vector);
  }

  /** A command for the next save. */
  storedCommand(command: ICommandData): void {
    this.#deferred.push(command);
  }

  /** Goes through the deferred commands. What is deferred while `replace` runs takes the place of the command, if it returns `true`. */
  storedInPlace(replace: (command: ICommandData) => boolean): void {
    const all = this.#deferred;
    this.#deferred = [];
    for (const command of all) if (!replace(command)) this.#deferred.push(command);
  }

  /** Changes of the document are left out of saves from now on. */
  storedNever(slot: number): void {
    this.#ignored.add(slot);
  }

  /** The server has reported this version of a document. */
  saved(slot: number, reported: Reported): void {
    this.#versions.update(slot, reported);
  }

  /**
   * The server has reported the versions of documents in these slots, of those that are not evicted; a slot below 0 stands for another
   * result. Returns the slots whose ids it has made.
   */
  savedAll(slots: readonly number[], reported: readonly (Reported & { "@id"?: string })[]): number[] {
    const made: number[] = [];
    for (let at = 0; at < slots.length; at++) {
      const slot = slots[at] as number;
      if (slot < 0 || this.#entities[slot] === undefined) continue;
      this.#versions.update(slot, reported[at] as Reported);
      if (!this.hasPending || !this.#pending.delete(slot)) continue;
      const id = reported[at]?.["@id"] as string;
      this.#names[slot] = id;
      this.savedThere(id);
      if (slot < this.#named) this.#byId.set(idKey(id), slot);
      made.push(slot);
    }
    return made;
  }

  /** The values of a document that were sent are on the server. The app may have evicted it meanwhile. */
  savedValues(
    slot: number,
    was: Kept | undefined,
    metadata: OwnMetadata | undefined,
    notes?: object | undefined,
  ): void {
    if (this.#entities[slot] === undefined) this.#snapshots.release(was);
    else this.#snapshots.set(slot, was, metadata, notes);
  }

  /** What was sent of a document was read back. `reported`: its metadata, if they are known. */
  savedAsFound(slot: number, { was, metadata }: SentDocument, reported: Reported | undefined): void {
    if (reported) this.saved(slot, reported);
    this.savedValues(slot, this.#snapshots.keepPlain(was as Entity), metadata);
    this.#unknown.delete(slot);
  }

  /** The class name that was sent with a document; the entity's metadata show it now. */
  savedClass(slot: number, name: string): void {
    this.#snapshots.note(slot, CLASS, name);
  }

  /** This id has a document, or whether it has one is unknown from now on. */
  savedThere(id: string): void {
    if (this.#absent.size > 0) this.#absent.delete(idKey(id));
  }

  /** A save has carried out the deferred commands in front of this place. `clear()` may have removed them meanwhile. */
  savedCommands(end: number): void {
    const count = Math.max(0, end - this.#past);
    this.#deferred = this.#deferred.slice(count);
    this.#past += count;
  }

  /** Whether a batch has written the document is unknown; `sent`: what it contained. */
  savedPerhaps(slot: number, version: number, sent: SentDocument): void {
    const known = this.#unknown.get(slot) ?? new Map<number, SentDocument>();
    this.#unknown.set(slot, known.set(version, sent));
  }

  /** The next save deletes the document; `load` returns `null` for it. */
  deleted(slot: number): void {
    this.#deleted.add(slot);
    this.#deletedId(this.idAt(slot));
  }

  /** The document of an id is deleted by a command: the session no longer tracks it. */
  deletedById(id: string): void {
    const slot = this.slot(id);
    if (slot >= 0) this.dropped(slot);
    this.#deletedId(id);
  }

  #deletedId(id: string): void {
    if (!id) return;
    this.#absent.set(idKey(id), id);
    this.#leave(id);
  }

  /** The session no longer knows a document. */
  evicted(slot: number): void {
    const id = this.idAt(slot);
    this.dropped(slot);
    if (!id) return;
    this.savedThere(id);
    this.#leave(id);
  }

  /** The session no longer knows anything, and sends no deferred commands. */
  evictedAll(): void {
    for (const slot of this.slots()) this.dropped(slot);
    this.#absent.clear();
    this.kept.clear();
    this.#past = this.end;
    this.#deferred = [];
  }

  /** Takes back a deferred command that no batch contains. */
  evictedCommand(command: ICommandData): void {
    this.#deferred = this.#deferred.filter((each) => each !== command);
  }

  /** What capabilities keep of a document is removed. */
  #leave(id: string): void {
    for (const each of this.kept.values()) each.delete(idKey(id));
  }

  #occupy(slot: number, entity: Entity): void {
    this.#entities[slot] = entity;
    if (slot < this.#indexed) this.#byEntity.set(entity, slot);
  }

  #setInexact(slot: number, literals: string[] | undefined): void {
    if (literals) this.#inexact.set(slot, literals);
    else if (this.hasInexact) this.#inexact.delete(slot);
  }

  /** The server's version of a document is known, or no longer of interest. */
  #forget(slot: number): void {
    this.#unknown.delete(slot);
    this.#forgotten.push(slot);
  }

  /** A document leaves the session: also one that the server has deleted, whose id stays absent. */
  dropped(slot: number): void {
    if (slot < this.#named && this.isNamed(slot)) this.#byId.delete(idKey(this.idAt(slot)));
    if (slot < this.#indexed) this.#byEntity.delete(this.#entities[slot]);
    for (const list of [this.#entities, this.#names]) list[slot] = undefined;
    this.#versions.add(slot, undefined);
    this.#snapshots.set(slot, undefined);
    this.#forget(slot);
    for (const marks of [this.#hidden, this.#pending, this.#deleted, this.#ignored, this.#inexact])
      marks.delete(slot);
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
    this.#versions.addLoaded(first, documents);
    try {
      for (let at = 0; at < documents.length; at++) {
        this.#occupy(first + at, maker.entity(documents[at] as ServerDocument, type));
        // The id stays marked as absent: `load` still returns `null` for a document that is to be deleted.
        this.#names[first + at] = ids[at];
      }
      this.#snapshots.addLoaded(first, end, this.#entities as Entity[]);
    } catch (error) {
      // A class of the app has thrown, or a document is nested too deeply.
      for (let slot = first; slot < end; slot++) this.dropped(slot);
      throw error;
    }
    if (numbers.size > 0)
      ids.forEach((id, at) => {
        this.#setInexact(first + at, numbers.get(id));
      });
    return first;
  }
}
