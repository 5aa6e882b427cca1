// Receives the batches of a subscription: carries out what `worker-steps.ts` decides.

import { checkName } from "../common/arguments.js";
import { fail, RavenEdgeError } from "../common/error.js";
import { isError } from "../common/value-kinds.js";
import type { StoreBase } from "../store/store.js";
import { randomId } from "../wire/random-id.js";
import { batchOf, type Reading } from "./batch.js";
import {
  type Connection,
  type ConnectionListener,
  connectionOf,
  type Options,
  type ReceivedBatch,
} from "./connection.js";
import { subscriptionError, verdictOf } from "./subscription-errors.js";
import type {
  SubscriptionBatch,
  SubscriptionWorker,
  SubscriptionWorkerOptions,
} from "./subscription-types.js";
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

/** `onEnd`: called when it has ended. */
export function subscriptionWorker(
  store: StoreBase,
  { documentType, ...given }: SubscriptionWorkerOptions<object>,
  revisions: boolean,
  onEnd: () => void,
): SubscriptionWorker<object> {
  const { subscriptionName } = given;
  if (!subscriptionName) fail("InvalidArgument", "a subscription worker needs the option subscriptionName");
  const reading: Reading = { store, type: store.conventions.classOf(documentType), revisions };
  const options: Options = {
    strategy: "OpenIfFree",
    maxDocsPerBatch: 4096,
    timeToWaitBeforeConnectionRetry: 5_000,
    maxErroneousPeriod: 300_000,
    ignoreSubscriberErrors: false,
    closeWhenNoDocsLeft: false,
    workerId: randomId(),
    ...given,
    subscriptionName,
  };
  checkName("strategy", options.strategy, STRATEGIES);
  const listeners = new Map<string, Listener[]>(EVENTS.map((name) => [name, []]));
  let state: WorkerState = { phase: "idle" };
  let connection: Connection | undefined;
  let received: ReceivedBatch | undefined;
  let batch: SubscriptionBatch<object> | undefined;
  let tag: string | undefined;
  /** Why the connection was lost. */
  let lost: Error | undefined;
  let listenerError: unknown;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function of(event: string): Listener[] {
    checkName("event", event, EVENTS);
    return listeners.get(event) as Listener[];
  }

  /** Calls the listeners of an event; returns whether there are any. */
  function emit(event: string, ...given: unknown[]): boolean {
    const called = [...of(event)];
    for (const listener of called) {
      try {
        listener(...given);
      } catch (error) {
        uncaught(error);
      }
    }
    return called.length > 0;
  }

  function act(event: WorkerEvent): void {
    const [next, ...effects] = step(state, event, options.maxErroneousPeriod);
    state = next;
    for (const effect of effects) perform[effect]();
  }

  const perform: Record<WorkerEffect, () => unknown> = {
    connect,
    close: () => connection?.close(),
    deliver,
    acknowledge: () => connection?.acknowledge(),
    pause: () => {
      timer = setTimeout(() => act({ is: "resumed" }), options.timeToWaitBeforeConnectionRetry);
    },
    "tell established": () => emit("onEstablishedSubscriptionConnection", worker),
    "tell confirmed": () => emit("afterAcknowledgment", batch),
    "tell retry": () => emit("connectionRetry", lost),
    "tell unexpected": () => emit("unexpectedSubscriptionError", lost),
    "tell end": () => {
      onEnd();
      emit("end");
    },
    "tell error": () => report(lost),
    "tell worn out": () => {
      const message = `connecting to the subscription ${subscriptionName} has failed for more than ${options.maxErroneousPeriod} ms`;
      report(subscriptionError("SubscriptionInvalidStateException", message, lost));
    },
    "tell listener failed": () => {
      const cause = listenerError;
      const why = (cause as Error)?.message ?? cause;
      const message = `a listener of the subscription ${subscriptionName} has failed: ${why}`;
      report(subscriptionError("SubscriberErrorException", message, cause));
    },
  };

  function report(error: Error | undefined): void {
    if (!emit("error", error)) uncaught(error);
  }

  function connect(): void {
    const isCurrent = () => connection === made;
    const reports: ConnectionListener = {
      accepted: () => isCurrent() && act({ is: "accepted" }),
      batch(whole) {
        if (!isCurrent()) return;
        received = whole;
        act({ is: "batch" });
      },
      confirmed: () => isCurrent() && act({ is: "confirmed" }),
      failed(error, node) {
        if (!isCurrent()) return;
        lost = error;
        tag = node;
        act({ is: "failed", verdict: verdictOf(error), at: Date.now() });
      },
    };
    const made = connectionOf(store, options, reports, tag);
    connection = made;
  }

  async function deliver(): Promise<void> {
    let failed = false;
    try {
      const delivered = batchOf(received as ReceivedBatch, reading);
      batch = delivered;
      await Promise.all(of("batch").map((listener) => processed(listener, delivered)));
    } catch (error) {
      listenerError = error;
      failed = !options.ignoreSubscriberErrors;
    }
    act({ is: "processed", failed });
  }

  const worker = {
    on(event: string, listener: Listener) {
      of(event).push(listener);
      if (event === "batch") act({ is: "start" });
      return this;
    },
    off(event: string, listener: Listener) {
      const known = of(event);
      const at = known.lastIndexOf(listener);
      if (at >= 0) known.splice(at, 1);
      return this;
    },
    removeListener(event: string, listener: Listener): object {
      return this.off(event, listener);
    },
    getWorkerId: () => options.workerId,
    subscriptionName,
    get currentNodeTag() {
      return connection?.tag ?? null;
    },
    dispose() {
      clearTimeout(timer);
      act({ is: "dispose" });
    },
  };
  return worker as object as SubscriptionWorker<object>;
}

/** Calls a listener; resolves when it calls back, and rejects if it throws, or calls back with an error. */
function processed(listener: Listener, batch: object): Promise<void> {
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
