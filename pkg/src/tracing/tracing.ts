// The spans of a store: loaded with the first listener of "trace".

import type { Events } from "../common/event-listeners.js";
import type { TracedEvents } from "../store/store-event-types.js";
import { type Attributes, OpenSpan, ofBatch, ofError, ofOperation, ofRequest, ofStatus } from "./spans.js";
import type { TracedRequests, TracedStore, TracedWork, TraceListener, Tracer } from "./trace-types.js";

/** Traces the stores that have these events. */
export function trace(events: Events<TracedEvents>): void {
  events.tracer ??= new SpanTracer(() => events.of("trace") as TraceListener[]);
}

/** Work that may have begun its span. */
class Work implements TracedWork {
  readonly #make;
  #span: OpenSpan | undefined;
  #size = 0;
  #isOver = false;

  constructor(make: () => OpenSpan) {
    this.#make = make;
  }

  sized(commands: number): void {
    this.#size = commands;
  }

  /** Its span, begun now if need be; `undefined` if the work has ended. */
  span(): OpenSpan | undefined {
    if (!this.#isOver) this.#span ??= this.#make();
    return this.#isOver ? undefined : this.#span;
  }

  end(outcome: Attributes): void {
    this.#isOver = true;
    this.#span?.end({ ...ofBatch(this.#size), ...outcome });
  }
}

class SpanTracer implements Tracer {
  readonly #listeners;

  constructor(listeners: () => TraceListener[]) {
    this.#listeners = listeners;
  }

  during<Result>(
    { database }: TracedStore,
    name: string,
    run: (work: TracedWork) => Promise<Result>,
    tag?: string,
  ): Promise<Result> {
    const attributes = {
      ...ofOperation(database, name),
      ...(tag !== undefined && { "raven_edge.lease.tag": tag }),
    };
    const work = new Work(() => new OpenSpan(this.#listeners(), `${name} ${tag ?? database}`, attributes));
    if (tag === undefined) work.span();
    const running = run(work);
    running.then(
      () => work.end({}),
      (error) => work.end(ofError(error)),
    );
    return running;
  }

  requests({ database, runtime }: TracedStore): TracedRequests | undefined {
    const listeners = this.#listeners();
    if (listeners.length === 0) return undefined;
    // Set while a task is being entered, which is when it asks for requests.
    const work = runtime.work as Work | undefined;
    return ({ method, url }, headers) => {
      const span = new OpenSpan(listeners, ...ofRequest(url, method, database), work?.span());
      if (span.traceparent) headers.set("traceparent", span.traceparent);
      return {
        end: (outcome) => span.end(typeof outcome === "number" ? ofStatus(outcome) : ofError(outcome)),
      };
    };
  }
}
