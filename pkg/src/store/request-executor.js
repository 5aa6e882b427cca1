// What sends the requests of a database, by the members of npm `ravendb` that programs use.

import { Events, REQUESTS } from "../common/event-listeners.js";

export class RequestExecutor {
  #store;
  events = new Events(undefined, REQUESTS);

  constructor(store) {
    this.#store = store;
  }

  get conventions() {
    return this.#store.conventions;
  }

  /** Answers that may be asked for again; `undefined` where none are kept. */
  get cache() {
    return this.#store.cache;
  }

  getUrl() {
    return this.#store.urls[0];
  }

  execute(command) {
    return this.#store.execute(command);
  }

  on(name, listener) {
    this.events.on(name, listener);
    return this;
  }

  off(name, listener) {
    this.events.off(name, listener);
    return this;
  }

  /** Nothing: requests end with their store. */
  dispose() {}
}
