// Listeners by the names of events. Listeners of a session run within the call that emits the event: if they throw, the call fails.

import type { Tracer } from "../tracing/trace-types.js";
import { checkName } from "./arguments.js";

/** Events that the store emits, not a session. */
export const REQUESTS = [
  "sessionCreated",
  "beforeRequest",
  "succeedRequest",
  "failedRequest",
  "topologyUpdated",
];
export const SESSION = [
  "beforeStore",
  "afterSaveChanges",
  "beforeDelete",
  "beforeConversionToDocument",
  "afterConversionToDocument",
  "beforeConversionToEntity",
  "afterConversionToEntity",
  "beforeQuery",
  "sessionDisposing",
];
export const STORE = [
  ...REQUESTS,
  "lease",
  "return",
  "regression",
  "storage",
  "offline",
  "conflict",
  "needsAuth",
  "beforeDispose",
  "afterDispose",
  "executorsDisposed",
];

/** A listener of any event. */
type AnyListener = (detail: never) => void;

/** `Known`: the argument of listeners, by the names of events. */
export class Events<Known = Record<string, never>> {
  /** The function to call, by event and by the listener that the app passed. */
  readonly all = new Map<string, Map<AnyListener, AnyListener>>();
  #known;
  /** Called when a listener of "trace" is added. Only stores with sessions have this event. */
  declare trace?: () => void;
  /** Resolves when the code of traces is loaded; `undefined`: nothing has listened. */
  declare tracing?: Promise<void>;
  /** Makes the spans, from the first listener on. */
  declare tracer?: Tracer;

  /** Starts with the current listeners of `others`. `known`: the valid names of events; default: any. */
  constructor(others?: Pick<Events<unknown>, "all">, known?: readonly string[]) {
    this.#known = known;
    for (const [name, listeners] of others?.all ?? []) this.all.set(name, new Map(listeners));
  }

  on<Name extends keyof Known & string>(
    name: Name,
    listener: (detail: Known[Name]) => void,
    run: (detail: Known[Name]) => void = listener,
  ): void {
    if (name === "trace" && this.trace) this.trace();
    else if (this.#known) checkName("event", name, this.#known);
    const listeners = this.all.get(name) ?? new Map<AnyListener, AnyListener>();
    this.all.set(name, listeners.set(listener, run));
  }

  once<Name extends keyof Known & string>(name: Name, listener: (detail: Known[Name]) => void): void {
    this.on(name, listener, (event) => {
      this.off(name, listener);
      listener(event);
    });
  }

  off<Name extends keyof Known & string>(name: Name, listener: (detail: Known[Name]) => void): boolean {
    return this.all.get(name)?.delete(listener) ?? false;
  }

  has(name: keyof Known & string): boolean {
    return !!this.all.get(name)?.size;
  }

  /** The listeners of an event, in the order in which they were added. */
  of<Name extends keyof Known & string>(name: Name): ((detail: Known[Name]) => void)[] {
    return [...(this.all.get(name)?.values() ?? [])] as ((detail: Known[Name]) => void)[];
  }

  emit<Name extends keyof Known & string>(name: Name, detail?: Known[Name]): void {
    for (const listener of this.of(name)) listener(detail as Known[Name]);
  }
}
