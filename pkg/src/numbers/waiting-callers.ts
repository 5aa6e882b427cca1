// Callers that wait for ids of one tag: the core decides what is done for them (`src/hilo/waiters.rs`), this does it.

import {
  EFFECT_END,
  EFFECT_EXPIRE,
  EFFECT_GATHER,
  EFFECT_REFUSE,
  EFFECT_RUN,
  EFFECT_SERVE,
  EFFECT_SETTLE,
  EFFECT_SHARE,
  EFFECT_TURN,
  EVENT_CLOSED,
  EVENT_EXPIRED,
  EVENT_FAILED,
  EVENT_GATHERED,
  EVENT_LEASED,
  EVENT_OUTAGE,
  EVENT_SERVED,
  EVENT_SETTLED,
  EVENT_SHARED,
  EVENT_TURNED,
  WANT_ID,
} from "../../gen/protocol.js";
import type { RavenEdgeError } from "../common/error.js";
import type { CoreTask } from "../core/core-task.js";
import type { EnterTag } from "../runtime/core.js";
import type { Counter, Effect } from "./counter.js";

/** What the callers of a tag need of it. */
export interface WaitingHost {
  readonly counter: Counter;
  run(task: CoreTask): Promise<void>;
  turn(lease: () => Promise<void>): Promise<void>;
  others(): Promise<unknown>;
  assertOpen(): void;
  /** The error for a caller whose time is over; `trouble`: the last failure. */
  late(trouble: unknown): RavenEdgeError;
}

interface Caller {
  /** One of `WANT_…`. */
  want: number;
  resolve(id: string | undefined): void;
  reject(error: unknown): void;
  timer: ReturnType<typeof setTimeout>;
}

export class WaitingCallers {
  #host;
  #core;
  /** The number of this group of callers in the core. */
  #group;
  /** By the numbers that the core has given them. */
  #callers = new Map<number, Caller>();
  /** Ends this tab's turn to lease. */
  #release: (() => void) | undefined;
  /** The last failure; the error of callers whose time is over names it as the reason. */
  #trouble: unknown;

  constructor(host: WaitingHost, core: EnterTag, group: number) {
    this.#host = host;
    this.#core = core;
    this.#group = group;
  }

  /** Waits for one of `WANT_…` for `limit` milliseconds; resolves with an id if that was wanted. */
  ask(want: number, count: number, limit: number): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const { counter } = this.#host;
      const number = this.#core("ask", this.#group, want, count, limit, counter.rest);
      const timer = setTimeout(() => this.on(EVENT_EXPIRED, number), limit);
      this.#callers.set(number, { want, resolve, reject, timer });
      this.perform();
    });
  }

  /** Reports an event to the core, and carries out its effects. */
  on(event: number, number = 0): void {
    try {
      this.#core("notify", this.#group, event, number, this.#host.counter.rest);
    } catch (error) {
      // The instance is dead.
      this.drop(error);
    }
    this.perform();
  }

  /** Carries out the effects that the core has asked for since the last call. */
  perform(): void {
    // Removed from the counter first: serving a caller may refill the counter, which has effects of its own.
    for (const effect of this.#host.counter.takeEffects()) this.#do(...effect);
  }

  /** Rejects all callers; the core is notified that none waits any more. */
  close(error: unknown): void {
    this.drop(error);
    this.on(EVENT_CLOSED);
  }

  drop(error: unknown): void {
    for (const number of [...this.#callers.keys()]) this.#finish(number, ({ reject }) => reject(error));
    this.#release?.();
  }

  /** Runs a task, and reports its end as `event` or as a failure. */
  async run(task: CoreTask, event: number): Promise<void> {
    try {
      await this.#host.run(task);
      this.#host.assertOpen();
      if (event === EVENT_LEASED) this.#trouble = undefined;
    } catch (error) {
      this.#trouble = error;
      event = (error as RavenEdgeError).outage ? EVENT_OUTAGE : EVENT_FAILED;
    }
    this.on(event);
  }

  #do(...[effect, number, task]: Effect): unknown {
    switch (effect) {
      case EFFECT_SERVE:
        return this.#serve(number);
      case EFFECT_SETTLE:
        return this.on(EVENT_SETTLED);
      case EFFECT_GATHER:
        return queueMicrotask(() => this.on(EVENT_GATHERED));
      case EFFECT_RUN:
        return this.run(task as CoreTask, number);
      case EFFECT_TURN:
        return this.#turn();
      case EFFECT_SHARE:
        return this.#host.others().then(() => this.on(EVENT_SHARED));
      case EFFECT_END:
        return this.#release?.();
      case EFFECT_EXPIRE:
        return this.#finish(number, ({ reject }) => reject(this.#host.late(this.#trouble)));
      case EFFECT_REFUSE:
        return this.#finish(number, ({ reject }) => reject(this.#trouble));
    }
    return undefined;
  }

  #serve(number: number): void {
    const wantsId = this.#callers.get(number)?.want === WANT_ID;
    const id = wantsId ? this.#host.counter.take() : undefined;
    if (wantsId && id === undefined) return;
    this.#finish(number, ({ resolve }) => resolve(id));
    if (wantsId) this.on(EVENT_SERVED, number);
  }

  /** Keeps the turn until the lease is over (`EFFECT_END`). */
  #turn(): void {
    const hold = () =>
      new Promise<void>((release) => {
        this.#release = release;
        this.on(EVENT_TURNED);
      });
    Promise.resolve(this.#host.turn(hold)).catch(() => {});
  }

  #finish(number: number, how: (caller: Caller) => void): void {
    const caller = this.#callers.get(number);
    if (!caller) return;
    this.#callers.delete(number);
    clearTimeout(caller.timer);
    how(caller);
  }
}
