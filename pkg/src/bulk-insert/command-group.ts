// A command with several items: counters of a document, or entries of a time series. It is complete when something else follows.

export class CommandGroup {
  #head = "";
  #items = "";
  #count = 0;
  /** The document that it is about. */
  id = "";

  /** Approximate characters; 0: there is none. */
  get size(): number {
    return this.#items.length;
  }

  /** Whether an item of a command with this beginning can be added. */
  takes(head: string, most: number): boolean {
    return this.#count === 0 || (this.#head === head && this.#count < most);
  }

  add(head: string, item: string, id: string): void {
    this.#head = head;
    this.id = id;
    this.#items += this.#count++ === 0 ? item : `,${item}`;
  }

  /** Removes the command; `undefined` if there is none. */
  take(): string | undefined {
    const text = this.#count > 0 ? `${this.#head}${this.#items}]}}` : undefined;
    this.#items = "";
    this.#count = 0;
    return text;
  }
}
