// The hot path: one id is one concatenation here and nothing in WebAssembly, which would cost 6 to 30 times more.
// The counter alone owns the block it was handed; Rust has recorded it as gone.

export class Counter {
  #next = 1;
  #last = 0;
  #prefix = "";
  #suffix = "";
  #refill;

  /** The next id, `undefined` when none is at hand. */
  take() {
    return this.#next <= this.#last ? this.#prefix + this.#next++ + this.#suffix : this.#dry();
  }

  /** How many numbers are left. */
  get rest() {
    return this.#last - this.#next + 1;
  }

  /** `refill` is called when the block is used up; it may hand over the next one at once. */
  attach(refill) {
    this.#refill = refill;
  }

  hand(low, high, prefix, suffix) {
    this.#next = low;
    this.#last = high;
    this.#prefix = prefix;
    this.#suffix = suffix;
  }

  /** Empties the counter first, then tells the first number that was not issued. */
  surrender() {
    const next = this.#next;
    this.#next = this.#last + 1;
    return next;
  }

  /** Numbers of a dead instance are forgotten, never issued. */
  forget() {
    this.surrender();
    this.#refill = undefined;
  }

  #dry() {
    this.#refill?.();
    return this.#next <= this.#last ? this.#prefix + this.#next++ + this.#suffix : undefined;
  }
}
