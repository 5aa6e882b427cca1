// A unit of work over plain objects. Synchronous members answer before the module is there; asynchronous ones run
// one after the other, in the order of their calls.

import { fold } from "../hot/fold.js";
import { AUTO, DISABLED, FORCED } from "../hot/stamps.js";
import { DeleteCommandData } from "./batch.js";
import { byKey, fetchByIds } from "./entities.js";
import { fail } from "./error.js";
import { idsOf, isObject, isText, optionsOf, paths } from "./given.js";
import { query } from "./listing.js";
import { save } from "./save.js";
import { within } from "./timeout.js";

export class Session {
  #unit;

  constructor(unit) {
    this.#unit = unit;
    unit.attach(this);
  }

  /** One object, as in npm `ravendb`, whose events give a session that has all members itself. */
  get advanced() {
    return this;
  }

  /** Ids of new documents that carry numbers of ours. */
  unsaved() {
    return this.#unit.tracker.unsaved();
  }

  store(entity, id, options) {
    // Most documents come this way, and each promise that is not made counts.
    try {
      if (id === undefined && options === undefined && this.#unit.quick(entity)) return Promise.resolve();
    } catch (error) {
      // A getter of the app.
      return Promise.reject(error);
    }
    return this.#storeInOrder(entity, id ?? undefined, options);
  }

  async #storeInOrder(entity, id, options) {
    return this.#unit.soon(() => this.#put(entity, id, options));
  }

