// Reads results, and reads them again when what they were read from has changed. A schedule without a clock says when.

import { type AllNames, checkNames } from "../../common/arguments.js";
import { fail, type RavenEdgeError } from "../../common/error.js";
import type { OfflineStatus } from "../../offline/offline-types.js";
import { callListener } from "../changes-observable.js";
import type { LiveStore } from "../live-store.js";
import type { IDatabaseChanges, WatchCallback, WatchOptions, WatchState } from "../live-types.js";
import { type ReadResults, type Watched, watchedResults } from "./watched-results.js";

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

/**
 * Begins a watch; returns the function that ends it, as the signal of the options does.
 * @internal
 */
export function beginWatch(
  store: LiveStore,
  changesOf: () => IDatabaseChanges,
  what: Watched,
  callback: WatchCallback<unknown>,
  options: WatchOptions,
): () => void {
  checkNames("option", options, OPTIONS satisfies AllNames<WatchOptions, typeof OPTIONS>);
  const { every = 500, signal } = options;
  if (typeof callback !== "function") fail("InvalidArgument", "watch: the second argument is a function");
  if (!(every >= 0 && every <= 2 ** 31 - 1))
    fail("InvalidArgument", "watch: every is a number of milliseconds");
  if (signal?.aborted) return () => {};
  const source = watchedResults(store, what, options);
  let changes = changesOf();
  const schedule = new WatchSchedule(every);
  const end = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let unlisten = () => {};
  /** Whether it is known whose changes count. */
  let isListening = false;
  let results: unknown;
  /** The results and the state that the callback has seen, as text. */
  let shown: string | undefined;
  let isStale = true;
  let isKept = false;
  let waitingDocuments: object[] = [];
  /** The reads that have ended. */
  let reads = 0;
  /** The changes that wait on the device, as far as the results depend on them. */
  let waiting = "";
  let readError: Error | undefined;
  let refusal: Error | undefined;

  listen();
  followPage();
  readKept();
  wake();
  const unfollowUser = store.offline?.onSignedIn(hurry);
  if (store.offline) store.events.on("offline", follow);
  signal?.addEventListener("abort", stop);
  store.events.on("beforeDispose", stop);
  return stop;

  function stop(): void {
    end.abort();
    clearTimeout(timer);
    unlisten();
    unfollowUser?.();
    store.events.off("beforeDispose", stop);
    store.events.off("offline", follow);
  }

  /** Changes may have been queued or saved: what waits on this device is laid over the results. */
  function follow({ queued, sending, conflicts, refused, bytes }: OfflineStatus): void {
    const now = [queued + sending, conflicts, refused, bytes].join();
    if (now === waiting) return;
    waiting = now;
    readKept();
    changed();
  }

  /** The user has signed in: what was refused is read again, at once. */
  function hurry(): void {
    schedule.hurry(performance.now());
    wake();
  }

  /** Shows what the device has, unless the server's results come first. */
  async function readKept(): Promise<void> {
    const before = reads;
    try {
      const kept = await source.kept?.();
      if (kept && before === reads) take(kept);
    } catch {
      // It is not kept, or not all of it.
    }
  }

  function take(read: ReadResults): void {
    ({ results, isStale, isKept, pending: waitingDocuments } = read);
    if (!isListening) {
      unlisten();
      listen();
    }
    show();
  }

  function listen(): void {
    if (end.signal.aborted) return;
    const listened = changes;
    const known = source.observables(listened);
    isListening = known !== undefined;
    const observables = known ?? [];
    // Results that were read before the watch was confirmed may be outdated.
    const outdated = () => {
      refusal = undefined;
      changed();
    };
    const refused = (error: Error) => {
      if ((error as RavenEdgeError).status === 403) refusal = error;
      show();
    };
    const status = () => {
      show();
      queueMicrotask(followChanges);
    };
    for (const observable of observables)
      observable.on("data", outdated).on("subscribed", outdated).on("error", refused);
    listened.on("connectionStatus", status);
    unlisten = () => {
      listened.off("connectionStatus", status);
      for (const observable of observables)
        observable.off("data", outdated).off("subscribed", outdated).off("error", refused);
    };
  }

  /** The app may dispose of the store's changes: the next ones are used from then on. */
  function followChanges(): void {
    if (end.signal.aborted) return;
    const next = changesOf();
    if (next === changes) return;
    changes = next;
    listen();
    show();
  }

  function followPage(): void {
    const { document } = globalThis;
    if (!document) return;
    const seen = () => {
      schedule.hide(document.visibilityState === "hidden");
      wake();
    };
    document.addEventListener("visibilitychange", seen, { signal: end.signal });
    seen();
  }

  function changed(): void {
    schedule.change(performance.now());
    wake();
  }

  function wake(): void {
    clearTimeout(timer);
    const { next } = schedule;
    if (end.signal.aborted || next === Number.POSITIVE_INFINITY) return;
    const pause = next - performance.now();
    if (pause <= 0) read();
    else timer = setTimeout(wake, pause);
  }

  async function read(): Promise<void> {
    schedule.begin(performance.now());
    let outcome: "fresh" | "stale" | "failed" = "failed";
    try {
      const found = await source.read();
      readError = undefined;
      outcome = found.isStale ? "stale" : "fresh";
      reads++;
      take(found);
    } catch (error) {
      readError = error as Error;
    }
    schedule.end(performance.now(), outcome);
    show();
    wake();
  }

  /** Calls the callback, unless it has seen the same. */
  function show(): void {
    if (end.signal.aborted || (results === undefined && !readError && !refusal)) return;
    const connected = isListening && changes.connected;
    const error = readError ?? refusal ?? changes.lastConnectionStateException ?? undefined;
    const kept = isKept && { kept: true as const };
    const pending = waitingDocuments.length > 0 && { pending: waitingDocuments };
    const state: WatchState = { connected, stale: isStale, error, ...kept, ...pending };
    const next = JSON.stringify([results, connected, isStale, error?.message, kept, pending]);
    if (next === shown) return;
    shown = next;
    callListener(() => callback(results, state));
  }
}
