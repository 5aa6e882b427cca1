// The hot path: one id is one concatenation here and no call into WebAssembly, which would cost 6 to 30 times more.
// Only the counter has the block that it was given: the core has recorded its numbers as handed out.

import type { CoreTask } from "../core/core-task.js";

/** The lease that the numbers of a counter come from. */
export interface CurrentLease {
  /** The lowest number of the whole lease. */
  readonly low: number;
  readonly high: number;
  readonly nodeTag: string;
  /** What the rest of the lease is returned under; `undefined`: it cannot be returned. */
  readonly fence: string | undefined;
}

/** What the core wants done: one of `EFFECT_…`, a caller or the event to report, and for `EFFECT_RUN` a task. */
export type Effect = [kind: number, number: number, task?: CoreTask];

export class Counter {
  #next = 1;
  #last = 0;
  #prefix = "";
  #suffix = "";
  #refill;
  /**
   * Runs a task that the core begins by itself; `reports`: its end is reported to the callers that wait; `pauses`: it goes on after a
   * pause whether or not callers wait.
   */
  readonly spawn: (task: CoreTask, reports: boolean, pauses: boolean) => void;
  #effects: Effect[] = [];
  /** The lease that the numbers come from, for a user interface. */
  lease: CurrentLease | undefined;

  /** `refill` is called when the block is used up; it may give the counter the next one at once. */
  constructor(refill: () => void, spawn: Counter["spawn"]) {
    this.#refill = refill;
    this.spawn = spawn;
  }

  /** The next id; `undefined` if no number is in memory. */
  take(): string | undefined {
    return this.#next <= this.#last ? this.#prefix + this.#next++ + this.#suffix : this.#dry();
  }

  /** How many numbers are left. */
  get rest(): number {
    return this.#last - this.#next + 1;
  }

  /** The numbers that are left, lowest and highest. */
  get block(): [low: number, high: number] {
    return [this.#next, this.#last];
  }

  /** Called by the core with the next block; `lease`: the whole one that it is part of. */
  hand(low: number, high: number, prefix: string, lease: CurrentLease): void {
    this.lease = lease;
    this.#next = low;
    this.#last = high;
    this.#prefix = prefix;
    this.#suffix = lease.nodeTag && `-${lease.nodeTag}`;
  }

  /** Called by the core, which is on the stack: the effect is carried out later (`waiting-callers`). */
  effect(...effect: Effect): void {
    this.#effects.push(effect);
  }

  /** The effects since the last call, in order; the list is empty then. */
  takeEffects(): Effect[] {
    return this.#effects.splice(0);
  }

  /** Called by the core: empties the counter, then returns the first number that was not issued. */
  surrender(): number {
    const next = this.#next;
    this.#next = this.#last + 1;
    return next;
  }

  #dry(): string | undefined {
    this.#refill();
    return this.#next <= this.#last ? this.#prefix + this.#next++ + this.#suffix : undefined;
  }
}
