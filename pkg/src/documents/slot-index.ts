// Slots by a key of their documents. It is filled on demand, because many sessions never look a document up.

export class SlotIndex {
  #slots = new Map<unknown, number>();
  /** The slots below this one are in the map. */
  #end = 0;
  #keyOf;

  /** `keyOf`: the key of a slot; `undefined`: it has none. */
  constructor(keyOf: (slot: number) => unknown) {
    this.#keyOf = keyOf;
  }

  /** The slot of a key; -1 if none of the first `count` slots has it. */
  find(key: unknown, count: number): number {
    for (; this.#end < count; this.#end++) {
      const found = this.#keyOf(this.#end);
      if (found !== undefined) this.#slots.set(found, this.#end);
    }
    return this.#slots.get(key) ?? -1;
  }

  /** A slot has this key from now on. */
  update(key: unknown, slot: number): void {
    if (slot < this.#end) this.#slots.set(key, slot);
  }

  /** A slot no longer has this key. */
  delete(key: unknown, slot: number): void {
    if (slot < this.#end) this.#slots.delete(key);
  }
}
