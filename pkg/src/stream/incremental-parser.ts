// Parses a response that arrives in pieces. Between two pieces only the incomplete item is kept.

import type { JsonObject } from "../common/json.js";
import { Bytes } from "./byte-buffer.js";

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

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** The bit in which `{` differs from `[`, and `}` from `]`. */
const CASE = 0x20;

/** The part of the response that comes next: before the items, the items, after the items, nothing. */
const HEAD = 0;
const ITEMS = 1;
const TAIL = 2;
const END = 3;

/** What may come next between two items. */
const ITEM_OR_END = 0;
const ITEM = 1;
const COMMA_OR_END = 2;

/** Offsets into one piece. */
interface Cut {
  /** End of the head. */
  head: number;
  /** Start of the items that are complete now. The first one may have begun in an earlier piece. */
  from: number;
  /** End of the items that are complete now; 0 if no item is. */
  to: number;
  /** Start, or continuation, of an item that is not complete. */
  rest: number;
  /** Start of the tail. */
  tail: number;
}

/** Finds where items begin and end. */
class ItemScanner {
  #part = HEAD;
  #next = ITEM_OR_END;
  /** How many objects and lists are open. */
  #depth = 0;
  #inText = false;
  #isEscaped = false;
  /** Whether an item has begun that is not complete. */
  #isOpen = false;

  /** Whether the head is complete. */
  get isBegun(): boolean {
    return this.#part >= ITEMS;
  }

  /** Whether the response is complete. */
  get isComplete(): boolean {
    return this.#part === END;
  }

  /** Where the parts of the next piece are; `undefined` if the piece does not continue a response. */
  feed(piece: Uint8Array): Cut | undefined {
    const { length } = piece;
    const cut: Cut = {
      head: this.#part === HEAD ? length : 0,
      from: 0,
      to: 0,
      rest: this.#isOpen ? 0 : length,
      tail: this.#part <= ITEMS ? length : 0,
    };
    // Most bytes are in strings or inside items: local variables keep these fast.
    let depth = this.#depth;
    let inText = this.#inText;
    let isEscaped = this.#isEscaped;
    for (let at = 0; at < length; at++) {
      let byte = piece[at] as number;
      if (inText) {
        if (isEscaped) {
          isEscaped = false;
          continue;
        }
        while (byte !== QUOTE && byte !== BACKSLASH && ++at < length) byte = piece[at] as number;
        isEscaped = byte === BACKSLASH;
        inText = byte !== QUOTE;
      } else if (depth < 3) {
        this.#depth = depth;
        if (!this.#take(byte, at + 1, cut)) return undefined;
        depth = this.#depth;
        inText = byte === QUOTE;
      } else if (byte === QUOTE) {
        inText = true;
      } else if ((byte | CASE) === OPEN_OBJECT) {
        depth += 1;
      } else if ((byte | CASE) === CLOSE_OBJECT) {
        depth -= 1;
        if (depth === 2 && this.#part === ITEMS) this.#end(at + 1, cut);
      }
    }
    this.#depth = depth;
    this.#inText = inText;
    this.#isEscaped = isEscaped;
    if (!this.#isOpen) cut.rest = length;
    return cut;
  }

  /** An item is complete. */
  #end(end: number, cut: Cut): void {
    this.#isOpen = false;
    this.#next = COMMA_OR_END;
    cut.to = end;
  }

  /** Takes a byte outside strings and items; `end` is the offset after it. Returns whether it continues a response. */
  #take(byte: number, end: number, cut: Cut): boolean {
    // White space.
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return true;
    if (this.#part === ITEMS && this.#depth === 2) return this.#between(byte, end, cut);
    switch (byte) {
      case OPEN_OBJECT:
      case OPEN_LIST:
        this.#depth += 1;
        if (this.#part === HEAD && this.#depth === 2 && byte === OPEN_LIST) {
          this.#part = ITEMS;
          cut.head = end;
        }
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        if (this.#depth === 0) return false;
        this.#depth -= 1;
        if (this.#depth > 0) return true;
        // A response without items is of another kind.
        if (this.#part !== TAIL) return false;
        this.#part = END;
        return true;
    }
    // A response is one object, and nothing follows it.
    return this.#depth > 0 && this.#part !== END;
  }

  /** Takes a byte between two items. */
  #between(byte: number, end: number, cut: Cut): boolean {
    if (byte === OPEN_OBJECT && this.#next !== COMMA_OR_END) {
      this.#depth += 1;
      this.#isOpen = true;
      cut.rest = end - 1;
      if (cut.to === 0) cut.from = end - 1;
    } else if (byte === COMMA && this.#next === COMMA_OR_END) {
      this.#next = ITEM;
    } else if (byte === CLOSE_LIST && this.#next !== ITEM) {
      this.#depth = 1;
      this.#part = TAIL;
      cut.tail = end - 1;
    } else {
      return false;
    }
    return true;
  }
}

export class IncrementalParser extends ItemScanner {
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
    const cut = this.feed(piece);
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

  /** The members in front of the items, as a response with an empty list. */
  get head(): JsonObject {
    return JSON.parse(`${this.#head.text}]}`) as JsonObject;
  }

  /** The text after the items. */
  get tail(): string {
    return this.#tail.text;
  }
}
