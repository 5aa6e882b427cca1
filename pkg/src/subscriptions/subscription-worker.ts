// Receives the batches of a subscription: carries out what `worker-steps.ts` decides.

import { AnyThis } from "../common/any-this.js";
import { checkName } from "../common/arguments.js";
import { fail, RavenEdgeError } from "../common/error.js";
import { isError } from "../common/value-kinds.js";
import type { StoreBase } from "../store/store.js";
import { randomId } from "../wire/random-id.js";
import { Batch, type Reading } from "./batch.js";
import { Connection, type Options, type ReceivedBatch } from "./connection.js";
import { subscriptionError, verdictOf } from "./subscription-errors.js";
import type { SubscriptionWorkerOptions } from "./subscription-types.js";
import { step, type WorkerEffect, type WorkerEvent, type WorkerState } from "./worker-steps.js";

type Listener = (...given: unknown[]) => unknown;

const EVENTS = [
  "batch",
  "error",
  "end",
  "unexpectedSubscriptionError",
  "onEstablishedSubscriptionConnection",
  "afterAcknowledgment",
  "connectionRetry",
];

const STRATEGIES = ["OpenIfFree", "TakeOver", "WaitForFree", "Concurrent"];

export class SubscriptionReceiver extends AnyThis {
  #options: Options;
  #reading: Reading;
  #listeners = new Map<string, Listener[]>(EVENTS.map((name) => [name, []]));
  #state: WorkerState = { phase: "idle" };
  #connection: Connection | undefined;
  #received: ReceivedBatch | undefined;
  #batch: Batch | undefined;
  #tag: string | undefined;
  /** Why the connection was lost. */
  #error: Error | undefined;
  #listenerError: unknown;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #onEnd;

  constructor(
    store: StoreBase,
    given: SubscriptionWorkerOptions<object>,
    revisions: boolean,
    onEnd: (receiver: SubscriptionReceiver) => void,
  ) {
    super();
    const { documentType, ...options } = given;
    const { subscriptionName } = options;
    if (!subscriptionName) fail("InvalidArgument", "a subscription worker needs the option subscriptionName");
    this.#reading = { store, type: store.conventions.classOf(documentType), revisions };
    this.#onEnd = onEnd;
    this.#options = {
      strategy: "OpenIfFree",
      maxDocsPerBatch: 4096,
      timeToWaitBeforeConnectionRetry: 5_000,
      maxErroneousPeriod: 300_000,
      ignoreSubscriberErrors: false,
      closeWhenNoDocsLeft: false,
      workerId: randomId(),
      ...options,
      subscriptionName,
    };
    checkName("strategy", this.#options.strategy, STRATEGIES);
  }

  on(event: string, listener: Listener): this {
    this.#of(event).push(listener);
    if (event === "batch") this.#do({ is: "start" });
    return this;
  }

  off(event: string, listener: Listener): this {
    const listeners = this.#of(event);
    const at = listeners.lastIndexOf(listener);
    if (at >= 0) listeners.splice(at, 1);
    return this;
  }

  removeListener(event: string, listener: Listener): this {
    return this.off(event, listener);
  }

  getWorkerId(): string {
    return this.#options.workerId;
  }

  get subscriptionName(): string {
    return this.#options.subscriptionName;
  }

  get currentNodeTag(): string | null {
    return this.#connection?.tag ?? null;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#do({ is: "dispose" });
  }

  #of(event: string): Listener[] {
    checkName("event", event, EVENTS);
    return this.#listeners.get(event) as Listener[];
  }

  /** Calls the listeners of an event; returns whether there are any. */
  #emit(event: string, ...given: unknown[]): boolean {
    const listeners = [...this.#of(event)];
    for (const listener of listeners) {
      try {
        listener(...given);
      } catch (error) {
        uncaught(error);
      }
    }
    return listeners.length > 0;
  }

  #do(event: WorkerEvent): void {
    const [state, ...effects] = step(this.#state, event, this.#options.maxErroneousPeriod);
    this.#state = state;
    for (const effect of effects) this.#perform[effect]();
  }

  readonly #perform: Record<WorkerEffect, () => unknown> = {
    connect: () => this.#connect(),
    close: () => this.#connection?.close(),
    deliver: () => this.#deliver(),
    acknowledge: () => this.#connection?.acknowledge(),
    pause: () => {
      const resume = () => this.#do({ is: "resumed" });
      this.#timer = setTimeout(resume, this.#options.timeToWaitBeforeConnectionRetry);
    },
    "tell established": () => this.#emit("onEstablishedSubscriptionConnection", this),
    "tell confirmed": () => this.#emit("afterAcknowledgment", this.#batch),
    "tell retry": () => this.#emit("connectionRetry", this.#error),
    "tell unexpected": () => this.#emit("unexpectedSubscriptionError", this.#error),
    "tell end": () => {
      this.#onEnd(this);
      this.#emit("end");
    },
    "tell error": () => this.#fail(this.#error),
    "tell worn out": () => {
      const { subscriptionName, maxErroneousPeriod } = this.#options;
      const message = `connecting to the subscription ${subscriptionName} has failed for more than ${maxErroneousPeriod} ms`;
      this.#fail(subscriptionError("SubscriptionInvalidStateException", message, this.#error));
    },
    "tell listener failed": () => {
      const cause = this.#listenerError;
      const why = (cause as Error)?.message ?? cause;
      const message = `a listener of the subscription ${this.subscriptionName} has failed: ${why}`;
      this.#fail(subscriptionError("SubscriberErrorException", message, cause));
    },
  };

  #fail(error: Error | undefined): void {
    if (!this.#emit("error", error)) uncaught(error);
  }

  #connect(): void {
    const isCurrent = () => this.#connection === connection;
    const connection: Connection = new Connection(this.#reading.store, this.#options, {
      accepted: () => isCurrent() && this.#do({ is: "accepted" }),
      batch: (received) => {
        if (!isCurrent()) return;
        this.#received = received;
        this.#do({ is: "batch" });
      },
      confirmed: () => isCurrent() && this.#do({ is: "confirmed" }),
      failed: (error, tag) => {
        if (!isCurrent()) return;
        this.#error = error;
        this.#tag = tag;
        this.#do({ is: "failed", verdict: verdictOf(error), at: Date.now() });
      },
    });
    this.#connection = connection;
    connection.open(this.#tag);
  }

  async #deliver(): Promise<void> {
    let failed = false;
    try {
      const batch = new Batch(this.#received as ReceivedBatch, this.#reading);
      this.#batch = batch;
      await Promise.all(this.#of("batch").map((listener) => processed(listener, batch)));
    } catch (error) {
      this.#listenerError = error;
      failed = !this.#options.ignoreSubscriberErrors;
    }
    this.#do({ is: "processed", failed });
  }
}

/** Calls a listener; resolves when it calls back, and rejects if it throws, or calls back with an error. */
function processed(listener: Listener, batch: Batch): Promise<void> {
  return new Promise((resolve, reject) => {
    const result = listener(batch, (error?: unknown) => (error ? reject(error) : resolve()));
    // An `async` listener that fails never calls back.
    Promise.resolve(result).catch(reject);
  });
}

/** Reports an error that nobody listens for, as Node's `EventEmitter` does. */
function uncaught(error: unknown): void {
  queueMicrotask(() => {
    throw isError(error) ? error : new RavenEdgeError("InvalidOperation", String(error));
  });
}
