// Parameters by name. Values of the app are sent as parameters only, never as part of the text.

export class Parameters {
  #values = new Map<string, unknown>();

  has(name: string): boolean {
    return this.#values.has(name);
  }

  set(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  /** Adds a value under the next free name; returns the name with its `$`. */
  add(value: unknown): string {
    let number = this.#values.size;
    while (this.has(`p${number}`)) number += 1;
    this.set(`p${number}`, value);
    return `$p${number}`;
  }

  /** Written member by member: an object would move names that are numbers to the front. */
  get json(): string {
    const members = Array.from(this.#values, (pair) => pair.map((part) => JSON.stringify(part)).join(":"));
    return `{${members.join(",")}}`;
  }
}
