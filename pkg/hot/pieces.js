// An answer that comes in pieces. Rust looks at each and says what is where in it; what is complete becomes objects when
// Rust is not on the stack. No more is kept than one piece and the item that goes on behind it.

const NOTHING = new Uint8Array();
const decoder = new TextDecoder();

const text = (parts) => {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return decoder.decode(whole);
};

/** The parts of an answer, as `Splitter` in `wasm/src/stream.rs` numbers them. */
const ITEMS = 1;
const END = 3;

export class Pieces {
  #feed;
  #piece = NOTHING;
  #places;
  #part = 0;
  #head = [];
  #rest = [];
  #tail = [];

  /** `feed` has the splitter look at this and gives the number of the part that comes next. */
  constructor(feed) {
    this.#feed = feed;
  }

  get length() {
    return this.#piece.length;
  }

  copy(at, memory) {
    memory.set(this.#piece.subarray(at, at + memory.length));
  }

  keep(places) {
    this.#places = [...places];
  }

  /** The items that are complete with this piece. Throws a `SyntaxError` where it does not go on as an answer does. */
  take(piece) {
    this.#piece = piece;
    this.#part = this.#feed(this);
    this.#piece = NOTHING;
    if (this.#part < 0) throw new SyntaxError("it is not a list of documents");
    const [head, from, to, rest, tail] = this.#places;
    if (head > 0) this.#head.push(piece.slice(0, head));
    if (tail < piece.length) this.#tail.push(piece.slice(tail));
    const parts = this.#rest;
    if (to > 0) {
      parts.push(piece.subarray(from, to));
      this.#rest = [];
    }
    if (rest < piece.length) this.#rest.push(piece.slice(rest));
    return to > 0 ? JSON.parse(`[${text(parts)}]`) : [];
  }

  /** Whether all of the head is there. */
  get isBegun() {
    return this.#part >= ITEMS;
  }

  /** What stands before the items, as an answer without any. */
  get head() {
    return JSON.parse(`${text(this.#head)}]}`);
  }

  /** Whether the answer has come to its end. */
  get isComplete() {
    return this.#part === END;
  }

  /** The text behind the items. */
  get tail() {
    return text(this.#tail);
  }
}
