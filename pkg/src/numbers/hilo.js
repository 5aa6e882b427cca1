// Ids of one tag: its counter, its generator in the core, and those who wait.

import { EVENT_LEASED, LIMIT_RANGE, WANT_ID, WANT_NUMBERS, WANT_READY } from "../../gen/protocol.js";
import { fail, RavenEdgeError } from "../common/error.js";
import { run } from "../runtime/run-task.js";
import { Counter } from "./counter.js";
import { Waiting } from "./waiting-callers.js";

export class HiLo {
  #counter = new Counter(
    () => this.#dry(),
    (task, reports) => this.#spawned(task, reports),
  );
  #store;
  #runtime;
  #core;
  #problem;
  /** All who wait; on workerd, where no request waits for another one, each has its own. */
  #waiting;
  #cancels = new Set();
  #running = new Set();
  /** Why the last attempt of a task that goes on reached no server. */
  #unreached;

  constructor(store, tag) {
    this.#store = store;
    this.#runtime = store.runtime;
    this.tag = tag;
  }

  /** Called by the store when there is a core to lease from; a refused tag is told to whoever asks for ids. */
  attach(store) {
    try {
      const generator = store.generator(this.tag, this.#counter, ...this.#store.chosen(this.tag));
      this.#core = this.#runtime.bound((name, ...args) => generator[name](...args));
      this.#waiting = this.#waitingWith(this.#core);
    } catch (error) {
      this.#problem = error;
    }
  }

  assertValid() {
    if (this.#problem) throw this.#problem;
  }

  get attached() {
    return this.#core !== undefined;
  }

  /** Called by the store when its core died, for this reason, or has ended. */
  detach(error) {
    this.#counter.surrender();
    this.#counter.takeEffects();
    this.#core = undefined;
    this.#waiting?.drop(error);
  }

  /** Called by the store when it is disposed of: refuses those who wait, gives what has to settle first. */
  close(error) {
    // On workerd each may belong to another request, which hears of it when its own lease is through.
    if (this.#runtime.isolated) return;
    for (const cancel of this.#cancels) cancel(error);
    if (this.#core) this.#waiting.close(error);
    return Promise.allSettled(this.#running);
  }

  /** Gets ready to give back what the tag has, of what is parked all beyond `keep` (below 0: the usual); whether there is a pool. */
  async letGo(keep) {
    this.surrender();
    const task = this.#runtime.Parking && this.#core?.("letGo", keep);
    await this.#run(task);
    this.surrender();
    return !!task;
  }

  /** Nothing is handed out until somebody asks again. */
  surrender() {
    this.#core?.("surrender");
  }

  take() {
    return this.#counter.take() ?? this.#missed();
  }

  /** Whoever takes in vain will come again, and counts as if it waited. */
  #missed() {
    if (!this.#runtime.isolated) this.#core?.("missed");
  }

  async next() {
    return this.#counter.take() ?? this.#wait(WANT_ID);
  }

  /** Some of the numbers that are parked come into memory, for `take`. */
  async ready() {
    if (this.#core) await this.#wait(WANT_READY);
  }

  async reserve(count) {
    if (!Number.isSafeInteger(count) || count < 0 || count > LIMIT_RANGE) {
      fail("InvalidArgument", `reserve takes a whole number from 0 to ${LIMIT_RANGE}`);
    }
    if (count > 0) return this.#wait(WANT_NUMBERS, count);
    await this.#store.core();
    if (await this.letGo(-1)) return this.#store.giveBack();
  }

  status() {
    const held = this.#held();
    return {
      atHand: held.reduce((sum, { low, high }) => sum + high - low + 1, 0),
      parked: Math.max(0, this.#core?.("parked") ?? 0),
      held,
      leasing: !!this.#core?.("busy"),
      ...this.#counter.lease,
    };
  }

  #held() {
    const held = [];
    let [low, high] = this.#counter.block;
    for (let at = 0; low; ) {
      if (low <= high) held.push({ low, high });
      low = this.#core?.("tail", at++);
      high = this.#core?.("tail", at++);
    }
    return held;
  }

  /** A task that nobody asked for. It does not run while Rust is on the stack, nor in another instance than its own. */
  #spawned(task, reports) {
    const { alive } = this.#runtime.bound();
    queueMicrotask(() => {
      if (!alive()) return;
      if (reports) this.#waiting.run(task, EVENT_LEASED);
      else this.#run(task).catch(() => {});
    });
  }

  /** The counter is used up: its next block, and a lease ahead of need. */
  #dry() {
    if (!this.#core) {
      // Whoever only takes is served, too, once the module is there.
      this.#store.core().catch(() => {});
      return;
    }
    this.#core("dry");
    this.#waiting.perform();
  }

  /** What is wanted, as soon as it is there, within the time limit. */
  async #wait(want, count = 0) {
    const deadline = performance.now() + this.#store.timeout;
    // Without an await where it can be: those who ask in the same turn of the event loop are served by one lease.
    if (this.#core) this.#store.assertOpen();
    else await this.#unlessClosed(this.#store.core());
    this.assertValid();
    const limit = Math.max(0, deadline - performance.now());
    if (!this.#runtime.isolated) return this.#runtime.whileAlive(this.#waiting.ask(want, count, limit));
    // A caller that is cancelled would count for ever among others.
    const generator = this.#core("fork");
    const core = this.#runtime.bound((name, ...args) => generator[name](...args));
    try {
      return await this.#waitingWith(core).ask(want, count, limit);
    } finally {
      if (core.alive()) core("free");
    }
  }

  #waitingWith(core) {
    const waiting = new Waiting(
      {
        counter: this.#counter,
        run: (task) => this.#run(task, core),
        turn: (lease) => this.#store.turn(this.tag, lease),
        others: () => this.#others(),
        assertOpen: () => this.#store.assertOpen(),
        late: (trouble) => this.#late(trouble),
      },
      core,
    );
    return waiting;
  }

  /** Until another task of this tag has ended; whatever happens, nobody may ask again in the same turn of the event loop. */
  #others() {
    const others = this.#runtime.isolated ? [] : [...this.#running];
    const moment = () => new Promise((resolve) => setTimeout(resolve, 1));
    return others.length > 0 ? Promise.race(others).then(moment, moment) : moment();
  }

  async #run(task, core = this.#core) {
    if (!task) return;
    // Once there is enough, whoever it came from, a lease is not tried again.
    const running = run(this.#runtime, task, (reason) => {
      this.#unreached = reason;
      return core("wanted", this.#counter.rest);
    });
    if (!this.#runtime.isolated) this.#running.add(running);
    this.#store.waitUntil(running);
    try {
      await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** The promise, but rejected as soon as the store is closed. */
  #unlessClosed(promise) {
    if (this.#runtime.isolated) return promise;
    return new Promise((resolve, reject) => {
      this.#cancels.add(reject);
      promise.then(resolve, reject).finally(() => this.#cancels.delete(reject));
    });
  }

  #late(trouble) {
    const { message, type, status, request } = trouble ?? {};
    const reason =
      message ?? (this.#core?.("busy") && (this.#unreached ?? "the server did not answer in time"));
    const text = `no id for "${this.tag}" within ${this.#store.timeout} ms${reason ? `; last failure: ${reason}` : ""}`;
    return new RavenEdgeError("Timeout", text, { type, status, request, outage: true, cause: trouble });
  }
}
