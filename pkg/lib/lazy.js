// Loads that wait until one of them is needed, and then travel in one request.

import { fold } from "../hot/tracker.js";
import { byKey, fetchAll } from "./entities.js";
import { isObject, isText, optionsOf } from "./given.js";
import { listing, query } from "./listing.js";

/** A value that is not loaded yet. */
export class Lazy {
  #unit;
  #value;
  #error;
  #done = false;
  /** The request that it needs: see `fetchAll`; `undefined`: none. */
  request;
  #make;
  #onEval;

  constructor(unit, request, make, onEval) {
    this.#unit = unit;
    this.#onEval = onEval;
    this.request = request;
    this.#make = make;
  }

  isValueCreated() {
    return this.#done;
  }

  /** Takes what its request brought, if it needed one. */
  settle(found) {
    this.#done = true;
    try {
      this.#value = this.#make(found);
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
    const lazies = unit.lazies.splice(0);
    try {
      const requests = [];
      for (const lazy of lazies) requests.push(await lazy.request());
      const asked = requests.filter((request) => request !== undefined);
      const answers = asked.length > 0 ? await fetchAll(unit, asked) : [];
      lazies.forEach((lazy, at) => {
        lazy.settle(answers[asked.indexOf(requests[at])]);
      });
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
    const list = (several ? ids : [ids]).filter(isText);
    const documentType = unit.conventions.classOf(isObject(type) ? type.documentType : type);
    const request = () => {
      const missing = list.filter((id) => this.#includes.length > 0 || !unit.knows(id));
      if (missing.length === 0) return;
      const named = [...missing.map((id) => ["id", id]), ...this.#includes.map((path) => ["include", path])];
      return { query: query(named), reading: { type: documentType } };
    };
    const make = ({ entities } = { entities: [] }) => {
      const untracked = unit.noTracking && byKey(entities);
      if (!untracked) unit.settleLoad(list.map(fold));
      const found = (id) => (untracked ? (untracked.get(fold(id)) ?? null) : unit.find(id, documentType));
      if (!several) return list.length > 0 ? found(list[0]) : null;
      return Object.fromEntries(list.map((id) => [id, found(id)]));
    };
    return this.#add(new Lazy(unit, request, make, onEval));
  }

  loadStartingWith(prefix, given, onEval) {
    const options = optionsOf(given);
    const make = ({ entities }) =>
      Object.fromEntries(entities.filter(Boolean).map((entity) => [entity["@metadata"]["@id"], entity]));
    const type = this.#unit.conventions.classOf(options.documentType);
    const request = () => ({ query: listing(prefix, options), reading: { type } });
    return this.#add(new Lazy(this.#unit, request, make, onEval));
  }

  #add(lazy) {
    this.#unit.lazies.push(lazy);
    return lazy;
  }
}
