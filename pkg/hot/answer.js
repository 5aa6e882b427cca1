// The answer to a load or a save. It does not enter WebAssembly, whose memory never shrinks: the engine is the fastest reader
// there is.

import { inexact } from "./numbers.js";
import { decoder } from "./text.js";

const NOTHING = new Uint8Array();

/** How many objects and arrays are open inside of a document: in an answer, and in one of several. */
const DEPTHS = [3, 6];

export class Answer {
  #bytes = NOTHING;

  /** Takes an answer's bytes, or lets them go; gives what goes into WebAssembly in their place. */
  take(bytes = NOTHING) {
    this.#bytes = bytes;
    return NOTHING;
  }

  /** All of it. */
  get text() {
    return decoder.decode(this.#bytes);
  }

  /**
   * What it says, `undefined` where a document that does not exist is all that was asked for; and the numbers of its
   * documents that JavaScript cannot hold, by id. `several`: it has the answers to several requests.
   */
  read(several) {
    if (this.#bytes === NOTHING) return { numbers: new Map() };
    const { text } = this;
    const answer = JSON.parse(text);
    // It took the server no time, which npm `ravendb` says by -1.
    if (this.#bytes.isKept && answer?.Results) answer.DurationInMs = -1;
    return { answer, numbers: inexact(text, DEPTHS[+several]) };
  }
}
