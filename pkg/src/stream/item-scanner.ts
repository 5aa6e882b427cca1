// Finds the items of `{…,"Results":[{…},{…}],…}` in pieces of any length. Each byte is read once. Only the position in the
// JSON is kept, so memory use does not depend on the length of the response.

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
export interface Cut {
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

export class ItemScanner {
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