  /** Takes an entity in. */
  async #put(entity, given, options) {
    const unit = this.#unit;
    if (!isObject(entity)) fail("InvalidArgument", "store takes an object");
    if (typeof entity.then === "function")
      fail("InvalidArgument", "store takes an object, not a promise of one");
    if (unit.noTracking) fail("InvalidOperation", "this session does not track: it cannot store");
    const { tracker, conventions } = unit;
    const { changeVector, documentType } = optionsOf(options);
    const identity = conventions.identityOf(entity);
    const shown = entity[identity];
    const named = given ?? (typeof shown === "string" ? shown : undefined);
    // To the server a blank one is none.
    const chosen = named?.trim?.() === "" ? "" : named;
    if (changeVector != null && typeof changeVector !== "string")
      fail("InvalidArgument", "a change vector is a text, or null for no check");
    if (changeVector) unit.expects = true;
    const check =
      changeVector === null ? DISABLED : changeVector !== undefined || chosen === undefined ? FORCED : AUTO;
    const slot = tracker.slotOf(entity);
    if (slot >= 0) {
      const known = tracker.idAt(slot);
      // Of `store` and `delete` the last call wins.
      tracker.restore(slot);
      if (given !== undefined && !same(known, given))
        fail("InvalidOperation", `the entity is in the session under the id ${known}, not ${given}`);
      if (changeVector !== undefined) tracker.stamps.check(slot, check, changeVector ?? undefined);
      return;
    }
    if (chosen !== undefined && typeof chosen !== "string") fail("InvalidId", "a document id is a string");
    // The server would store it under another one.
    if (/\p{Surrogate}/u.test(chosen)) fail("InvalidId", "a document id has no half of a surrogate pair");
    const { collection, name } =
      conventions.describe(entity, documentType) ?? (await conventions.load(entity, documentType));
    if (typeof collection !== "string") fail("InvalidArgument", "the name of a collection is a string");
    const generate = chosen === undefined && conventions.generatorOf(entity);
    let made = chosen;
    if (generate) {
      const { database, timeout } = unit.store;
      const asked = Promise.all([generate(database, entity)]);
      // One that waits for this session waits for ever.
      [made] =
        (await within(timeout, asked)) ??
        fail("Timeout", "no id came in time: a generator cannot use its own session");
    }
    // Of a document without collection the server makes the id.
    const numbers = collection && !generate && unit.hilo(collection);
    // A listener's entity comes too late for its save, if it has to wait.
    let id;
    const burnt = new Set();
    // Somebody may have chosen what is one of our ids: this number is burnt. One that comes twice is a conflict.
    do id = made ?? (numbers ? (unit.listening && numbers.take()) || (await numbers.next()) : "");
    while (made === undefined && tracker.slot(id) >= 0 && burnt.size < burnt.add(id).size);
    if (unit.deferred.some((command) => same(command.id, id)))
      fail("InvalidOperation", `a deferred command or delete("${id}") is about this document: save first`);
    // The server makes the others; the entity shows its id once it was saved.
    const final = !/(^|[/|])$/.test(id);
    if (final && tracker.slot(id) >= 0) unit.conflict(id);
    unit.enter((core) => core.check(id));
    const ours = chosen === undefined && !generate && final;
    const added = ours ? tracker.add(id, entity) : tracker.put(id, entity, !final);
    const kind = tracker.stamps.kind(collection, name);
    // An id that the app's own generator made may not be its alone.
    tracker.stamps.add(added, kind, check, changeVector ?? (generate ? "" : undefined));
    unit.remember();
    if (ours && (documentType ?? entity.constructor) === entity.constructor)
      unit.learn(entity, collection, kind);
    if (final || given !== undefined) unit.show(entity, id);
  }

  async load(ids, options) {
    const { documentType: type, includes } = optionsOf(options);
    return this.#load(ids, this.#unit.conventions.classOf(type), paths(includes));
  }

  /** Documents that are loaded together with others: `session.include("customerId").load("orders/1-A")`. */
  include(path) {
    const included = [path];
    const loader = {
      include: (more) => {
        included.push(more);
        return loader;
      },
      load: (ids, type) => this.#load(ids, this.#unit.conventions.classOf(type), included),
    };
    return loader;
  }

  async #load(ids, type, includes) {
    const unit = this.#unit;
    const several = Array.isArray(ids);
    if (includes.length > 0 && unit.noTracking)
      fail("InvalidOperation", "this session does not track: what it includes would be lost");
    const list = idsOf(ids);
    if (!several && list.length === 0) return null;
    let untracked;
    let found;
    await unit.inOrder(async () => {
      const { tracker } = unit;
      const unknown = tracker.isBlank ? list : list.filter((id) => !unit.knows(id));
      const wanted = [...new Set(unknown)];
      if (wanted.length === 0) return;
      const parameters = query(includes.map((path) => ["include", path]));
      const entities = await fetchByIds(unit, parameters, type, wanted);
      if (unit.noTracking) {
        untracked = byKey(entities);
      } else if (tracker.asWanted) {
        wanted.forEach((id, at) => {
          if (entities[at] === null) tracker.missing.set(fold(id), id);
        });
        // Nothing was known before: they need not be looked up.
        if (wanted.length === list.length) found = entities;
      } else {
        unit.settleLoad(wanted);
      }
    });
    const find = (at) => {
      if (found) return found[at];
      return untracked ? (untracked.get(fold(list[at])) ?? null) : unit.find(list[at], type);
    };
    if (!several) return find(0);
    const entities = {};
    list.forEach((id, at) => {
      entities[id] = find(at);
    });
    return entities;
  }

  async delete(target, changeVector) {
    const unit = this.#unit;
    return unit.soon(async () => {
      const { tracker } = unit;
      if (typeof target !== "string") {
        if (!isObject(target)) fail("InvalidArgument", "delete takes an entity or an id");
        const slot = unit.slot(target, "InvalidOperation");
        tracker.delete(slot);
        const id = tracker.idAt(slot);
        if (id) tracker.missing.set(fold(id), id);
        return;
      }
      if (!isText(target)) fail("InvalidArgument", "delete takes an entity or an id");
      const slot = tracker.slot(target);
      let expected = changeVector ?? null;
      if (slot >= 0) {
        if (tracker.isChanged(slot))
          fail(
            "InvalidOperation",
            `the document ${target} has changed in this session: delete the entity, not its id`,
          );
        if (unit.optimistic) expected ??= tracker.stamps.vector(slot) ?? null;
        tracker.drop(slot);
      }
      tracker.missing.set(fold(target), target);
      unit.deferred.push(new DeleteCommandData(target, expected));
    });
  }

  async saveChanges() {
    return this.#unit.inOrder(() => save(this.#unit));
  }

  dispose() {
    if (this.#unit.close()) this.#unit.emit("sessionDisposing", { session: this });
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    this.dispose();
  }
}

function same(a, b) {
  return a === b || (a != null && b != null && fold(a) === fold(b));
}
