// Loads that wait until one of them is needed, and then travel in one request.

import { idsOf, isObject, optionsOf } from "./given.js";
import { later } from "./later.js";

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
    .inOrder(async () => (await later("session")).send(unit, lazies))
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

/** `session.advanced.lazily`. What each asks for, and makes of the answer, is in a part of its own. */
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
    const documentType = this.#classOf(isObject(type) ? type.documentType : type);
    return this.#add(onEval, "LazyLoad", Array.isArray(ids), idsOf(ids), documentType, this.#includes);
  }

  conditionalLoad(...given) {
    return this.#add(undefined, "Conditional", ...given);
  }

  loadStartingWith(prefix, given, onEval) {
    const options = optionsOf(given);
    return this.#add(onEval, "LazyListing", prefix, options, this.#classOf(options.documentType));
  }

  #classOf(type) {
    return this.#unit.conventions.classOf(type);
  }

  #add(onEval, name, ...given) {
    const unit = this.#unit;
    let load;
    const request = async () => {
      load = new (await later("session"))[name](unit, ...given);
      return load.request;
    };
    const lazy = new Lazy(unit, request, (found) => load.result(found), onEval);
    unit.lazies.push(lazy);
    return lazy;
  }
}
