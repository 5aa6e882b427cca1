// Ids of one tag.

import { Counter } from "../hot/counter.js";
import { fail } from "./error.js";

const LARGEST_RESERVE = 1_048_576;

export class HiLo {
  #counter = new Counter();
  #generator;
  #problem;
  #store;
  #runtime;

  constructor(store, runtime, tag) {
    this.#store = store;
    this.#runtime = runtime;
    this.tag = tag;
  }

  /** Called by the store when there is a core to lease from; a refused tag is told to whoever asks for ids. */
  attach(core) {
    try {
      this.#generator = core.generator(this.tag, this.#counter);
    } catch (error) {
      this.#problem = error;
    }
  }

  /** Called by the store when the core is gone. */
  detach() {
    this.#counter.forget();
    this.#generator = undefined;
  }

  take() {
    return this.#counter.take();
  }

  async next() {
    return this.#counter.take() ?? this.#ask((generator) => generator.next());
  }

  async reserve(count) {
    if (!Number.isSafeInteger(count) || count < 0 || count > LARGEST_RESERVE) {
      fail("InvalidArgument", `reserve takes a whole number from 0 to ${LARGEST_RESERVE}`);
    }
    await this.#ask((generator) => generator.reserve(count));
  }

  status() {
    if (this.#generator === undefined) return { atHand: 0, parked: 0, leasing: false };
    return this.#runtime.enter(() => this.#generator.status());
  }

  async #ask(question) {
    await this.#store.core();
    if (this.#problem) throw this.#problem;
    return this.#runtime.settle(() => question(this.#generator));
  }
}
