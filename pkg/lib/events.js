// Listeners by name. Those of a session run in the very call that they listen to, and what they throw is its error.

import { checkName } from "./known.js";

/** Events of requests, which a session does not tell itself. */
export const REQUESTS = [
  "sessionCreated",
  "beforeRequest",
  "succeedRequest",
  "failedRequest",
  "topologyUpdated",
];
export const SESSION = [
  "beforeStore",
  "afterSaveChanges",
  "beforeDelete",
  "beforeConversionToDocument",
  "afterConversionToDocument",
  "beforeConversionToEntity",
  "afterConversionToEntity",
  "beforeQuery",
  "sessionDisposing",
];
export const STORE = [
  ...REQUESTS,
  "lease",
  "return",
  "regression",
  "storage",
  "beforeDispose",
  "afterDispose",
  "executorsDisposed",
];

export class Events {
  /** What is to be called, by name and by the listener that it stands for. */
  #listeners = new Map();
  #known;

  /** With the listeners that others have now; `known`: the names that can be listened to, by default any. */
  constructor(others, known) {
    this.#known = known;
    for (const [name, listeners] of others?.all ?? []) this.#listeners.set(name, new Map(listeners));
  }

  get all() {
    return this.#listeners;
  }

  on(name, listener, run = listener) {
    if (this.#known) checkName("event", name, this.#known);
    const listeners = this.#listeners.get(name) ?? new Map();
    this.#listeners.set(name, listeners.set(listener, run));
  }

  once(name, listener) {
    this.on(name, listener, (event) => {
      this.off(name, listener);
      listener(event);
    });
  }

  off(name, listener) {
    return this.#listeners.get(name)?.delete(listener) ?? false;
  }

  has(name) {
    return this.#listeners.get(name)?.size > 0;
  }

  of(name) {
    return [...(this.#listeners.get(name)?.values() ?? [])];
  }

  emit(name, detail) {
    for (const listener of this.of(name)) listener(detail);
  }
}
