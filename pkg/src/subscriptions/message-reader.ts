// Splits a stream of JSON objects, which follow each other without a separator, into their texts. Each byte is read once.

import { Bytes } from "../stream/byte-buffer.js";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The bit in which `{` differs from `[`, and `}` from `]`. */
const CASE = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

export class MessageReader {
  #depth = 0;
  #inText = false;
  #isEscaped = false;
  /** The incomplete object, between two pieces. */
  #rest = new Bytes();

  /** The texts of the objects that this piece completes. White space between them is a heartbeat of the server. */
  take(piece: Uint8Array): string[] {
    const found: string[] = [];
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] as number;
      if (this.#inText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#inText = false;
      } else if (byte === QUOTE) {
        this.#inText = true;
      } else if ((byte | CASE) === OPEN) {
        if (this.#depth++ === 0) from = at;
      } else if ((byte | CASE) === CLOSE && --this.#depth === 0) {
        this.#rest.add(piece.subarray(from, at + 1));
        found.push(this.#rest.text);
        this.#rest.clear();
        from = at + 1;
      } else if (this.#depth < 0) {
        throw new SyntaxError("an object of the subscription ends that has not begun");
      }
    }
    if (this.#depth > 0) this.#rest.add(piece.subarray(from));
    return found;
  }
}
