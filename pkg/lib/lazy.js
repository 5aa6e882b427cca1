// Loads that wait until one of them is needed, and then travel in one request.

import { fold } from "../hot/fold.js";
import { byKey, fetchAll, loadable } from "./entities.js";
import { RavenEdgeError } from "./error.js";
import { idsOf, isObject, optionsOf } from "./given.js";
import { listing, query } from "./listing.js";

const NOTHING = { entities: [] };

/** A value that is not loaded yet. */
export class Lazy {
  #unit;
  #value = null;
  #error;
  #done = false;
  /** Gives the request that it needs (see `fetchAll`), or `undefined`: none. */
  request;
  /** What brings it, once that was called for. */
  sent;
  /** Is told then, at the very call. */
  begun;
  /** The end of what the app does with the value. */
  told;
  #make;
  #onEval;

  constructor(unit, request, make, onEval, begun) {
    this.#unit = unit;
    this.#onEval = onEval;
    this.request = request;
    this.#make = make;
    this.begun = begun;
  }

  isValueCreated() {
    return this.#done;
  }

  /** Takes what its request brought, if it needed one. */
  settle(found) {
    this.#done = true;
    try {
      if (found?.error) throw found.error;
      this.#value = this.#make(found);
    } catch (error) {
      this.#error = error;
    }
  }

  /** What the app's function throws is for those who wait for the value, also if it is asynchronous. */
  async tell() {
    try {
      if (!this.#error) await this.#onEval?.(this.#value);
    } catch (error) {
      this.#error = error;
    }
  }

  /** What was settled; null after `clear`. */
  read() {
    if (this.#error) throw this.#error;
    return this.#value;
  }

  async getValue() {
    if (!this.#done) {
      await (this.sent ?? executeAll(this.#unit));
      await this.told;
    }
    return this.read();
  }
}

/** Everything that waits, in one request; gives it, settled. */
export async function executeAll(unit) {
  const lazies = unit.lazies.splice(0);
  const sent = unit
    .inOrder(() => send(unit, lazies))
    .catch((error) => {
      // They can be asked for again.
      for (const lazy of lazies) lazy.sent = undefined;
      unit.lazies.unshift(...lazies);
      throw error;
    });
  for (const lazy of lazies) {
    lazy.sent = sent;
    lazy.begun?.(lazy);
  }
  await sent;
  return lazies;
}

async function send(unit, lazies) {
  const requests = [];
  for (const lazy of lazies) requests.push(await lazy.request().catch((error) => ({ error })));
  const asked = requests.filter((request) => request && !request.error);
  const answers = asked.length > 0 ? await fetchAll(unit, asked).catch((error) => unread(error, asked)) : [];
  lazies.forEach((lazy, at) => {
    const request = requests[at];
    lazy.settle(request?.error ? request : answers[asked.indexOf(request)]);
  });
  for (const lazy of lazies) lazy.told = lazy.tell();
}

/** An answer that came and cannot be read would come again: only what failed on its way is worth another request. */
function unread(error, asked) {
  if (error instanceof RavenEdgeError && error.code !== "BadAnswer") throw error;
  return asked.map(() => ({ error }));
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
    const list = idsOf(ids);
    const documentType = unit.conventions.classOf(isObject(type) ? type.documentType : type);
    let missing;
    const request = async () => {
      missing = list.filter((id) => this.#includes.length > 0 || !unit.knows(id));
      if (missing.length === 0) return;
      const named = [...missing.map((id) => ["id", id]), ...this.#includes.map((path) => ["include", path])];
      return { query: query(named), reading: { type: documentType } };
    };
    const make = ({ entities } = NOTHING) => {
      const untracked = unit.noTracking && byKey(entities);
      // Of the others nothing was said: one that was known may have been evicted meanwhile.
      if (!untracked) unit.settleLoad(missing);
      const found = (id) => (untracked ? (untracked.get(fold(id)) ?? null) : unit.find(id, documentType));
      if (!several) return list.length > 0 ? found(list[0]) : null;
      return Object.fromEntries(list.map((id) => [id, found(id)]));
    };
    return this.#add(new Lazy(unit, request, make, onEval));
  }

  conditionalLoad(...given) {
    const unit = this.#unit;
    let load;
    const request = async () => {
      const { Conditional } = await import("./apart/session.js");
      load = new Conditional(unit, ...given);
      return load.request;
    };
    return this.#add(new Lazy(unit, request, (found) => load.result(found)));
  }

  loadStartingWith(prefix, given, onEval) {
    const unit = this.#unit;
    const options = optionsOf(given);
    // What the session has may not show its metadata.
    const id = (entity) => unit.tracker.idOf(entity) ?? entity["@metadata"]["@id"];
    const make = ({ entities } = NOTHING) =>
      Object.fromEntries(loadable(unit, entities).map((entity) => [id(entity), entity]));
    const type = unit.conventions.classOf(options.documentType);
    const request = async () => ({ query: listing(prefix, options), reading: { type } });
    return this.#add(new Lazy(unit, request, make, onEval));
  }

  #add(lazy) {
    this.#unit.lazies.push(lazy);
    return lazy;
  }
}
