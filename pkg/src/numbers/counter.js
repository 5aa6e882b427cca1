// The hot path: one id is one concatenation here and nothing in WebAssembly, which would cost 6 to 30 times more.
// The counter alone owns the block it was handed; Rust has recorded it as gone.

export class Counter {
  #next = 1;
  #last = 0;
  #prefix = "";
  #suffix = "";
  #refill;
  /** Runs a task that the core begins by itself. */
  spawn;
  /** What the core wants done for those who wait, in order, until it is done (`lib/waiting.js`). */
  effects = [];
  /** The lease that the numbers come from, for a user interface. */
  lease;

  /** `refill` is called when the block is used up; it may see to it that the next one is handed over at once. */
  constructor(refill, spawn) {
    this.#refill = refill;
    this.spawn = spawn;
  }

  /** The next id, `undefined` when none is at hand. */
  take() {
    return this.#next <= this.#last ? this.#prefix + this.#next++ + this.#suffix : this.#dry();
  }

  /** How many numbers are left. */
  get rest() {
    return this.#last - this.#next + 1;
  }

  /** The numbers that are left, lowest and highest. */
  get block() {
    return [this.#next, this.#last];
  }

  /** `from` to `to` is the whole lease that the numbers come from, `fence` what it goes back under. */
  hand(low, high, prefix, nodeTag, from, to, fence) {
    this.lease = { low: from, high: to, nodeTag, fence };
    this.#next = low;
    this.#last = high;
    this.#prefix = prefix;
    this.#suffix = nodeTag && `-${nodeTag}`;
  }

  effect(kind, number, task) {
    this.effects.push([kind, number, task]);
  }

  /** Empties the counter first, then tells the first number that was not issued. */
  surrender() {
    const next = this.#next;
    this.#next = this.#last + 1;
    return next;
  }

  #dry() {
    this.#refill();
    return this.#next <= this.#last ? this.#prefix + this.#next++ + this.#suffix : undefined;
  }
}
