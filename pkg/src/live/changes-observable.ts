// Listeners for changes of one kind: one document, one collection, all indexes …

import { AnyThis } from "../common/any-this.js";
import { checkName } from "../common/arguments.js";
import type { IChangesObservable } from "./live-types.js";

type Handler = (value: never) => void;
type Event = "data" | "error" | "resync" | "subscribed";

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
export function callListener(handler: Handler, value?: unknown): void {
  try {
    handler(value as never);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Handlers of the app, by event. */
export class Emitter<Name extends string> extends AnyThis {
  #handlers: ReadonlyMap<string, Set<Handler>>;

  constructor(...events: Name[]) {
    super();
    this.#handlers = new Map(events.map((event) => [event, new Set()]));
  }

  #of(event: Name): Set<Handler> {
    checkName("event", event, [...this.#handlers.keys()]);
    return this.#handlers.get(event) as Set<Handler>;
  }

  on(event: Name, handler: Handler): this {
    this.#of(event).add(handler);
    return this;
  }

  off(event: Name, handler: Handler): this {
    this.#of(event).delete(handler);
    return this;
  }

  has(event: Name): boolean {
    return this.#of(event).size > 0;
  }

  emit(event: Name, value?: unknown): void {
    for (const handler of [...this.#of(event)]) callListener(handler, value);
  }

  clear(): void {
    for (const handlers of this.#handlers.values()) handlers.clear();
  }
}

export class Observable extends Emitter<Event> implements IChangesObservable<never> {
  #watch: WatchUse;

  constructor(watch: WatchUse) {
    super("data", "error", "resync", "subscribed");
    this.#watch = watch;
  }

  override on(event: Event, handler: Handler): this {
    super.on(event, handler);
    if (event === "data") this.#watch.need(this);
    return this;
  }

  override off(event: Event, handler: Handler): this {
    super.off(event, handler);
    if (event === "data" && !this.has("data")) this.#watch.leave(this);
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
}
