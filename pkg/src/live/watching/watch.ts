// Reads results, and reads them again when what they were read from has changed. A schedule without a clock says when.

import { checkNames } from "../../common/arguments.js";
import { fail, type RavenEdgeError } from "../../common/error.js";
import type { OfflineStatus } from "../../offline/offline-types.js";
import { callListener } from "../changes-observable.js";
import type { LiveStore } from "../live-store.js";
import type { IDatabaseChanges, WatchCallback, WatchOptions, WatchState } from "../live-types.js";
import { type ReadResults, type Watched, type WatchedResults, watchedResults } from "./watched-results.js";

/** The longest pause before a stale index is asked again, and before the next try after a failure. */
const LAST_STALE_PAUSE = 5_000;
const LAST_FAILURE_PAUSE = 30_000;

export class WatchSchedule {
  readonly #every: number;
  #isReading = false;
  #isHidden = false;
  /** When the last read began. */
  #began = Number.NEGATIVE_INFINITY;
  /** When the next read is wanted. */
  #wanted = Number.NEGATIVE_INFINITY;
  /** The last pause after results that were stale or failed. */
  #pause = 0;

  constructor(every: number) {
    this.#every = every;
  }

  /** When to read; `Infinity`: not before something happens. */
  get next(): number {
    return this.#isReading || this.#isHidden ? Number.POSITIVE_INFINITY : this.#wanted;
  }

  /** Something has changed: results that were read or are being read are out of date. */
  change(now: number): void {
    this.#wanted = Math.min(this.#wanted, Math.max(now, this.#began + this.#every));
  }

  /** What made the last read fail is over: read at once. */
  hurry(now: number): void {
    this.#pause = 0;
    this.#wanted = now;
  }

  begin(now: number): void {
    this.#isReading = true;
    this.#began = now;
    this.#wanted = Number.POSITIVE_INFINITY;
  }

  end(now: number, outcome: "fresh" | "stale" | "failed"): void {
    this.#isReading = false;
    if (outcome === "fresh") {
      this.#pause = 0;
      return;
    }
    const longest = outcome === "stale" ? LAST_STALE_PAUSE : LAST_FAILURE_PAUSE;
    this.#pause = Math.min(longest, Math.max(this.#every, this.#pause * 2));
    this.#wanted = Math.min(this.#wanted, now + this.#pause);
  }

  /** Whether the page is hidden. */
  hide(isHidden: boolean): void {
    this.#isHidden = isHidden;
  }
}

const OPTIONS = ["every", "collections", "signal"] as const;

/** Does not compile if `WatchOptions` has an option that the list lacks. */
type AllOptions = keyof WatchOptions extends (typeof OPTIONS)[number] ? readonly string[] : never;

/**
 * Begins a watch; returns the function that ends it, as the signal of the options does.
 * @internal
 */
export function beginWatch(
  store: LiveStore,
  changes: () => IDatabaseChanges,
  what: Watched,
  callback: WatchCallback<unknown>,
  options: WatchOptions,
): () => void {
  checkNames("option", options, OPTIONS satisfies AllOptions);
  const { every = 500, signal } = options;
  if (typeof callback !== "function") fail("InvalidArgument", "watch: the second argument is a function");
  if (!(every >= 0 && every <= 2 ** 31 - 1))
    fail("InvalidArgument", "watch: every is a number of milliseconds");
  if (signal?.aborted) return () => {};
  const watch = new Watch(changes, watchedResults(store, what, options), callback, every);
  // What waits on this device is laid over the results.
  const queued = (status: OfflineStatus) => watch.follow(status);
  const unfollowUser = store.offline?.onSignedIn(() => watch.hurry());
  const stop = () => {
    watch.stop();
    unfollowUser?.();
    store.events.off("beforeDispose", stop);
    store.events.off("offline", queued);
  };
  if (store.offline) store.events.on("offline", queued);
  signal?.addEventListener("abort", stop);
  store.events.on("beforeDispose", stop);
  return stop;
}

class Watch {
  #changesOf: () => IDatabaseChanges;
  #changes: IDatabaseChanges;
  #source: WatchedResults;
  #callback: WatchCallback<unknown>;
  #schedule: WatchSchedule;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unlisten = () => {};
  /** Whether it is known whose changes count. */
  #isListening = false;
  #unfollowPage = () => {};
  #isOver = false;
  #results: unknown;
  /** The results and the state that the callback has seen, as text. */
  #shown: string | undefined;
  #isStale = true;
  #isKept = false;
  #pending: object[] = [];
  /** The reads that have ended. */
  #reads = 0;
  /** The changes that wait on the device, as far as the results depend on them. */
  #waiting = "";
  #readError: Error | undefined;
  #refused: Error | undefined;

