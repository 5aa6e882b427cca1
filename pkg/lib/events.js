// Listeners by name. Those of a session run in the very call that they listen to, and what they throw is its error.

export class Events {
  /** By name, what is called for each listener. */
  #listeners = new Map();

  /** With the listeners that others have now. */
  constructor(others) {
    for (const [name, listeners] of others?.all ?? []) this.#listeners.set(name, new Map(listeners));
  }

  get all() {
    return this.#listeners;
  }

  on(name, listener, called = listener) {
    const listeners = this.#listeners.get(name) ?? new Map();
    this.#listeners.set(name, listeners.set(listener, called));
  }

  /** Listens to the next one alone. */
  once(name, listener) {
    this.on(name, listener, (detail) => {
      this.off(name, listener);
      listener(detail);
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
