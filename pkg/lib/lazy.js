// Loads that wait until one of them is needed, and then travel in one request.

import { fold } from "../hot/tracker.js";
import { listing } from "./listing.js";
import { byKey, isObject, optionsOf } from "./unit.js";

/** A value that is not loaded yet. */
class Lazy {
  #unit;
  #value;
  #error;
  #done = false;
  /** The query that it needs; `undefined`: none. */
  query;
  #make;
  #onEval;

  constructor(unit, query, make, type, onEval) {
    this.#unit = unit;
    this.#onEval = onEval;
    /** The class that the app names. */
    this.type = type;
    this.query = query;
    this.#make = make;
  }

  isValueCreated() {
    return this.#done;
  }

  /** Takes what its query brought. */
  settle(entities) {
    this.#done = true;
    try {
      this.#value = this.#make(entities);
    } catch (error) {
      this.#error = error;
    }
    if (this.#onEval) this.getValue().then(this.#onEval, () => {});
  }

  async getValue() {
    if (!this.#done) await executeAll(this.#unit);
    if (this.#error) throw this.#error;
    return this.#value;
  }
}

/** Everything that waits, in one request. */
export async function executeAll(unit) {
  return unit.inOrder(async () => {
    await unit.open();
    const lazies = unit.lazies.splice(0);
    try {
      const queries = new Map(lazies.map((lazy) => [lazy, lazy.query()]));
      const asked = lazies.filter((lazy) => queries.get(lazy) !== undefined);
      const types = asked.map(({ type }) => type);
      const texts = asked.map((lazy) => queries.get(lazy));
      const answers = texts.length > 0 ? await unit.fetchAll(texts, types) : [];
      for (const lazy of lazies) lazy.settle(answers[asked.indexOf(lazy)] ?? []);
    } catch (error) {
      // They can be asked for again.
      unit.lazies.unshift(...lazies);
      throw error;
    }
  });
}

/** `session.advanced.lazily`. */
export class Lazily {
  #unit;
  #includes;

  constructor(unit, includes = []) {
    this.#unit = unit;
    this.#includes = includes;
  }

  include(path) {
    return new Lazily(this.#unit, [...this.#includes, path]);
  }

  load(ids, type, onEval) {
    const unit = this.#unit;
    const several = Array.isArray(ids);
    const list = (several ? ids : [ids]).filter((id) => typeof id === "string" && id.trim() !== "");
    const documentType = unit.conventions.classOf(isObject(type) ? type.documentType : type);
    const query = () => {
      const missing = list.filter((id) => this.#includes.length > 0 || !unit.knows(id));
      if (missing.length === 0) return;
      const parameters = this.#includes.map((path) => `include=${encodeURIComponent(path)}`);
      return [...missing.map((id) => `id=${encodeURIComponent(id)}`), ...parameters].join("&");
    };
    const make = (entities) => {
      const untracked = unit.noTracking && byKey(entities);
      if (!untracked) unit.settleLoad(list.map(fold));
      const found = (id) => (untracked ? (untracked.get(fold(id)) ?? null) : unit.find(id, documentType));
      if (!several) return list.length > 0 ? found(list[0]) : null;
      return Object.fromEntries(list.map((id) => [id, found(id)]));
    };
    return this.#add(new Lazy(unit, query, make, documentType, onEval));
  }

  loadStartingWith(prefix, given, onEval) {
    const options = optionsOf(given);
    const make = (entities) =>
      Object.fromEntries(entities.filter(Boolean).map((entity) => [entity["@metadata"]["@id"], entity]));
    const query = () => listing(prefix, options);
    return this.#add(new Lazy(this.#unit, query, make, options.documentType, onEval));
  }

  #add(lazy) {
    this.#unit.lazies.push(lazy);
    return lazy;
  }
}
