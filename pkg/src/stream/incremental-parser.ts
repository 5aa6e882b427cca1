// Parses a response that arrives in pieces. Between two pieces only the incomplete item is kept.

import type { JsonObject } from "../common/json.js";
import { Bytes } from "./byte-buffer.js";
import { ItemScanner } from "./item-scanner.js";

export class IncrementalParser {
  #scanner = new ItemScanner();
  #head = new Bytes();
  /** The incomplete item, between two pieces. */
  #items = new Bytes();
  #tail = new Bytes();

  /** The items that this piece completes. Throws a `SyntaxError` if the piece does not continue a response. */
  take(piece: Uint8Array): unknown[] {
    return JSON.parse(this.takeText(piece)) as unknown[];
  }

  /** The same as the text of a list. */
  takeText(piece: Uint8Array): string {
    const cut = this.#scanner.feed(piece);
    if (!cut) throw new SyntaxError("it is not a list of documents");
    const { head, from, to, rest, tail } = cut;
    if (head > 0) this.#head.add(piece.subarray(0, head));
    if (tail < piece.length) this.#tail.add(piece.subarray(tail));
    let items = "";
    if (to > 0) {
      this.#items.add(piece.subarray(from, to));
      items = this.#items.text;
      this.#items.clear();
    }
    this.#items.add(piece.subarray(rest));
    return `[${items}]`;
  }

  /** Whether the head is complete. */
  get isBegun(): boolean {
    return this.#scanner.isBegun;
  }

  /** The members in front of the items, as a response with an empty list. */
  get head(): JsonObject {
    return JSON.parse(`${this.#head.text}]}`) as JsonObject;
  }

  /** Whether the response is complete. */
  get isComplete(): boolean {
    return this.#scanner.isComplete;
  }

  /** The text after the items. */
  get tail(): string {
    return this.#tail.text;
  }
}

/** Bytes of memory for one piece. */
const PIECE = 65_536;

/** A piece of a body; `done`: there is none left. */
export interface Piece {
  readonly done: boolean;
  readonly value?: Uint8Array | undefined;
}

export interface BodyReader {
  read(): Promise<Piece>;
  cancel(): Promise<void>;
}

/**
 * A reader of a body. `isolated`: in workerd, whose pieces are small, all pieces share one buffer, so that none is left to the
 * garbage collector. A piece is then valid only until the next one is read. Node is faster with a buffer for each piece.
 */
export function bodyReader(stream: ReadableStream<Uint8Array>, isolated: boolean): BodyReader {
  let reader: ReadableStreamReader<Uint8Array>;
  try {
    reader = stream.getReader(isolated ? { mode: "byob" } : undefined);
  } catch {
    // The app's own `fetch` may give another kind of body.
    reader = stream.getReader();
    isolated = false;
  }
  let memory = new ArrayBuffer(isolated ? PIECE : 0);
  const readInto = async (): Promise<Piece> => {
    const { done, value } = await (reader as ReadableStreamBYOBReader).read(new Uint8Array(memory));
    memory = value?.buffer as ArrayBuffer;
    return { done, value };
  };
  return {
    read: isolated ? readInto : () => (reader as ReadableStreamDefaultReader<Uint8Array>).read(),
    cancel: () => reader.cancel(),
  };
}
