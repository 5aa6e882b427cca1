// Ids of one tag: its counter, its number in the core, and the callers that wait.

import {
  EVENT_DRY,
  EVENT_JOINED,
  EVENT_LEASED,
  EVENT_MISSED,
  EVENT_TAKEN,
  LIMIT_RANGE,
  STATUS_LEASING,
  STATUS_PARKED,
  STATUS_TAIL,
  WANT_ID,
  WANT_NUMBERS,
  WANT_READY,
} from "../../gen/protocol.js";
import { AnyThis } from "../common/any-this.js";
import { connectionBack, isOffline } from "../common/connection.js";
import { fail, madeHere, RavenEdgeError } from "../common/error.js";
import type { CoreStore } from "../core/core-store.js";
import type { CoreTask } from "../core/core-task.js";
import type { EnterTag, Reply, TagMethod } from "../runtime/core.js";
import { run } from "../runtime/run-task.js";
import type { Runtime } from "../runtime/runtime.js";
import type { TracedWork } from "../tracing/trace-types.js";
import { Counter } from "./counter.js";
import type { HiLoStatus, HiLo as PublicHiLo } from "./hilo-types.js";
import { WaitingCallers } from "./waiting-callers.js";

/** What a tag needs of its store; `id-store.ts` says what the members are. */
export interface StoreOfTags {
  /** Its member `Parking` says whether numbers can be parked. */
  readonly runtime: Runtime & { readonly Parking?: unknown };
  readonly timeout: number;
  core(): Promise<unknown>;
  leaseEarly(tag: string): void;
  chosen(tag: string): [keep: number, capacity: number];
  turn(tag: string, lease: () => Promise<void>): Promise<void>;
  giveBack(): Promise<void>;
  traced(name: string, run: (work?: TracedWork) => Promise<void>, tag: string): Promise<void>;
  waitUntil(promise: Promise<unknown>): void;
  assertOpen(): void;
}

/** Removes the groups of callers whose request the platform has cancelled: it does not run their `finally`. */
const forgotten = globalThis.FinalizationRegistry && new FinalizationRegistry<() => void>((join) => join());

