// The state of a session: what it tracks, and how it stores and finds documents.

import { isObject } from "../common/arguments.js";
import { type ErrorCode, fail } from "../common/error.js";
import { Events, SESSION } from "../common/event-listeners.js";
import { idKey } from "../common/id-key.js";
import { checkName } from "../common/known-names.js";
import { FORCED } from "../documents/document-versions.js";
import { EntityMapper } from "../documents/entity-mapper.js";
import type { Entity, ObjectTypeDescriptor } from "../documents/entity-types.js";
import { Tracker } from "../documents/identity-map.js";
import type { Lazy } from "../loading/lazy-operations.js";
import type { HiLo } from "../numbers/hilo.js";
import type { ICommandData } from "../saving/batch-commands.js";
import type { StoreBase } from "../store/store.js";
import { OutgoingBatch } from "../wire/outgoing-batch.js";
import { SessionCore } from "./session-core.js";
import type { SessionEvents } from "./session-events.js";
import type { OptimisticConcurrencyMode, SessionOptions, TransactionMode } from "./session-options.js";
import type { SaveOptions } from "./session-types.js";

/** What documents of one class and collection have in common. */
interface StoredKind {
  kind: string[];
  identity: string;
  hilo: HiLo;
}

export class SessionState extends SessionCore {
  /** Kinds of documents that were stored, by class and by the collection in their metadata. */
  #like = new Map<unknown, Map<unknown, StoredKind>>();
  #options;
  deferred: ICommandData[] = [];
  /** Deferred commands that are on their way. */
  underWay: ICommandData[] = [];
  lazies: Lazy[] = [];
  saveOptions: SaveOptions = {};
  /** Whether a save is a transaction of the whole cluster. */
  cluster = false;
  #concurrency: OptimisticConcurrencyMode | undefined;
  declare readonly events: Events<SessionEvents>;
  declare readonly shape: EntityMapper;
  declare readonly tracker: Tracker;
  declare readonly sent: OutgoingBatch;
  /** Whether the app has stored a document with a change vector of its own. */
  declare expects?: boolean;

  constructor(store: StoreBase, options: SessionOptions) {
    super(store);
    // Listeners that the store gets later apply to later sessions.
    this.events = new Events<SessionEvents>(store.sessionEvents, SESSION);
    this.#options = options;
    const { conventions } = this;
    this.shape = new EntityMapper(conventions);
    const { hasOwnIdentities, identityProperty } = conventions;
    const identity = hasOwnIdentities ? (entity: object) => conventions.identityOf(entity) : identityProperty;
    this.tracker = new Tracker(identity, this.shape);
    this.sent = new OutgoingBatch(this.tracker, this.shape);
    const mode = options.optimisticConcurrencyMode ?? conventions.optimisticConcurrencyMode;
    this.concurrency = mode as OptimisticConcurrencyMode;
    if (options.transactionMode) this.transactionMode = options.transactionMode;
  }

  get concurrency(): OptimisticConcurrencyMode {
    return this.#concurrency as OptimisticConcurrencyMode;
  }

  set concurrency(mode: OptimisticConcurrencyMode) {
    checkName("optimisticConcurrencyMode", mode, ["None", "Writes", "WritesAndReads"]);
    this.#concurrency = mode;
  }

  set transactionMode(mode: TransactionMode) {
    checkName("transactionMode", mode, ["SingleNode", "ClusterWide"]);
    this.cluster = mode === "ClusterWide";
  }

  get optimistic(): boolean {
    return this.concurrency !== "None";
  }

  get noTracking(): boolean {
    return !!this.#options.noTracking;
  }

  /** The ids of a collection. */
  hilo(collection: string): HiLo {
    return this.store.hilo(this.conventions.transformClassCollectionNameToDocumentIdPrefix(collection));
  }

