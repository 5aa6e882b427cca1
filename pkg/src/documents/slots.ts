// Lists and indexes by the slots of documents.

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

/**
 * An empty list with one value per slot. V8 compiles code for the kind of a list: packed lists become lists with holes when their
 * length is set ahead of their values, and what was compiled for the former is thrown away. These have holes from the start.
 */
export function slotList<Value>(): Value[] {
  const list: unknown[] = [undefined];
  list.length = 2;
  list.length = 0;
  return list as Value[];
}