  constructor(
    changes: () => IDatabaseChanges,
    source: WatchedResults,
    callback: WatchCallback<unknown>,
    every: number,
  ) {
    this.#changesOf = changes;
    this.#changes = changes();
    this.#source = source;
    this.#callback = callback;
    this.#schedule = new WatchSchedule(every);
    this.#listen();
    this.#followPage();
    this.#readKept();
    this.#wake();
  }

  /** Changes may have been queued or saved. */
  follow({ queued, sending, conflicts, refused, bytes }: OfflineStatus): void {
    const waiting = [queued + sending, conflicts, refused, bytes].join();
    if (waiting === this.#waiting) return;
    this.#waiting = waiting;
    this.#readKept();
    this.#changed();
  }

  /** The user has signed in: what was refused is read again, at once. */
  hurry(): void {
    this.#schedule.hurry(performance.now());
    this.#wake();
  }

  /** Shows what the device has, unless the server's results come first. */
  async #readKept(): Promise<void> {
    const reads = this.#reads;
    try {
      const kept = await this.#source.kept?.();
      if (kept && reads === this.#reads) this.#take(kept);
    } catch {
      // It is not kept, or not all of it.
    }
  }

  #take({ results, isStale, isKept, pending }: ReadResults): void {
    this.#results = results;
    this.#isStale = isStale;
    this.#isKept = isKept;
    this.#pending = pending;
    if (!this.#isListening) {
      this.#unlisten();
      this.#listen();
    }
    this.#show();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#unlisten();
    this.#unfollowPage();
  }

  #listen(): void {
    if (this.#isOver) return;
    const changes = this.#changes;
    const known = this.#source.observables(changes);
    this.#isListening = known !== undefined;
    const observables = known ?? [];
    // Results that were read before the watch was confirmed may be outdated.
    const changed = () => {
      this.#refused = undefined;
      this.#changed();
    };
    const refused = (error: Error) => {
      if ((error as RavenEdgeError).status === 403) this.#refused = error;
      this.#show();
    };
    const status = () => {
      this.#show();
      queueMicrotask(() => this.#followChanges());
    };
    for (const observable of observables)
      observable.on("data", changed).on("subscribed", changed).on("error", refused);
    changes.on("connectionStatus", status);
    this.#unlisten = () => {
      changes.off("connectionStatus", status);
      for (const observable of observables)
        observable.off("data", changed).off("subscribed", changed).off("error", refused);
    };
  }

  /** The app may dispose of the store's changes: the next ones are used from then on. */
  #followChanges(): void {
    if (this.#isOver) return;
    const changes = this.#changesOf();
    if (changes === this.#changes) return;
    this.#changes = changes;
    this.#listen();
    this.#show();
  }

  #followPage(): void {
    const { document } = globalThis;
    if (!document) return;
    const follow = () => {
      this.#schedule.hide(document.visibilityState === "hidden");
      this.#wake();
    };
    document.addEventListener("visibilitychange", follow);
    this.#unfollowPage = () => document.removeEventListener("visibilitychange", follow);
    follow();
  }

  #changed(): void {
    this.#schedule.change(performance.now());
    this.#wake();
  }

  #wake(): void {
    clearTimeout(this.#timer);
    const { next } = this.#schedule;
    if (this.#isOver || next === Number.POSITIVE_INFINITY) return;
    const pause = next - performance.now();
    if (pause <= 0) this.#read();
    else this.#timer = setTimeout(() => this.#wake(), pause);
  }

  async #read(): Promise<void> {
    this.#schedule.begin(performance.now());
    let outcome: "fresh" | "stale" | "failed" = "failed";
    try {
      const read = await this.#source.read();
      this.#readError = undefined;
      outcome = read.isStale ? "stale" : "fresh";
      this.#reads++;
      this.#take(read);
    } catch (error) {
      this.#readError = error as Error;
    }
    this.#schedule.end(performance.now(), outcome);
    this.#show();
    this.#wake();
  }

  /** Calls the callback, unless it has seen the same. */
  #show(): void {
    if (this.#isOver || (this.#results === undefined && !this.#readError && !this.#refused)) return;
    const connected = this.#isListening && this.#changes.connected;
    const error = this.#readError ?? this.#refused ?? this.#changes.lastConnectionStateException ?? undefined;
    const kept = this.#isKept && { kept: true as const };
    const pending = this.#pending.length > 0 && { pending: this.#pending };
    const state: WatchState = { connected, stale: this.#isStale, error, ...kept, ...pending };
    const shown = JSON.stringify([this.#results, connected, this.#isStale, error?.message, kept, pending]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    callListener(() => this.#callback(this.#results, state));
  }
}
