// A session's daily work: store, load, delete, save. Synchronous members work before the module is loaded; asynchronous ones run
// one after the other, in the order of their calls.

import { AnyThis, FINDS_ITSELF, itself } from "../common/any-this.js";
import { type IncludeCall, idsOf, includeCalls, isObject, isText, optionsOf } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey, isFinal } from "../common/id-key.js";
import { within } from "../common/time.js";
import { checkId } from "../core/check-names.js";
import { AUTO, DISABLED, FORCED } from "../documents/document-versions.js";
import type { DocumentType, Entity, ObjectTypeDescriptor } from "../documents/entity-types.js";
import { put } from "../documents/snapshots/put-member.js";
import { byKey, fetchByIds } from "../loading/track-documents.js";
import type { QueuedChange } from "../offline/offline-types.js";
import { loadPart } from "../runtime/load-part.js";
import { DeleteCommandData } from "../saving/batch-commands.js";
import { save } from "../saving/save.js";
import type { EntityKind } from "../store/conventions.js";
import { query } from "../wire/query-string.js";
import type { AttachedSession, SessionOfEvents } from "./session-events.js";
import type { LoadOptions, StoreDocumentOptions } from "./session-options.js";
import type { SessionState } from "./session-state.js";

/** Entities by ids; `null` for a document that does not exist. */
type EntitiesById = Record<string, Entity | null>;

/** Loads with includes. */
interface Loader {
  include(path: string): Loader;
  load(ids: string | string[], type?: DocumentType): Promise<Entity | EntitiesById | null>;
}

export class Session extends AnyThis {
  static readonly [FINDS_ITSELF]: readonly string[] = ["store"];
  #state;

  constructor(state: SessionState) {
    super();
    this.#state = state;
    state.attach(this);
  }

  /** The state of a session, for parts that are loaded later. */
  static stateOf(session: Session): SessionState {
    return itself(session).#state;
  }

  /** The session itself, as in npm `ravendb`, whose events give a session that has all members. */
  get advanced(): this {
    return this;
  }

  /** Ids of new documents that are not saved, and carry HiLo numbers. */
  unsaved(): string[] {
    return this.#state.unitOfWork.unsaved();
  }

  store(entity: object, id?: string | null, options?: StoreDocumentOptions | DocumentType): Promise<void> {
    const self = #state in this ? this : itself(this as Session);
    // Most documents are stored this way: it makes as few promises as possible.
    try {
      if (id === undefined && options === undefined && self.#state.tryStoreSync(entity as Entity))
        return Promise.resolve();
    } catch (error) {
      // A getter of the app.
      return Promise.reject(error);
    }
    const isNew = id == null && !options;
    return self.#state.runOrQueue(
      () => self.#put(entity, id ?? undefined, options),
      "store",
      (early) => isNew && early.store(self.#state, entity),
    );
  }

  async #put(entity: unknown, given: string | undefined, options: unknown): Promise<void> {
    const state = this.#state;
    if (!isObject(entity)) fail("InvalidArgument", "store takes an object");
    if (typeof entity.then === "function")
      fail("InvalidArgument", "store takes an object, not a promise of one");
    if (state.noTracking) fail("InvalidOperation", "a session without tracking cannot store");
    const { unitOfWork, conventions } = state;
    const { changeVector, documentType } = optionsOf<StoreDocumentOptions>(options);
    const shown = state.shownId(entity);
    const named = given ?? (typeof shown === "string" ? shown : undefined);
    // The server takes a blank id as none.
    const chosen = named?.trim?.() === "" ? "" : named;
    if (changeVector != null && typeof changeVector !== "string")
      fail("InvalidArgument", "a change vector is a text, or null for no check");
    if (changeVector) state.expects = true;
    const check =
      changeVector === null ? DISABLED : changeVector !== undefined || chosen === undefined ? FORCED : AUTO;
    const slot = unitOfWork.slotOf(entity);
    if (slot >= 0) {
      const known = unitOfWork.idAt(slot);
      // The last call of `store` and `delete` wins.
      unitOfWork.storedAgain(slot);
      if (given !== undefined && !same(known, given))
        fail("InvalidOperation", `the entity is in the session under the id ${known}, not ${given}`);
      if (changeVector !== undefined) unitOfWork.storedVector(slot, changeVector ?? undefined, check);
      return;
    }
    if (chosen !== undefined && typeof chosen !== "string") fail("InvalidId", "a document id is a string");
    // The server would store the document under another id.
    if (/\p{Surrogate}/u.test(chosen as string))
      fail("InvalidId", "a document id must not contain a lone surrogate");
    const { collection, name } =
      conventions.describe(entity, documentType) ??
      ((await conventions.load(entity, documentType)) as EntityKind);
    if (typeof collection !== "string") fail("InvalidArgument", "the name of a collection is a string");
    if (given === undefined && chosen === "" && collection)
      conventions.warn(
        `${name || collection}: the server makes a GUID for the id "", HiLo one for undefined`,
      );
    const generate = chosen === undefined && conventions.generatorOf(entity);
    let made = chosen;
    if (generate) {
      const { database, timeout } = state.store;
      const asked = Promise.all([generate(database, entity)]);
      // A generator that waits for this session would never end.
      [made] =
        (await within(timeout, asked)) ??
        fail("Timeout", "no id came in time: a generator cannot use its own session");
    }
    // The server makes the id of a document without collection.
    const numbers = collection && !generate && state.hilo(collection);
    let id: string;
    const burnt = new Set();
    // The app may have chosen an id that HiLo makes now: its number is burnt. A number that comes twice is a conflict.
    // `take` first: an entity that a listener stores is not part of its save if it has to wait.
    do id = made ?? (numbers ? (state.listening && numbers.takeForNow()) || (await numbers.next()) : "");
    while (made === undefined && unitOfWork.slot(id) >= 0 && burnt.size < burnt.add(id).size);
    if (unitOfWork.deferred.some((command) => same(command.id, id)))
      fail("InvalidOperation", `a deferred command or delete("${id}") is about this document: save first`);
    // The entity shows other ids after the save.
    const final = isFinal(id);
    if (final && unitOfWork.slot(id) >= 0) state.conflict(id);
    state.enter(() => checkId(id, conventions.maxIdLength, conventions.allowBackslashInIds));
    const ours = chosen === undefined && !generate && final;
    const kind = unitOfWork.versions.kind(collection, name, check);
    // Another client may use the ids of the app's own generator: the document must not exist.
    const vector = changeVector ?? (generate ? "" : undefined);
    unitOfWork.stored(id, ours, entity, kind, vector);
    state.rememberUnsaved();
    if (ours && (documentType ?? entity.constructor) === entity.constructor)
      state.learn(entity, collection, unitOfWork.versions.kind(collection, name, FORCED));
    if (final || given !== undefined) state.showId(entity, id);
  }

