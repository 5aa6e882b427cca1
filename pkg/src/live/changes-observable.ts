// Listeners for changes of one kind: one document, one collection, all indexes …

import { AnyThis } from "../common/any-this.js";
import { checkName } from "../common/arguments.js";
import type { IChangesObservable } from "./live-types.js";

type Handler = (value: never) => void;

const EVENTS = ["data", "error", "resync", "subscribed"] as const;
type Event = (typeof EVENTS)[number];

/** The watch that brings the changes of an observable. */
export interface WatchUse {
  /** Whether the observable is about this value. */
  accepts(value: Record<string, unknown>): boolean;
  /** Listeners need the watch; called again after {@link leave}. */
  need(observable: Observable): void;
  leave(observable: Observable): void;
  ready(): Promise<void>;
}

/** Calls a function of the app: what it throws is its own uncaught exception. */
export function callListener(handler: (value: never) => void, value?: unknown): void {
  try {
    handler(value as never);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

export class Observable extends AnyThis implements IChangesObservable<never> {
  #watch: WatchUse;
  #handlers: Record<Event, Set<Handler>> = {
    data: new Set(),
    error: new Set(),
    resync: new Set(),
    subscribed: new Set(),
  };

  constructor(watch: WatchUse) {
    super();
    this.#watch = watch;
  }

  on(event: Event, handler: Handler): this {
    checkName("event", event, EVENTS);
    this.#handlers[event].add(handler);
    if (event === "data") this.#watch.need(this);
    return this;
  }

  off(event: Event, handler: Handler): this {
    checkName("event", event, EVENTS);
    this.#handlers[event].delete(handler);
    if (event === "data" && this.#handlers.data.size === 0) this.#watch.leave(this);
    return this;
  }

  removeListener(event: Event, handler: Handler): this {
    return this.off(event, handler);
  }

  async ensureSubscribedNow(): Promise<void> {
    this.#watch.need(this);
    await this.#watch.ready();
  }

  /** A value of the observable's kind has arrived. */
  deliver(value: Record<string, unknown>): void {
    if (this.#watch.accepts(value)) this.emit("data", value);
  }

  emit(event: Event, value?: unknown): void {
    for (const handler of [...this.#handlers[event]]) callListener(handler, value);
  }

  clear(): void {
    for (const handlers of Object.values(this.#handlers)) handlers.clear();
  }
}
