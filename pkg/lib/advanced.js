// What a session can do besides its daily work. Names and behaviour of npm `ravendb`.

import { fold } from "../hot/fold.js";
import { added, deleted, differences } from "./changes.js";
import { fail } from "./error.js";
import { isObject, isText, said } from "./given.js";
import { later } from "./later.js";
import { executeAll, Lazily } from "./lazy.js";
import { metadata } from "./metadata.js";
import { Session } from "./session.js";
import { explained } from "./textless.js";
import { dateOf } from "./types.js";

/** Ids do not differ by case. */
class ById extends Map {
  get(id) {
    return super.get(id) ?? [...this.values()].find((info) => fold(info.id) === fold(id));
  }

  has(id) {
    return this.get(id) !== undefined;
  }
}

export class Advanced extends Session {
  /** Whatever the app wants to keep with the session. */
  externalState = new Map();

  #unit;

  constructor(unit) {
    super(unit);
    this.#unit = unit;
  }

  get numberOfRequests() {
    return this.#unit.requests;
  }

  get maxNumberOfRequestsPerSession() {
    return this.#unit.maxRequests;
  }

  set maxNumberOfRequestsPerSession(count) {
    this.#unit.maxRequests = count;
  }

  get useOptimisticConcurrency() {
    return this.#unit.optimistic;
  }

  set useOptimisticConcurrency(on) {
    this.#unit.concurrency = on ? "Writes" : "None";
  }

  /** `None`, `Writes` (what is saved must be as it was loaded) or `WritesAndReads` (what was only loaded, too). */
  get optimisticConcurrencyMode() {
    return this.#unit.concurrency;
  }

  set optimisticConcurrencyMode(mode) {
    this.#unit.concurrency = mode;
  }

  get transactionMode() {
    return this.#unit.cluster ? "ClusterWide" : "SingleNode";
  }

  set transactionMode(mode) {
    this.#unit.transactionMode = mode;
  }

  setTransactionMode(mode) {
    this.transactionMode = mode;
  }

  get documentStore() {
    return this.#unit.store;
  }

  get requestExecutor() {
    return this.getRequestExecutor();
  }

  /** Sends commands that are not part of the unit of work. */
  getRequestExecutor() {
    return this.#unit.store.getRequestExecutor();
  }

  on(name, listener) {
    this.#unit.events.on(name, listener);
    return this;
  }

  once(name, listener) {
    this.#unit.events.once(name, listener);
    return this;
  }

  off(name, listener) {
    this.#unit.events.off(name, listener);
    return this;
  }

  removeListener(name, listener) {
    return this.off(name, listener);
  }

  /** Calls the listeners of an event; whether there are any. */
  emit(name, detail) {
    const { events } = this.#unit;
    const isHeard = events.has(name);
    events.emit(name, detail);
    return isHeard;
  }

  get conventions() {
    return this.#unit.conventions;
  }

  get storeIdentifier() {
    const { store } = this.#unit;
    return `${store.identifier};${store.database}`;
  }

  get sessionInfo() {
    return {
      incrementRequestCount: () => this.#unit.count(),
      getCurrentSessionNode: () => this.getCurrentSessionNode(),
    };
  }

  /** The node that the session's next request goes to. */
  getCurrentSessionNode() {
    return this.#apart("getCurrentSessionNode");
  }

  /** Makes documents of entities: without their ids, and with the metadata that they show. */
  get entityToJson() {
    const { shape } = this.#unit;
    return {
      convertEntityToJson(entity) {
        const { document, metadata } = shape.document(entity);
        const shown = entity["@metadata"];
        return shown ? { ...document, "@metadata": { ...shown, ...metadata } } : document;
      },
    };
  }

  getDocumentId(entity) {
    return isObject(entity) ? this.#unit.tracker.idOf(entity) : null;
  }

  getChangeVectorFor(entity) {
    return this.#unit.tracker.stamps.vector(this.#slot(entity)) || null;
  }

  getMetadataFor(entity) {
    return metadata(this.#unit, this.#slot(entity, "InvalidOperation"));
  }

  getLastModifiedFor(entity) {
    const text = this.#unit.tracker.stamps.modified(this.#slot(entity));
    return text ? dateOf(text) : null;
  }

  #slot(entity, code = "InvalidArgument") {
    if (!isObject(entity)) fail(code, "this takes an entity of the session");
    return this.#unit.slot(entity);
  }

