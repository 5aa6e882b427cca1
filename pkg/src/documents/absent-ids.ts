// Ids for which `load` returns `null` without a request: the document does not exist, or is to be deleted.

import { idKey } from "../common/id-key.js";

export class AbsentIds {
  /** Ids as they were spelled, by their keys. */
  #ids = new Map<string, string>();

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  /** Whether the id with this key is absent. */
  has(key: string): boolean {
    return this.#ids.has(key);
  }

  /** `load` returns `null` for this id from now on. */
  mark(id: string, key: string = idKey(id)): void {
    this.#ids.set(key, id);
  }

  /** Whether this id has a document is unknown from now on, or it has one. */
  unmark(id: string): void {
    if (this.#ids.size > 0) this.#ids.delete(idKey(id));
  }

  clear(): void {
    this.#ids.clear();
  }

  /** All of them, as they were spelled. */
  get spelled(): Iterable<string> {
    return this.#ids.values();
  }
}
