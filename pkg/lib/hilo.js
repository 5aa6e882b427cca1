// Ids of one tag: those who wait, and the lease they wait for. Which numbers there are is known to the core alone.

import { Counter } from "../hot/counter.js";
import { fail, RavenEdgeError } from "./error.js";
import { run } from "./run.js";

const LARGEST_RESERVE = 1_048_576;

/** After a failure, a caller with fewer milliseconds left than this is told so instead of trying again. */
const TOO_LATE = 50;

export class HiLo {
  #counter = new Counter(() => this.#dry());
  #store;
  #runtime;
  #core;
  #problem;
  #leasing;
  #waiting = 0;
  #reserving = 0;
  #trouble;
  #cancels = new Set();

  constructor(store, runtime, tag) {
    this.#store = store;
    this.#runtime = runtime;
    this.tag = tag;
  }

  /** Called by the store when there is a core to lease from; a refused tag is told to whoever asks for ids. */
  attach(store) {
    try {
      const generator = store.generator(this.tag, this.#counter);
      this.#core = this.#runtime.bound((name, ...args) => generator[name](...args));
    } catch (error) {
      this.#problem = error;
    }
  }

  /** Called by the store when its core died. */
  detach() {
    this.#counter.surrender();
    this.#core = undefined;
    this.#leasing = undefined;
  }

  /** Called by the store when it is disposed of: refuses those who wait, gives what has to settle first. */
  close(error) {
    for (const cancel of this.#cancels) cancel(error);
    return this.#leasing;
  }

  take() {
    return this.#counter.take();
  }

  async next() {
    return this.#counter.take() ?? this.#get(1, () => this.#counter.take());
  }

  async reserve(count) {
    if (!Number.isSafeInteger(count) || count < 0 || count > LARGEST_RESERVE) {
      fail("InvalidArgument", `reserve takes a whole number from 0 to ${LARGEST_RESERVE}`);
    }
    this.#reserving++;
    try {
      await this.#get(count, () => (this.#atHand() >= count ? true : undefined));
    } finally {
      this.#reserving--;
    }
  }

  status() {
    return {
      atHand: this.#atHand(),
      parked: 0,
      leasing: this.#leasing !== undefined,
      ...this.#counter.lease,
    };
  }

  #atHand() {
    return this.#counter.rest + (this.#core?.("held") ?? 0);
  }

  /** The counter is used up: its next block, and a lease ahead of need. */
  #dry() {
    if (!this.#core) return;
    const ahead = this.#core("dry");
    if (ahead) this.#lease(() => ahead);
    // On workerd only a request that waits may lease.
    else if (this.#counter.rest === 0 && !this.#runtime.isolated && !this.#leasing) this.#lease();
  }

  /** What `attempt` gives, as soon as it gives something, within the time limit. `count` numbers are missing for it. */
  async #get(count, attempt) {
    await this.#store.core();
    if (this.#problem) throw this.#problem;
    const deadline = performance.now() + this.#store.timeout;
    this.#waiting += count;
    try {
      for (;;) {
        const found = attempt();
        if (found !== undefined) return found;
        await this.#until(
          deadline,
          this.#runtime.isolated ? this.#runLease() : (this.#leasing ?? this.#lease()),
        );
        await this.#store.core();
        // A lease sent with no time left to wait for it would only be in the next caller's way.
        if (this.#trouble && deadline - performance.now() < TOO_LATE) throw this.#late();
      }
    } finally {
      this.#waiting -= count;
    }
  }

  /** One lease for all who wait; those who ask in the same turn of the event loop count for its size. */
  #lease(make) {
    const leasing = this.#runLease(make).finally(() => {
      if (this.#leasing === leasing) this.#leasing = undefined;
    });
    leasing.catch(() => {});
    this.#leasing = leasing;
    return leasing;
  }

  async #runLease(
    make = () => this.#core?.("lease", Math.max(1, this.#waiting - this.#atHand()), this.#reserving > 0),
  ) {
    await undefined;
    const task = make();
    try {
      if (task) await run(this.#runtime, task, () => this.#waiting > 0);
      // Whatever the reason, those who wait must not ask again in the same turn of the event loop.
      else await new Promise((resolve) => setTimeout(resolve, 1));
      this.#trouble = undefined;
    } catch (error) {
      this.#trouble = error;
      if (!error.outage) throw error;
    }
  }

  /** Waits for the lease, but no longer than the caller's time limit and the store's life. */
  #until(deadline, lease) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(this.#late()), Math.max(0, deadline - performance.now()));
      this.#cancels.add(reject);
      lease.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        this.#cancels.delete(reject);
      });
    });
  }

  #late() {
    const { message, type, status, request } = this.#trouble ?? {};
    const reason = message ?? (this.#leasing && "the server did not answer in time");
    const text = `no id for "${this.tag}" within ${this.#store.timeout} ms${reason ? `; last failure: ${reason}` : ""}`;
    return new RavenEdgeError("Timeout", text, { type, status, request, outage: true, cause: this.#trouble });
  }
}
