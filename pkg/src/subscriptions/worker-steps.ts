// What a subscription worker does next: a pure function of its state and an event. `tests/unit/subscription-steps.test.mjs` visits
// every state that it can reach.
//
// 1. A batch is acknowledged once, after all its listeners have finished without an error, and only on the connection that brought it.
// 2. Listeners never have two batches at a time, also when the connection is lost while they work.
// 3. At most one connection is open.
// 4. "end" comes once, last, and never while a listener works.

/** What a failure of the connection means. */
export type Verdict = "end" | "again" | "outage" | "unexpected";

export type Phase =
  | "idle"
  | "connecting"
  | "reading"
  /** The listeners have a batch. */
  | "processing"
  /** The listeners have a batch, but its connection is lost: the batch will come again. */
  | "orphaned"
  /** The listeners have a batch, but the app has disposed of the worker. */
  | "leaving"
  /** The batch is acknowledged, and the server has not confirmed it yet. */
  | "confirming"
  /** It pauses before it connects again. */
  | "pausing"
  /** The app has disposed of it before it began. */
  | "unused"
  | "ended";

export interface WorkerState {
  readonly phase: Phase;
  /** When connecting began to fail, in milliseconds; `undefined`: the last connection was accepted. */
  readonly failingSince?: number | undefined;
  /** What to do about the lost connection when the listeners have finished. */
  readonly verdict?: Verdict | undefined;
}

export type WorkerEvent =
  /** The app listens for batches. */
  | { readonly is: "start" }
  /** The server has accepted the connection. */
  | { readonly is: "accepted" }
  /** A whole batch was received. */
  | { readonly is: "batch" }
  /** All listeners have finished; `failed`: one of them with an error. */
  | { readonly is: "processed"; readonly failed: boolean }
  /** The server has confirmed the acknowledgement. */
  | { readonly is: "confirmed" }
  /** The connection has failed, or could not be made. */
  | { readonly is: "failed"; readonly verdict: Verdict; readonly at: number }
  /** The pause is over. */
  | { readonly is: "resumed" }
  /** The app disposes of the worker. */
  | { readonly is: "dispose" };

export type WorkerEffect =
  | "connect"
  | "close"
  | "deliver"
  | "acknowledge"
  | "pause"
  /** Events for the app. */
  | "tell established"
  | "tell confirmed"
  | "tell retry"
  | "tell unexpected"
  | "tell error"
  /** The error: connecting has failed for too long. */
  | "tell worn out"
  /** The error: a listener has failed. */
  | "tell listener failed"
  | "tell end";

type Step = readonly [WorkerState, ...WorkerEffect[]];

const ENDED: WorkerState = { phase: "ended" };

/** The next state, and what to do, in order. `period`: for how long connecting may fail, in milliseconds. */
export function step(state: WorkerState, event: WorkerEvent, period: number): Step {
  const { phase } = state;
  if (event.is === "dispose") return dispose(phase);
  if (event.is === "failed") return failed(state, event, period);
  switch (`${phase} ${event.is}`) {
    case "unused start":
      return [ENDED, "tell end"];
    case "idle start":
      return [{ ...state, phase: "connecting" }, "connect"];
    case "connecting accepted":
      return [{ phase: "reading" }, "tell established"];
    case "reading batch":
      return [{ ...state, phase: "processing" }, "deliver"];
    case "confirming confirmed":
      return [{ ...state, phase: "reading" }, "tell confirmed"];
    case "pausing resumed":
      return [{ ...state, phase: "connecting" }, "tell retry", "connect"];
  }
  return event.is === "processed" ? processed(state, event.failed) : [state];
}

function dispose(phase: Phase): Step {
  switch (phase) {
    case "idle":
      return [{ phase: "unused" }];
    case "connecting":
    case "reading":
    case "confirming":
      return [ENDED, "close", "tell end"];
    case "processing":
      return [{ phase: "leaving" }, "close"];
    case "orphaned":
      return [{ phase: "leaving" }];
    case "pausing":
      return [ENDED, "tell end"];
    default:
      return [{ phase }];
  }
}

function processed(state: WorkerState, hasFailed: boolean): Step {
  switch (state.phase) {
    case "leaving":
      return [ENDED, "tell end"];
    case "processing":
      return hasFailed
        ? [ENDED, "close", "tell listener failed", "tell end"]
        : [{ ...state, phase: "confirming" }, "acknowledge"];
    case "orphaned":
      if (hasFailed) return [ENDED, "tell listener failed", "tell end"];
      return state.verdict === "end"
        ? [ENDED, "tell error", "tell end"]
        : [{ phase: "pausing", failingSince: state.failingSince }, "pause"];
    default:
      return [state];
  }
}

function failed(state: WorkerState, { verdict, at }: { verdict: Verdict; at: number }, period: number): Step {
  const { phase, failingSince } = state;
  if (!["connecting", "reading", "processing", "confirming"].includes(phase)) return [state];
  const told: WorkerEffect[] = verdict === "unexpected" ? ["tell unexpected"] : [];
  const counts = verdict === "outage" || verdict === "unexpected";
  if (counts && failingSince !== undefined && at - failingSince > period)
    // Only a connection that was never accepted can have failed before, so no listener has a batch.
    return [ENDED, "close", ...told, "tell worn out", "tell end"];
  const since = counts ? (failingSince ?? at) : failingSince;
  if (phase === "processing") return [{ phase: "orphaned", verdict, failingSince: since }, "close", ...told];
  return verdict === "end"
    ? [ENDED, "close", "tell error", "tell end"]
    : [{ phase: "pausing", failingSince: since }, "close", ...told, "pause"];
}
