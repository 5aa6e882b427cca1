// Events of the queue, and what they report. Types alone.

import type { Facts } from "../device/apply-effects.js";
import type { Effect } from "../device/queue-core.js";
import type { Turn } from "../device/queue-state.js";

/** An event for the core, with what belongs to it. */
export interface Step {
  words: number[] | ((turn: Turn) => number[]);
  facts?: Facts;
  /** Called in the transaction when the event was accepted, before its effects are written. */
  accepted?: (turn: Turn, facts: Facts) => void;
}

/** What a queue is notified of. */
export interface DrainReports {
  /** Effects of events that are on disk. */
  effects(effects: Effect[]): void;
  /** A request has reached the server, or has not. */
  reached(isReached: boolean): void;
}
