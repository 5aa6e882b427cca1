// Ids of one tag: those who wait, and the lease they wait for. Which numbers there are is known to the core alone.

import { Counter } from "../hot/counter.js";
import { fail, RavenEdgeError } from "./error.js";
import { run } from "./run.js";
import { LARGEST } from "./source.js";

/** After a failure, a caller with fewer milliseconds left than this is told so instead of trying again. */
const TOO_LATE = 50;

export class HiLo {
  #counter = new Counter(
    () => this.#dry(),
    (task, leases) => this.#spawned(task, leases),
  );
  #store;
  #runtime;
  #core;
  #problem;
  #leasing;
  #callers = 0;
  /** Whether the lease that was just asked for is not under way yet: it is for all who ask in this turn of the event loop. */
  #gathering = false;
  #reserving = 0;
  #trouble;
  #cancels = new Set();
  #running = new Set();

  constructor(store, tag) {
    this.#store = store;
    this.#runtime = store.runtime;
    this.tag = tag;
  }

  /** Called by the store when there is a core to lease from; a refused tag is told to whoever asks for ids. */
  attach(store) {
    try {
      const generator = store.generator(this.tag, this.#counter);
      this.#core = this.#runtime.bound((name, ...args) => generator[name](...args));
      this.plan();
    } catch (error) {
      this.#problem = error;
    }
  }

  get attached() {
    return this.#core !== undefined;
  }

  /** Called by the store when its core died. */
  detach() {
    this.#counter.surrender();
    this.#core = undefined;
    this.#leasing = undefined;
    this.#gathering = false;
  }

  /** Called by the store when it is disposed of: refuses those who wait, gives what has to settle first. */
  close(error) {
    // On workerd each may belong to another request, which hears of it when its own lease is through.
    if (this.#runtime.isolated) return;
    for (const cancel of this.#cancels) cancel(error);
    return Promise.allSettled(this.#running);
  }

  /** Called by the store, too, when there is something new to know. */
  plan() {
    const { keep, grow, capacity } = this.#store.keeps(this.tag);
    const reserved = keep < 0 ? keep : Math.max(keep, this.#reserving);
    this.#core?.("plan", this.#callers, reserved, grow && !this.#reserving, capacity);
  }

  /** What memory has beyond the block in use goes to the pool. */
  async park() {
    await this.#run(this.#core?.("park"));
  }

  /** What is parked beyond `keep` comes into memory, to be given back. */
  async takeOut(keep) {
    await this.#run(this.#core?.("takeOut", keep));
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
    if (!this.#gathering) return;
    const done = () => this.#wait(-1);
    this.#wait(1);
    this.#until(performance.now() + this.#store.timeout, this.#leasing).then(done, done);
  }

  async next() {
    return this.#counter.take() ?? this.#get(() => this.#counter.take());
  }

  async reserve(count) {
    if (!Number.isSafeInteger(count) || count < 0 || count > LARGEST) {
      fail("InvalidArgument", `reserve takes a whole number from 0 to ${LARGEST}`);
    }
    await this.#store.core();
    if (this.#pooled && count === 0) {
      this.surrender();
      await this.takeOut(this.#store.keeps(this.tag).normal);
      this.surrender();
      return this.#store.giveBack();
    }
    const enough = () => (this.#have() >= count ? true : undefined);
    this.#wait(0, count);
    try {
      if (this.#pooled) await this.park();
      await this.#get(enough, () => count - this.#have());
    } finally {
      this.#wait(0, -count);
    }
  }

  /** Whether there is a device to park on; it may fail at any time. */
  get #pooled() {
    return this.#store.keeps(this.tag).keep >= 0;
  }

  /** What a reserve counts: what outlives the page, where it can. */
  #have() {
    const parked = this.#parked();
    return this.#pooled && parked >= 0 ? parked : this.#atHand();
  }

  status() {
    return {
      atHand: this.#atHand(),
      parked: Math.max(0, this.#parked()),
      held: this.#held(),
      leasing: this.#leasing !== undefined,
      ...this.#counter.lease,
    };
  }

  #atHand() {
    return this.#held().reduce((sum, { low, high }) => sum + high - low + 1, 0);
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

  /** Below 0: the source tells no incarnation, so nothing is parked. */
  #parked() {
    return this.#core?.("parked") ?? 0;
  }

  /** A task that nobody asked for. It does not run while Rust is on the stack, nor in another instance than its own. */
  #spawned(task, leases) {
    const { alive } = this.#runtime.bound();
    const own = () => (alive() ? task : undefined);
    queueMicrotask(() => {
      if (leases && !this.#leasing) this.#lease(own);
      else this.#run(own()).catch(() => {});
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
    // On workerd only a request that waits may lease.
    if (this.#counter.rest === 0 && !this.#runtime.isolated && !this.#leasing) this.#lease();
  }

  /** What `attempt` gives, as soon as it gives something, within the time limit. `missing` tells how many to reserve. */
  async #get(attempt, missing) {
    const deadline = performance.now() + this.#store.timeout;
    await this.#until(deadline, this.#store.core());
    if (this.#problem) throw this.#problem;
    this.#wait(missing ? 0 : 1);
    try {
      for (;;) {
        const found = attempt();
        if (found !== undefined) return found;
        const lease = this.#runtime.isolated || missing ? this.#runLease(undefined, missing) : this.#lease();
        await this.#until(deadline, lease);
        await this.#store.core();
        // A lease sent with no time left to wait for it would only be in the next caller's way.
        if (this.#trouble && deadline - performance.now() < TOO_LATE) throw this.#late();
      }
    } finally {
      this.#wait(missing ? 0 : -1);
    }
  }

  /** Counts who waits, and for how many. On workerd one that is cancelled would count for ever, and each leases for itself. */
  #wait(callers, reserving = 0) {
    if (this.#runtime.isolated) return;
    this.#callers += callers;
    this.#reserving += reserving;
    this.plan();
  }

  /** One lease for all who wait; those who ask in the same turn of the event loop count for its size. */
  #lease(make) {
    if (this.#leasing) return this.#leasing;
    const leasing = this.#runLease(make).finally(() => {
      if (this.#leasing === leasing) this.#leasing = undefined;
    });
    leasing.catch(() => {});
    this.#leasing = leasing;
    this.#gathering = true;
    return leasing;
  }

  async #runLease(make, missing) {
    await undefined;
    this.#gathering = false;
    try {
      if (make) return await this.#run(make());
      if (!missing && (await this.#claim())) return;
      await this.#store.turn(this.tag, async () => {
        // A sibling may have leased meanwhile.
        if (!missing && this.#store.crowded && (await this.#claim())) return;
        const count = missing ? missing() + this.#callers : this.#callers - this.#atHand();
        const task = this.#core?.("lease", Math.max(1, count), !!missing);
        if (await this.#run(task, missing)) return;
        // Somebody else's lease will do. Whatever the reason, nobody may ask again in the same turn of the event loop.
        const others = this.#runtime.isolated ? [] : this.#running;
        if (others.size > 0) await Promise.race(others);
        else await new Promise((resolve) => setTimeout(resolve, 1));
      });
      this.#trouble = undefined;
    } catch (error) {
      this.#trouble = error;
      if (!error.outage) throw error;
    }
  }

  /** Whether the device had numbers. */
  async #claim() {
    const task = this.#pooled ? this.#core?.("claim") : undefined;
    return (await this.#run(task)) && this.#counter.rest > 0;
  }

  /** Whether there was something to run. */
  async #run(task, missing) {
    if (!task) return false;
    const { isolated } = this.#runtime;
    const still = () => missing?.() ?? 1 - this.#atHand();
    // Once there is enough, whoever it came from, a lease is not tried again.
    const wanted = () => (isolated ? still() > 0 : this.#callers + this.#reserving > this.#atHand());
    const running = run(this.#runtime, task, wanted);
    if (!isolated) this.#running.add(running);
    this.#store.waitUntil(running);
    try {
      await running;
    } finally {
      this.#running.delete(running);
    }
    return true;
  }

  /** Waits for the lease, but no longer than the caller's time limit and the store's life. */
  #until(deadline, lease) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(this.#late()), Math.max(0, deadline - performance.now()));
      if (!this.#runtime.isolated) this.#cancels.add(reject);
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