  /** Remembers the kind of a stored document, so that `tryStoreSync` stores the next one like it. */
  learn(entity: Entity, collection: string, kind: string[]): void {
    // An object without a prototype has no class by which another one would be like it.
    if (typeof entity.constructor !== "function") return;
    if (entity["@metadata"]?.["@collection"] !== collection && entity.constructor === Object) return;
    if (this.conventions.literalOf(entity)) return;
    const known = this.#like.get(entity.constructor) ?? new Map<unknown, StoredKind>();
    const identity = this.conventions.identityOf(entity);
    this.#like.set(entity.constructor, known);
    known.set(entity["@metadata"]?.["@collection"], { kind, identity, hilo: this.hilo(collection) });
  }

  /** Stores a document like one that was stored before, if a number is in memory; returns whether it did. */
  tryStoreSync(entity: Entity): boolean {
    const { tracker } = this;
    const like = this.#like.get(entity?.constructor)?.get(entity["@metadata"]?.["@collection"]);
    if (like === undefined || !this.idle || this.deferred.length > 0 || this.noTracking) return false;
    if (typeof entity[like.identity] === "string" || tracker.slotOf(entity) >= 0) return false;
    const id = like.hilo.take();
    if (id === undefined) return false;
    // The app has chosen an id that HiLo makes now: this number is burnt.
    if (tracker.has(id)) return false;
    tracker.stamps.add(tracker.add(id, entity), like.kind, FORCED);
    this.remember();
    this.show(entity, id);
    return true;
  }

  /** Whether anything listens to an event. */
  hasListener(name: keyof SessionEvents): boolean {
    return this.events.has(name);
  }

  emit<Name extends keyof SessionEvents>(name: Name, detail: SessionEvents[Name]): void {
    this.events.emit(name, detail);
  }

  /** The slot of an entity of this session. */
  slot(entity: unknown, code?: ErrorCode): number {
    const slot = this.tracker.slotOf(entity);
    if (slot >= 0) return slot;
    const id = isObject(entity) && entity[this.conventions.identityOf(entity)];
    const other = typeof id === "string" && this.tracker.slot(id) >= 0;
    if (other) this.conflict(id, "give that one, or the id: this is a wrapper of it, or a copy");
    fail(
      code ?? (id ? "InvalidArgument" : "InvalidOperation"),
      `the entity${id ? ` ${id}` : ""} is not part of this session; store or load it first`,
    );
  }

  conflict(id: string, advice = "change that one, do not store a copy"): never {
    fail(
      "NonUniqueObject",
      `the session has another object under the id ${id}, which load("${id}") gives; ${advice}`,
    );
  }

  /** The entity of an id that was loaded; `null` if the document does not exist. */
  find(id: string, type: ObjectTypeDescriptor | undefined): Entity | null {
    const key = idKey(id);
    const slot = this.tracker.slotOfKey(key);
    if (slot < 0 || (this.tracker.missing.size > 0 && this.tracker.missing.has(key))) return null;
    if (type && this.tracker.isHidden(slot)) {
      const entity = this.tracker.at(slot);
      if (typeof type !== "function" || !(entity instanceof type)) {
        // The class may have another property for the id.
        const { [this.conventions.identityOf(entity)]: _, ...document } = entity;
        const made = this.shape.entity(document, type);
        this.tracker.replace(slot, made);
        // Members that the class adds are no change of the app's.
        this.tracker.snapshots.settle(slot, made);
      }
    }
    return this.tracker.show(slot);
  }

  /** Writes the id into an entity, if that can be done; of other entities, `advanced.getDocumentId` gives it. */
  show(entity: Entity, id: string): void {
    try {
      entity[this.conventions.identityOf(entity)] = id;
    } catch {
      // The document is stored already: a frozen entity, or a setter of the app that throws, must not make that fail.
    }
  }

  /** After a request for these ids: a document that the server did not give does not exist. */
  settleLoad(ids: string[]): void {
    for (const id of ids) {
      const key = idKey(id);
      if (this.tracker.slotOfKey(key) < 0) this.tracker.missing.set(key, id);
    }
  }

  /** Whether a document is in the session, or known not to exist. */
  knows(id: string | null | undefined): boolean {
    const key = idKey(id ?? "");
    return this.tracker.slotOfKey(key) >= 0 || this.tracker.missing.has(key);
  }
}
