// What a store has of the device it runs on: the pool, its siblings, and the life of its page.

import { Pool } from "./pool.js";
import { Siblings } from "./siblings.js";

/** How long to wait for another tab's lease, in milliseconds, before taking one of our own. */
const TURN = 2_000;

/** One connection for all stores of the realm. */
const pool = new Pool();

export class Device {
  #siblings;
  #stop;
  pool = pool;

  /** `home`: the database; `leave` and `back` are called when the page goes and comes, `crowd` when it is no longer or again alone. */
  constructor(home, { leave, back, crowd, trouble }) {
    this.#siblings = new Siblings(home, crowd);
    const page = globalThis.document;
    const left = () => {
      leave();
      this.#siblings.close();
    };
    const restored = () => {
      this.#siblings.open();
      back();
    };
    const events = [
      [globalThis, "pagehide", left],
      [globalThis, "pageshow", ({ persisted }) => persisted && restored()],
      [page, "freeze", left],
      [page, "resume", restored],
    ];
    for (const [target, event, listener] of events) page && target.addEventListener(event, listener);
    const quiet = pool.onTrouble(trouble);
    this.#stop = () => {
      quiet();
      for (const [target, event, listener] of events) page && target.removeEventListener(event, listener);
    };
    this.#siblings.open();
    pool.open();
  }

  /** Whether memory may hold numbers that nobody waits for: only a page can give them back when it goes. */
  get holds() {
    return !!globalThis.document && !this.#siblings.crowded;
  }

  get crowded() {
    return this.#siblings.crowded;
  }

  /** Whether another store of the database lives on the origin. */
  hasSiblings() {
    return this.#siblings.any();
  }

  /** Runs a lease when no sibling is at it, so that both need not. */
  async turn(key, lease) {
    const { locks } = globalThis.navigator;
    if (!this.crowded) return lease();
    // Those who went without a word are forgotten.
    this.#siblings.any();
    if (!locks) return lease();
    let begun = false;
    const begin = () => {
      begun = true;
      return lease();
    };
    try {
      return await locks.request(key, { signal: AbortSignal.timeout(TURN) }, begin);
    } catch (error) {
      if (begun) throw error;
      return lease();
    }
  }

  close() {
    this.#siblings.close();
    this.#stop();
  }
}
