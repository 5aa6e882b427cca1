// Bytes that are put together piece by piece, in memory that is used again: what is allocated for each piece is there until
// somebody collects it.

import { decoder } from "./text.js";

export class Bytes {
  #memory;
  #length = 0;

  /** `room`: so many are expected. */
  constructor(room = 0) {
    this.#memory = new Uint8Array(room);
  }

  add(bytes) {
    const length = this.#length + bytes.length;
    if (length > this.#memory.length) {
      const before = this.whole;
      this.#memory = new Uint8Array(Math.max(length, 2 * this.#memory.length));
      this.#memory.set(before);
    }
    this.#memory.set(bytes, this.#length);
    this.#length = length;
  }

  /** All of them, as long as nothing else happens here. */
  get whole() {
    return this.#memory.subarray(0, this.#length);
  }

  get text() {
    return decoder.decode(this.whole);
  }

  clear() {
    this.#length = 0;
  }
}
