// An answer that comes in pieces. Rust looks at each and says what is where in it; what is complete becomes objects when
// Rust is not on the stack. No more is kept than one piece and the item that goes on behind it.

import { Bytes } from "./bytes.js";

const NOTHING = new Uint8Array();

/** The parts of an answer, as `Splitter` in `wasm/src/stream.rs` numbers them. */
const ITEMS = 1;
const END = 3;

export class Pieces {
  #feed;
  #piece = NOTHING;
  #places;
  #part = 0;
  #head = new Bytes();
  /** What has begun and is not complete, between two pieces. */
  #items = new Bytes();
  #tail = new Bytes();

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
    if (head > 0) this.#head.add(piece.subarray(0, head));
    if (tail < piece.length) this.#tail.add(piece.subarray(tail));
    let items = [];
    if (to > 0) {
      this.#items.add(piece.subarray(from, to));
      items = JSON.parse(`[${this.#items.text}]`);
      this.#items.clear();
    }
    this.#items.add(piece.subarray(rest));
    return items;
  }

  /** Whether all of the head is there. */
  get isBegun() {
    return this.#part >= ITEMS;
  }

  /** What stands before the items, as an answer without any. */
  get head() {
    return JSON.parse(`${this.#head.text}]}`);
  }

  /** Whether the answer has come to its end. */
  get isComplete() {
    return this.#part === END;
  }

  /** The text behind the items. */
  get tail() {
    return this.#tail.text;
  }
}