  hasChanges() {
    const unit = this.#unit;
    return unit.deferred.length > 0 || explained(unit, () => unit.tracker.any());
  }

  hasChanged(entity) {
    const slot = this.#unit.tracker.slotOf(entity);
    return slot >= 0 && this.#unit.tracker.isChanged(slot);
  }

  whatChanged() {
    const { tracker } = this.#unit;
    const all = {};
    for (const slot of tracker.slots()) {
      const id = tracker.idAt(slot) ?? "";
      const changes = this.#changes(slot);
      if (changes.length > 0) all[id] = changes;
    }
    return all;
  }

  whatChangedFor(entity) {
    const slot = this.#unit.tracker.slotOf(entity);
    return slot >= 0 ? this.#changes(slot) : [];
  }

  #changes(slot) {
    const { tracker } = this.#unit;
    if (tracker.isDeleted(slot)) return [deleted()];
    if (!tracker.isChanged(slot)) return [];
    const before = tracker.snapshots.before(slot);
    if (!before) return [added()];
    return differences(before, tracker.now(slot));
  }

  isLoaded(id) {
    return this.#unit.knows(id);
  }

  async exists(id) {
    const unit = this.#unit;
    if (!isText(id)) fail("InvalidArgument", "exists takes an id");
    if (unit.tracker.missing.has(fold(id))) return false;
    if (unit.tracker.slot(id) >= 0) return true;
    return this.#apart("exists", id);
  }

  evict(entity) {
    const unit = this.#unit;
    const slot = unit.tracker.slotOf(entity);
    if (slot < 0) return;
    const id = unit.tracker.idAt(slot);
    unit.tracker.drop(slot);
    if (id) unit.tracker.missing.delete(fold(id));
  }

  clear() {
    const unit = this.#unit;
    for (const slot of [...unit.tracker.slots()]) unit.tracker.drop(slot);
    unit.tracker.missing.clear();
    unit.deferred = [];
    unit.lazies = [];
  }

  ignoreChangesFor(entity) {
    this.#unit.tracker.ignore(this.#slot(entity));
  }

  getTrackedEntities() {
    const { tracker } = this.#unit;
    const tracked = new ById();
    for (const slot of tracker.slots()) {
      const id = tracker.idAt(slot);
      if (id) tracked.set(id, { id, entity: tracker.at(slot), isDeleted: tracker.missing.has(fold(id)) });
    }
    for (const id of tracker.missing.values()) {
      if (tracker.slot(id) < 0) tracked.set(id, { id, entity: undefined, isDeleted: true });
    }
    return tracked;
  }

  defer(...commands) {
    this.#unit.deferred.push(...commands);
  }

  waitForReplicationAfterSaveChanges(options) {
    const { replicas = 1, throwOnTimeout = true, majority = false, timeout } = said(options);
    const normal = this.#unit.conventions.waitForReplicationAfterSaveChangesTimeout;
    this.#unit.saveOptions.replication = { replicas, throwOnTimeout, majority, timeout: timeout ?? normal };
  }

  waitForIndexesAfterSaveChanges(options) {
    const { indexes = [], throwOnTimeout = true, timeout } = said(options);
    const normal = this.#unit.conventions.waitForIndexesAfterSaveChangesTimeout;
    this.#unit.saveOptions.indexes = { indexes, throwOnTimeout, timeout: timeout ?? normal };
  }

  /** Reads entities again; what has changed here is lost, what is gone there goes. */
  refresh(entities) {
    return this.#apart("refresh", [entities].flat(), Array.isArray(entities));
  }

  loadStartingWith(...given) {
    return this.#apart("loadStartingWith", ...given);
  }

  conditionalLoad(...given) {
    return this.#apart("conditionalLoad", ...given);
  }

  loadIntoStream(...given) {
    return this.#apart("loadIntoStream", ...given);
  }

  loadStartingWithIntoStream(...given) {
    return this.#apart("loadStartingWithIntoStream", ...given);
  }

  /** What is seldom used, and loaded then. */
  #apart(name, ...given) {
    return this.#unit.inOrder(async () => (await later("session"))[name](this.#unit, ...given));
  }

  get lazily() {
    return new Lazily(this.#unit);
  }

  get eagerly() {
    return {
      executeAllPendingLazyOperations: async () => {
        for (const lazy of await executeAll(this.#unit)) {
          await lazy.told;
          lazy.read();
        }
      },
    };
  }
}
