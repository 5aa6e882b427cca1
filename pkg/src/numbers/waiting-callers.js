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

export class Waiting {
  #host;
  #core;
  #callers = new Map();
  #release;
  /** The last failure, which names the reason to those whose time is over. */
  trouble;

  /**
   * `core(name, ...args)` calls the generator; `host` has the `counter`, runs tasks (`run`), waits for other tasks (`others`) and for the turn
   * among siblings (`turn`), says whether the store is open (`assertOpen`), and makes the error of a caller whose time is over (`late`).
   */
  constructor(host, core) {
    this.#host = host;
    this.#core = core;
  }

  /** Waits for one of `WANT_…` for `limit` milliseconds; an id, where that was wanted. */
  ask(want, count, limit) {
    return new Promise((resolve, reject) => {
      const { counter } = this.#host;
      const number = this.#core("ask", want, count, limit, counter.rest);
      const timer = setTimeout(() => this.on(EVENT_EXPIRED, number), limit);
      this.#callers.set(number, { want, resolve, reject, timer });
      this.perform();
    });
  }

  /** Reports an event to the core, and does what it says. */
  on(event, number = 0) {
    try {
      this.#core("on", event, number, this.#host.counter.rest);
    } catch (error) {
      // The instance is dead.
      this.drop(error);
    }
    this.perform();
  }

  /** Does what the core has said since the last time. */
  perform() {
    // Taken out first: to serve a caller may have the counter refilled, which has effects of its own.
    for (const effect of this.#host.counter.takeEffects()) this.#do(...effect);
  }

  /** Nobody waits any more; all are told the error. */
  close(error) {
    this.drop(error);
    this.on(EVENT_CLOSED);
  }

  /** Forgets who waits; they are told the error. */
  drop(error) {
    for (const number of [...this.#callers.keys()]) this.#settle(number, ({ reject }) => reject(error));
    this.#release?.();
  }

  /** Runs a task whose end those who wait are told. */
  async run(task, event) {
    try {
      await this.#host.run(task);
      this.#host.assertOpen();
      if (event === EVENT_LEASED) this.trouble = undefined;
    } catch (error) {
      this.trouble = error;
      event = error.outage ? EVENT_OUTAGE : EVENT_FAILED;
    }
    this.on(event);
  }

  #do(effect, number, task) {
    switch (effect) {
      case EFFECT_SERVE:
        return this.#serve(number);
      case EFFECT_SETTLE:
        return this.on(EVENT_SETTLED);
      case EFFECT_GATHER:
        return queueMicrotask(() => this.on(EVENT_GATHERED));
      case EFFECT_RUN:
        return this.run(task, number);
      case EFFECT_TURN:
        return this.#turn();
      case EFFECT_SHARE:
        return this.#host.others().then(() => this.on(EVENT_SHARED));
      case EFFECT_END:
        return this.#release?.();
      case EFFECT_EXPIRE:
        return this.#settle(number, ({ reject }) => reject(this.#host.late(this.trouble)));
      case EFFECT_REFUSE:
        return this.#settle(number, ({ reject }) => reject(this.trouble));
    }
  }

  #serve(number) {
    const wantsId = this.#callers.get(number)?.want === WANT_ID;
    const id = wantsId ? this.#host.counter.take() : undefined;
    if (wantsId && id === undefined) return;
    this.#settle(number, ({ resolve }) => resolve(id));
    if (wantsId) this.on(EVENT_SERVED, number);
  }

  /** The turn is kept until the flight is over. */
  #turn() {
    const hold = () =>
      new Promise((release) => {
        this.#release = release;
        this.on(EVENT_TURNED);
      });
    Promise.resolve(this.#host.turn(hold)).catch(() => {});
  }

  #settle(number, how) {
    const caller = this.#callers.get(number);
    if (!caller) return;
    this.#callers.delete(number);
    clearTimeout(caller.timer);
    how(caller);
  }
}
