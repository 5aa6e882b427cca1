// What the app is told of the queue: its status, the events about it, a server that has gone back.

import {
  PAUSE_AUTH,
  REGRESSION_CLONED,
  REGRESSION_INCARNATION,
  STATE_CONFLICT,
  STATE_PARKED,
  STATE_QUEUED,
  STATE_SEALED,
  STATE_UNSURE,
} from "../../gen/protocol.js";
import type { RavenEdgeError } from "../common/error.js";
import type { StoreBase } from "../store/store.js";
import type { RegressionEvent } from "../store/store-event-types.js";
import type { Memory } from "./device/queue-state.js";
import type { OfflineStatus } from "./offline-types.js";

const NAMES = ["offline", "needsAuth"] as const;

export class StatusEvents {
  readonly #store;
  readonly #user;
  readonly #status;
  /** The status that the app was notified of last, as JSON. */
  #shown = "";
  /** Whether the app was notified that the user must sign in. */
  #isAsking = false;
  #isScheduled = false;
  readonly #signIns = new Set<() => void>();
  readonly #end = new AbortController();

  constructor(store: StoreBase, user: string, status: () => OfflineStatus) {
    this.#store = store;
    this.#user = user;
    this.#status = status;
    const { signal } = this.#end;
    for (const name of ["online", "offline"])
      globalThis.addEventListener?.(name, () => this.tell(), { signal });
  }

  /** Notifies the app in a later task if the status has changed. Calls until then share one notification. */
  tell(): void {
    const isWatched =
      this.#signIns.size > 0 || NAMES.some((name) => this.#store.listenersOf(name).length > 0);
    if (this.#isScheduled || !isWatched) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      if (!this.#end.signal.aborted) this.#emit();
    });
  }

  #emit(): void {
    const status = this.#status();
    const text = JSON.stringify(status);
    if (text !== this.#shown) this.#store.emitLater("offline", status);
    this.#shown = text;
    if (this.#isAsking && !status.needsAuth) this.signedIn();
    if (status.needsAuth && !this.#isAsking) this.#store.emitLater("needsAuth", { user: this.#user });
    this.#isAsking = status.needsAuth;
  }

  /** The user has signed in. If the status needs a sign-in even so, the app gets `needsAuth` again. */
  signedIn(): void {
    this.#isAsking = false;
    for (const listener of this.#signIns) listener();
  }

  /** Calls `listener` when the user has signed in; returns the function that ends it. */
  onSignedIn(listener: () => void): () => void {
    this.#signIns.add(listener);
    // The sign-in may be needed since before anybody listened.
    this.tell();
    return () => this.#signIns.delete(listener);
  }

  stop(): void {
    this.#end.abort();
  }
}

/**
 * A read has ended; `kind`: reads of one kind are refused or permitted alike. Returns whether that has changed. `refused`: the kinds that
 * were refused because nobody is signed in (401), also where nothing waits to be sent.
 */
export function readEnded(refused: Set<string>, kind: string, error?: unknown): boolean {
  if ((error as Partial<RavenEdgeError> | undefined)?.code !== "Unauthorized")
    return error === undefined && refused.delete(kind);
  const isNew = !refused.has(kind);
  refused.add(kind);
  return isNew;
}

/** `why`: one of `REGRESSION_…`. */
export function regressionEvent(why: number, memory: Memory | undefined): RegressionEvent {
  const changes = [...(memory?.changes.values() ?? [])];
  const unsaved = changes.flatMap(({ commands }) => commands.map(({ id }) => id));
  const device = why === REGRESSION_CLONED ? "cloned" : "receipt lost";
  return { offline: why === REGRESSION_INCARNATION ? "incarnation" : device, unsaved: [...new Set(unsaved)] };
}

/** `facts`: what memory does not say. `refusesReads`: whether a read was refused because nobody is signed in. */
export function statusOf(
  memory: Memory | undefined,
  facts: Pick<OfflineStatus, "ready" | "online" | "sending" | "persisted">,
  refusesReads: boolean,
): OfflineStatus {
  const counts = new Map<number, number>();
  const states = memory?.core.states() ?? [];
  for (let at = 1; at < states.length; at += 2) {
    const state = states[at] as number;
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const count = (state: number) => counts.get(state) ?? 0;
  let bytes = 0;
  for (const { size } of memory?.changes.values() ?? []) bytes += size;
  const [first] = memory?.changes.values() ?? [];
  const bits = memory?.core.paused() ?? 0;
  return {
    ...facts,
    queued: count(STATE_QUEUED) + count(STATE_SEALED) - facts.sending,
    conflicts: count(STATE_CONFLICT),
    refused: count(STATE_PARKED),
    unknown: count(STATE_UNSURE),
    oldest: first && new Date(first.time),
    bytes,
    paused: (bits & ~PAUSE_AUTH) > 0,
    needsAuth: refusesReads || (bits & PAUSE_AUTH) > 0,
    damaged: memory?.damaged.length ?? 0,
  };
}
