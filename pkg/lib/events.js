// Listeners by name. Those of a session run in the very call that they listen to, and what they throw is its error.

export class Events {
  #listeners = new Map();

  /** With the listeners that others have now. */
  constructor(others) {
    for (const [name, listeners] of others?.all ?? []) this.#listeners.set(name, new Set(listeners));
  }

  get all() {
    return this.#listeners;
  }

  on(name, listener) {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
  }

  off(name, listener) {
    return this.#listeners.get(name)?.delete(listener) ?? false;
  }

  has(name) {
    return this.#listeners.get(name)?.size > 0;
  }

  of(name) {
    return [...(this.#listeners.get(name) ?? [])];
  }

  emit(name, detail) {
    for (const listener of this.of(name)) listener(detail);
  }
}
