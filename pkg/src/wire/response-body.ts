// The response to a load or a save. It does not enter WebAssembly, whose memory never shrinks, and the engine parses it faster.

import type { JsonObject } from "../common/json.js";
import { decoder } from "../common/text-codec.js";
import { inexact } from "./inexact-numbers.js";
import type { KeptBytes } from "./response-cache.js";

const NOTHING = new Uint8Array();

/** The number of objects and arrays that are open inside a document: in a response, and in one part of `multi_get`. */
const DEPTHS = [3, 6] as const;

export class HeldResponse {
  #bytes: KeptBytes = NOTHING;

  /** Keeps the bytes of a response, or drops them without an argument. Returns the empty bytes that WebAssembly gets instead. */
  take(bytes: KeptBytes = NOTHING): Uint8Array {
    this.#bytes = bytes;
    return NOTHING;
  }

  get text(): string {
    return decoder.decode(this.#bytes);
  }

  /**
   * The parsed response and its text, `undefined` if it is empty; and, by id, the numbers of its documents that JavaScript cannot hold exactly.
   * `several`: it is the response to a `multi_get`.
   */
  read(several: boolean): { body?: JsonObject | null; numbers: Map<string, string[]>; text?: string } {
    if (this.#bytes === NOTHING) return { numbers: new Map() };
    const { text } = this;
    const body = JSON.parse(text) as JsonObject | null;
    // As in npm `ravendb`, the duration of a response from the cache is -1.
    if (this.#bytes.isKept && body?.Results) body.DurationInMs = -1;
    return { body, text, numbers: inexact(text, DEPTHS[+several as 0 | 1]) };
  }
}