export class HiLo extends AnyThis implements PublicHiLo {
  #counter = new Counter(
    () => this.#dry(),
    (...spawned) => this.#spawned(...spawned),
  );
  #store;
  #runtime;
  #core: EnterTag | undefined;
  /** Why the core refuses the tag. */
  #problem: unknown;
  /** All callers that wait; in workerd, where no request may wait for another one, each caller has its own. */
  #waiting: WaitingCallers | undefined;
  /** How to reject those who wait for the core. */
  #cancels = new Set<(error: unknown) => void>();
  /** Whether the app takes numbers synchronously: then the core has one in the counter ahead of need. */
  #takes = false;
  /** Whether numbers were reserved before there was a core: then its first lease is a larger one than an early lease would be. */
  isReserving = false;
  /** How to wake tasks that wait for a connection. */
  #wakes = new Set<() => void>();
  /** Tasks that others may wait for: none in workerd. */
  #running = new Set<Promise<void>>();
  /** The reply of the last attempt of a task that goes on, if it reached no server. */
  #unreached: Reply | undefined;
  declare readonly tag: string;

  constructor(store: StoreOfTags, tag: string) {
    super();
    this.#store = store;
    this.#runtime = store.runtime;
    this.tag = tag;
  }

  /**
   * Called by the store when there is a core to lease from; does nothing if there was one already. If the core refuses the tag, callers
   * that ask for ids get its error.
   */
  attach(store: CoreStore): void {
    if (this.#core) return;
    try {
      const tag = store.addTag(this.tag, this.#counter, ...this.#store.chosen(this.tag));
      const call = (name: TagMethod, ...args: number[]) => store.ofTag(name, tag, ...args);
      this.#core = this.#runtime.bound(call) as EnterTag;
      this.#waiting = this.#waitingWith(this.#core, 0);
      if (this.#takes) this.#core("notify", 0, EVENT_MISSED, 0, 0);
    } catch (error) {
      this.#problem = error;
    }
  }

  assertValid(): void {
    if (this.#problem) throw this.#problem;
  }

  /** Called by the store when its core has died or ended, for this reason. */
  detach(error: unknown): void {
    this.#counter.surrender();
    this.#counter.takeEffects();
    this.#core = undefined;
    this.#waiting?.drop(error);
  }

  /** Called by the store when it is disposed of: rejects the callers that wait; resolves when the tasks under way have ended. */
  close(error: unknown): Promise<unknown> | undefined {
    // In workerd each may belong to another request, which gets the error when its own lease has ended.
    if (this.#runtime.isolated) return undefined;
    for (const cancel of this.#cancels) cancel(error);
    if (this.#core) this.#waiting?.close(error);
    for (const wake of this.#wakes) wake();
    return Promise.allSettled(this.#running);
  }

  /**
   * Prepares the return of all numbers in memory, and of parked ones beyond `keep` (below 0: the usual number stays); returns
   * whether there is a pool.
   */
  async letGo(keep: number): Promise<boolean> {
    this.surrender();
    const task = this.#runtime.Parking ? this.#core?.("letGo", keep) : undefined;
    await this.#run(task);
    this.surrender();
    return !!task;
  }

  /** Empties the counter: nothing is issued until a caller asks again. */
  surrender(): void {
    this.#core?.("surrender");
  }

  /** A function of the object, which needs no wrapper: an id takes as long as joining two texts. */
  take = (): string | undefined => {
    const id = this.#counter.take();
    if (this.#counter.rest === 0) this.#used(id === undefined);
    return id;
  };

  /**
   * The app takes numbers synchronously, and has used up the counter: the core brings the next one into it. `missed`: the app found
   * none, and will ask again.
   */
  #used(missed: boolean): void {
    this.#takes = true;
    this.#core?.("notify", 0, missed ? EVENT_MISSED : EVENT_TAKEN, 0, 0);
    this.#waiting?.perform();
  }

  /** As {@link take}, for callers that call {@link next} if there is none: nothing has to be in memory for them ahead of need. */
  takeForNow = (): string | undefined => this.#counter.take();

  async next(): Promise<string> {
    return this.#counter.take() ?? (this.#wait(WANT_ID) as Promise<string>);
  }

  /** Brings some of the parked numbers into memory, for `take`. */
  async ready(): Promise<void> {
    if (this.#core) await this.#wait(WANT_READY);
  }

  async reserve(count: number): Promise<void> {
    if (!Number.isSafeInteger(count) || count < 0 || count > LIMIT_RANGE) {
      fail("InvalidArgument", `reserve takes a whole number from 0 to ${LIMIT_RANGE}`);
    }
    if (count > 0) return this.#wait(WANT_NUMBERS, count) as Promise<undefined>;
    await this.#store.core();
    if (await this.letGo(-1)) return this.#store.giveBack();
  }

  status(): HiLoStatus {
    const held = this.#held();
    return {
      atHand: held.reduce((sum, { low, high }) => sum + high - low + 1, 0),
      parked: Math.max(0, this.#core?.("status", STATUS_PARKED) ?? 0),
      held,
      leasing: !!this.#core?.("status", STATUS_LEASING),
      ...this.#counter.lease,
    } as HiLoStatus;
  }

  #held(): HiLoStatus["held"] {
    const held = [];
    let [low, high] = this.#counter.block;
    for (let at = STATUS_TAIL; low; ) {
      if (low <= high) held.push({ low, high });
      low = this.#core?.("status", at++) as number;
      high = this.#core?.("status", at++) as number;
    }
    return held;
  }

  /** A task that the core begins by itself. It must not run while Rust is on the stack, nor in another instance than its own. */
  #spawned(task: CoreTask, reports: boolean, pauses: boolean): void {
    const { alive } = this.#runtime.bound(() => {});
    queueMicrotask(() => {
      if (!alive()) return;
      if (reports) this.#waiting?.run(task, EVENT_LEASED);
      // Not among those that others wait for: it begins moves of its own.
      else if (pauses) run(this.#runtime, task).catch(() => {});
      else this.#run(task).catch(() => {});
    });
  }

  /** The counter is used up: the core gives it the next block, and leases ahead of need. */
  #dry(): void {
    if (!this.#core) {
      // An app that calls nothing but `take` needs the module, too.
      this.#store.core().catch(() => {});
      return;
    }
    this.#core("notify", 0, EVENT_DRY, 0, 0);
    this.#waiting?.perform();
  }

  /** Waits for one of `WANT_…` within the time limit. */
  async #wait(want: number, count = 0): Promise<string | undefined> {
    try {
      return await this.#ask(want, count);
    } catch (error) {
      throw madeHere(error);
    }
  }

  async #ask(want: number, count: number): Promise<string | undefined> {
    const deadline = performance.now() + this.#store.timeout;
    // Without an await if there is a core: callers of the same turn of the event loop are served by one lease.
    if (this.#core) this.#store.assertOpen();
    else {
      const core = this.#store.core();
      if (want === WANT_ID) this.#store.leaseEarly(this.tag);
      else if (want === WANT_NUMBERS) this.isReserving = true;
      await this.#unlessClosed(core);
    }
    this.assertValid();
    const limit = Math.max(0, deadline - performance.now());
    // The store attaches its tags as soon as it has a core.
    if (!this.#runtime.isolated)
      return this.#runtime.whileAlive((this.#waiting as WaitingCallers).ask(want, count, limit));
    // The platform may cancel a request. Among others, its caller would be counted for ever.
    const core = this.#core as EnterTag;
    const group = core("fork");
    const waiting = this.#waitingWith(core, group);
    const join = () => {
      if (core.alive()) core("notify", group, EVENT_JOINED, 0, 0);
    };
    forgotten?.register(waiting, join);
    try {
      return await waiting.ask(want, count, limit);
    } finally {
      join();
    }
  }

  #waitingWith(core: EnterTag, group: number): WaitingCallers {
    return new WaitingCallers(
      {
        counter: this.#counter,
        run: (task) => this.#run(task, core, group),
        turn: (lease) => this.#store.turn(this.tag, lease),
        others: () => this.#others(),
        assertOpen: () => this.#store.assertOpen(),
        late: (trouble) => this.#late(trouble),
      },
      core,
      group,
    );
  }

  /** Resolves when another task of this tag has ended, but always in a later turn of the event loop. */
  #others(): Promise<unknown> {
    const others = [...this.#running];
    const moment = () => new Promise((resolve) => setTimeout(resolve, 1));
    return others.length > 0 ? Promise.race(others).then(moment, moment) : moment();
  }

  async #run(task: CoreTask | undefined, core = this.#core, group = 0): Promise<void> {
    if (!task) return;
    // A lease is not tried again once there are enough numbers, whatever they came from.
    const wanted = async (failure: Reply | undefined) => {
      this.#unreached = failure;
      // Without a connection every attempt fails, and browsers report each one as an error.
      if (failure && isOffline()) {
        const { back, wake } = connectionBack();
        this.#wakes.add(wake);
        await back;
        this.#wakes.delete(wake);
      }
      return (core as EnterTag)("wanted", group, this.#counter.rest);
    };
    const lease = (work?: TracedWork) => run(this.#runtime, task, wanted, undefined, work);
    const running = this.#store.traced("lease", lease, this.tag);
    if (!this.#runtime.isolated) this.#running.add(running);
    this.#store.waitUntil(running);
    try {
      await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** The promise, but rejected as soon as the store is closed. */
  #unlessClosed(promise: Promise<unknown>): Promise<unknown> {
    if (this.#runtime.isolated) return promise;
    return new Promise((resolve, reject) => {
      this.#cancels.add(reject);
      promise.then(resolve, reject).finally(() => this.#cancels.delete(reject));
    });
  }

  #late(trouble: unknown): RavenEdgeError {
    const { message, type, status, request } = (trouble ?? {}) as Partial<RavenEdgeError>;
    const [, , unreached = "the server did not respond in time", error] = this.#unreached ?? [];
    const isLeasing = message === undefined && this.#core?.("status", STATUS_LEASING);
    const reason = isLeasing ? unreached : message;
    const why = reason ? `; last failure: ${reason}` : "";
    // A device that is online leases what it needs.
    const advice = isOffline() ? "; reserve() more while there is a connection" : "";
    const text = `no numbers were leased for "${this.tag}" within ${this.#store.timeout} ms${why}${advice}`;
    return new RavenEdgeError("Timeout", text, {
      type,
      status,
      request,
      cause: isLeasing ? error : trouble,
    });
  }
}