  async load(
    ids: string | string[],
    options?: LoadOptions | DocumentType | null,
  ): Promise<Entity | EntitiesById | null> {
    const { documentType: type, includes } = optionsOf<LoadOptions>(options);
    return this.#load(ids, this.#state.conventions.classOf(type), includeCalls(includes));
  }

  include(path: string): Loader {
    let included = includeCalls(path);
    const loader: Loader = {
      include: (more) => {
        included = included.concat(includeCalls(more));
        return loader;
      },
      load: (ids, type) => this.#load(ids, this.#state.conventions.classOf(type), included),
    };
    return loader;
  }

  async #load(
    ids: string | string[],
    type: ObjectTypeDescriptor | undefined,
    includes: IncludeCall[],
  ): Promise<Entity | EntitiesById | null> {
    const state = this.#state;
    const several = Array.isArray(ids);
    if (includes.length > 0 && state.noTracking)
      fail("InvalidOperation", "a session without tracking cannot include");
    const list = idsOf(ids);
    if (!several && list.length === 0) return null;
    let untracked: Map<string, Entity> | undefined;
    let found: (Entity | null)[] | undefined;
    await state.inOrder(
      async () => {
        const { unitOfWork } = state;
        const unknown = unitOfWork.isBlank ? list : list.filter((id) => !unitOfWork.knows(id));
        if (unknown.length === 0) return;
        const more = includes.some(([method]) => method !== "include") && (await loadPart("capabilities"));
        // What is included besides documents is included for all of them.
        const wanted = [...new Set(more ? list : unknown)];
        const parameters = more ? await more.includeParameters(includes) : includes;
        const { entities, inOrder } = await fetchByIds(state, query(parameters), { type, includes }, wanted);
        if (state.noTracking) {
          untracked = byKey(entities);
          return;
        }
        unitOfWork.loadedWithout(inOrder ? wanted.filter((_, at) => entities[at] === null) : wanted);
        // Nothing was known before: the entities need not be looked up.
        if (inOrder && unknown.length === list.length && wanted.length === list.length) found = entities;
      },
      "load",
      (early) => early.load(state, includes, list),
    );
    const find = (at: number): Entity | null => {
      if (found) return found[at] as Entity | null;
      return untracked
        ? (untracked.get(idKey(list[at] as string)) ?? null)
        : state.find(list[at] as string, type);
    };
    if (!several) return find(0);
    const entities: EntitiesById = {};
    for (let at = 0; at < list.length; at++) put(entities, list[at] as string, find(at));
    return entities;
  }

  async delete(target: object | string, changeVector?: string | null): Promise<void> {
    const state = this.#state;
    return state.runOrQueue(async () => {
      const { unitOfWork } = state;
      if (typeof target !== "string") {
        if (!isObject(target)) fail("InvalidArgument", "delete takes an entity or an id");
        const slot = state.slot(target, "InvalidOperation");
        unitOfWork.deleted(slot);
        return;
      }
      if (!isText(target)) fail("InvalidArgument", "delete takes an entity or an id");
      const slot = unitOfWork.slot(target);
      let expected = changeVector ?? null;
      if (slot >= 0) {
        if (unitOfWork.isChanged(slot))
          fail(
            "InvalidOperation",
            `the document ${target} has changed in this session: delete the entity, not its id`,
          );
        if (state.optimistic) expected ??= unitOfWork.versions.vector(slot) ?? null;
      }
      unitOfWork.deletedById(target);
      unitOfWork.storedCommand(new DeleteCommandData(target, expected));
    }, "delete");
  }

  async saveChanges(): Promise<void> {
    return this.#state.inOrder(() => save(this.#state), "saveChanges");
  }

  async queueChanges(): Promise<QueuedChange> {
    const { offline = fail("InvalidOperation", "queueChanges needs the store's option `offline`") } =
      this.#state.store;
    return this.#state.inOrder(
      () => offline.queue(this.#state, (keep) => save(this.#state, keep)),
      "queueChanges",
    );
  }

  dispose(): void {
    if (this.#state.close())
      this.#state.emit("sessionDisposing", { session: this as AttachedSession as SessionOfEvents });
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")](): Promise<void> {
    this.dispose();
  }
}

/** Whether two ids name the same document. */
function same(a: string | null | undefined, b: string | null | undefined): boolean {
  return a === b || (a != null && b != null && idKey(a) === idKey(b));
}
