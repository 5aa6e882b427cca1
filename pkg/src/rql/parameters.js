// Parameters by name. Values are what the app gives, and never part of the text.

export class Parameters {
  #values = new Map();

  has(name) {
    return this.#values.has(name);
  }

  set(name, value) {
    this.#values.set(name, value);
  }

  /** Adds a value under the next free name, and gives the name with its `$`. */
  add(value) {
    let number = this.#values.size;
    while (this.has(`p${number}`)) number += 1;
    this.set(`p${number}`, value);
    return `$p${number}`;
  }

  /** An object would put names that are numbers first. */
  get json() {
    const members = Array.from(this.#values, (pair) => pair.map((part) => JSON.stringify(part)).join(":"));
    return `{${members.join(",")}}`;
  }
}
