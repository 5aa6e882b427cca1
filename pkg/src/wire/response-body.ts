// The answer to a load or a save. It does not enter WebAssembly, whose memory never shrinks: the engine is the fastest reader
// there is.

import { decoder } from "../common/text-codec.js";
import { inexact } from "./inexact-numbers.js";
import type { KeptBytes } from "./response-cache.js";

const NOTHING = new Uint8Array();

/** How many objects and arrays are open inside of a document: in an answer, and in one of several. */
const DEPTHS = [3, 6] as const;

/** The parts of a response that are looked at here. */
interface Body {
  Results?: unknown;
  DurationInMs?: number;
}

export class Answer {
  #bytes: KeptBytes = NOTHING;

  /** Takes an answer's bytes, or lets them go; gives what goes into WebAssembly in their place. */
  take(bytes: KeptBytes = NOTHING): Uint8Array {
    this.#bytes = bytes;
    return NOTHING;
  }

  /** All of it. */
  get text(): string {
    return decoder.decode(this.#bytes);
  }

  /**
   * What it says, `undefined` where a document that does not exist is all that was asked for; and the numbers of its
   * documents that JavaScript cannot hold, by id. `several`: it has the answers to several requests.
   */
  read(several: boolean): { answer?: Body | null; numbers: Map<string, string[]> } {
    if (this.#bytes === NOTHING) return { numbers: new Map() };
    const { text } = this;
    const answer = JSON.parse(text) as Body | null;
    // It took the server no time, which npm `ravendb` says by -1.
    if (this.#bytes.isKept && answer?.Results) answer.DurationInMs = -1;
    return { answer, numbers: inexact(text, DEPTHS[+several as 0 | 1]) };
  }
}
