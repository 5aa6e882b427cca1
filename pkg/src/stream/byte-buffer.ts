// Collects bytes piece by piece in one buffer that is reused: memory that is allocated for each piece is not freed until the garbage
// collector runs.

import { decoder } from "../common/text-codec.js";

export class Bytes {
  #memory = new Uint8Array();
  #length = 0;

  add(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#memory.length) {
      const before = this.whole;
      this.#memory = new Uint8Array(Math.max(length, 2 * this.#memory.length));
      this.#memory.set(before);
    }
    this.#memory.set(bytes, this.#length);
    this.#length = length;
  }

  /** All bytes, as a view of the buffer: valid until the next call of `add` or `clear`. */
  get whole(): Uint8Array {
    return this.#memory.subarray(0, this.#length);
  }

  get text(): string {
    return decoder.decode(this.whole);
  }

  clear(): void {
    this.#length = 0;
  }
}
