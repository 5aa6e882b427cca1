// The answer to a load or a save. To a save Rust looks at it through a small window, because WebAssembly memory never
// shrinks; a load is read by the engine alone, which is the fastest reader there is.

import { inexact } from "./numbers.js";

const NOTHING = new Uint8Array();
const decoder = new TextDecoder();

/** How many objects and arrays are open inside of a document: in an answer, and in one of several. */
const DEPTHS = [3, 6];

export class Answer {
  #bytes = NOTHING;

  /** Takes an answer's bytes, or lets them go; gives what goes into WebAssembly in their place. */
  take(bytes = NOTHING) {
    this.#bytes = bytes;
    return NOTHING;
  }

  get length() {
    return this.#bytes.length;
  }

  /** All of it. */
  get text() {
    return decoder.decode(this.#bytes);
  }

  copy(at, memory) {
    memory.set(this.#bytes.subarray(at, at + memory.length));
  }

  /**
   * What it says, `undefined` where a document that does not exist is all that was asked for; and the numbers of its
   * documents that JavaScript cannot hold, by id. `several`: it has the answers to several requests.
   */
  read(several) {
    if (this.#bytes === NOTHING) return { numbers: new Map() };
    const { text } = this;
    return { answer: JSON.parse(text), numbers: inexact(text, DEPTHS[+several]) };
  }
}
