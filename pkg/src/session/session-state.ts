// The state of a session: what it tracks, and how it stores and finds documents.

import { checkName, isObject } from "../common/arguments.js";
import { type ErrorCode, fail } from "../common/error.js";
import { Events, SESSION } from "../common/event-listeners.js";
import { idKey } from "../common/id-key.js";
import { classOf } from "../common/value-kinds.js";
import type { Kind } from "../documents/document-versions.js";
import type { Entity, ObjectTypeDescriptor } from "../documents/entity-types.js";
import { EntityMapper } from "../documents/mapping/entity-mapper.js";
import { UnitOfWork } from "../documents/unit-of-work.js";
import type { Lazy } from "../loading/lazy-operations.js";
import type { HiLo } from "../numbers/hilo.js";
import type { Batch } from "../saving/batch.js";
import type { ICommandData } from "../saving/batch-commands.js";
import { SessionCore } from "./session-core.js";
import type { SessionEvents } from "./session-events.js";
import type {
  OfflineReading,
  OptimisticConcurrencyMode,
  SaveOptions,
  SessionOptions,
  TransactionMode,
} from "./session-options.js";
import type { SessionStore } from "./session-store.js";

export class SessionState extends SessionCore {
  /** Lazy values that wait for a request. */
  lazies: Lazy[] = [];
  /** The save that is under way, from the plan to its end. */
  batch: Batch | undefined;
  saveOptions: SaveOptions = {};
  /** Whether a save is a transaction of the whole cluster. */
  cluster = false;
  #concurrency: OptimisticConcurrencyMode | undefined;
  /** Whether writes are checked. As in npm `ravendb`, the app may set it without the mode, which still decides about reads. */
  optimistic = false;
  declare readonly events: Events<SessionEvents>;
  declare readonly mapper: EntityMapper;
  declare readonly unitOfWork: UnitOfWork;
  /** Whether it reads from the device. */
  declare readonly reads: OfflineReading | undefined;
  declare readonly noTracking: boolean;
  /** Whether the app has stored a document with a change vector of its own. */
  declare expects?: boolean;

  constructor(store: SessionStore, options: SessionOptions) {
    super(store, options);
    // Listeners that the app adds to the store later apply to sessions that are opened later.
    this.events = new Events<SessionEvents>(store.sessionEvents, SESSION);
    this.reads = options.offline;
    this.noTracking = !!options.noTracking;
    const { conventions } = this;
    this.mapper = new EntityMapper(conventions);
    this.unitOfWork = new UnitOfWork(this.mapper);
    const mode = options.optimisticConcurrencyMode ?? conventions.optimisticConcurrencyMode;
    this.concurrency = mode as OptimisticConcurrencyMode;
    if (options.transactionMode) this.transactionMode = options.transactionMode;
  }

  /** Whether a command is part of the save that is under way: what the app adds to it would be lost. */
  isSealed(command: ICommandData): boolean {
    return !!this.batch?.commands.includes(command);
  }

  /** Removes all documents, what capabilities keep, deferred commands and pending lazy values. */
  clear(): void {
    this.unitOfWork.evictedAll();
    this.lazies = [];
  }

  get concurrency(): OptimisticConcurrencyMode {
    return this.#concurrency as OptimisticConcurrencyMode;
  }

  set concurrency(mode: OptimisticConcurrencyMode) {
    checkName("optimisticConcurrencyMode", mode, ["None", "Writes", "WritesAndReads"]);
    this.#concurrency = mode;
    this.optimistic = mode !== "None";
  }

  set transactionMode(mode: TransactionMode) {
    checkName("transactionMode", mode, ["SingleNode", "ClusterWide"]);
    this.cluster = mode === "ClusterWide";
  }

  hilo(collection: string): HiLo {
    return this.store.hilo(this.tagOf(collection));
  }

  tagOf(collection: string): string {
    return this.conventions.transformClassCollectionNameToDocumentIdPrefix(collection);
  }

  /** Remembers the kind of a stored document, so that `tryStoreSync` stores the next one like it. */
  learn(entity: Entity, collection: string, kind: Kind): void {
    // An object without a prototype has no class by which the next one like it could be found.
    if (typeof entity.constructor !== "function") return;
    if (entity["@metadata"]?.["@collection"] !== collection && !classOf(entity)) return;
    if (this.conventions.literalOf(entity)) return;
    const identity = this.mapper.identityOf(entity);
    const shown = entity["@metadata"]?.["@collection"];
    const take = this.hilo(collection).takeForNow;
    this.unitOfWork.storedFirst({ type: entity.constructor, collection: shown, kind, identity, take });
  }

  /** Stores a document like one that was stored before, if a number is in memory; returns whether it did. */
  tryStoreSync(entity: Entity): boolean {
    if (!this.idle || !this.unitOfWork.storedLike(entity)) return false;
    this.rememberUnsaved();
    return true;
  }

  hasListener(name: keyof SessionEvents): boolean {
    return this.events.has(name);
  }

  emit<Name extends keyof SessionEvents>(name: Name, detail: SessionEvents[Name]): void {
    this.events.emit(name, detail);
  }

  /** The slot of an entity of this session. */
  slot(entity: unknown, code?: ErrorCode): number {
    const slot = this.unitOfWork.slotOf(entity);
    if (slot >= 0) return slot;
    const id = isObject(entity) && this.shownId(entity);
    const other = typeof id === "string" && this.unitOfWork.slot(id) >= 0;
    if (other) this.conflict(id, "pass that one or the id: this is a wrapper or a copy");
    fail(
      code ?? (id ? "InvalidArgument" : "InvalidOperation"),
      `the entity${id ? ` ${id}` : ""} is not part of this session; store or load it first`,
    );
  }

  conflict(id: string, advice = "change that one, do not store a copy"): never {
    fail(
      "NonUniqueObject",
      `the session has another object under the id ${id}, which load("${id}") returns; ${advice}`,
    );
  }

  /** The entity of an id that was loaded; `null` if the document does not exist. */
  find(id: string, type: ObjectTypeDescriptor | undefined): Entity | null {
    const key = idKey(id);
    const slot = this.unitOfWork.slotOfKey(key);
    if (slot < 0 || this.unitOfWork.isAbsent(key)) return null;
    if (type && this.unitOfWork.isHidden(slot)) {
      const entity = this.unitOfWork.at(slot);
      if (typeof type !== "function" || !(entity instanceof type)) {
        // The class may have another property for the id.
        const made = this.mapper.entity(this.mapper.withoutId(entity), type);
        this.unitOfWork.loadedByClass(slot, made);
      }
    }
    return this.unitOfWork.loadedAt(slot);
  }

  shownId(entity: Entity): unknown {
    const identity = this.mapper.identityOf(entity);
    return identity && entity[identity];
  }

  /** Writes the id into an entity, if that can be done; of other entities, `advanced.getDocumentId` gives it. */
  showId(entity: Entity, id: string, identity?: string): void {
    try {
      this.mapper.showId(entity, id, identity);
    } catch {
      // The document is stored already: a setter of the app that throws must not make that fail.
    }
  }
}
