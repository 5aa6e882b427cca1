// What `store.on("trace", …)` gives the app, and what a store calls while it is traced. Types alone.

/**
 * A piece of work of a store: a save, a lease, a batch of the offline queue, or a request. Names and attributes are those of
 * OpenTelemetry's semantic conventions for databases and HTTP clients; attributes that begin with `raven_edge.` are this package's own.
 * It has no contents, ids or queries of documents, no headers and no values of a URL's query.
 */
export interface TraceSpan {
  /** What it is, with few different values: `saveChanges Shop`, `lease orders`, `POST bulk_docs`. */
  readonly name: string;
  /** 32 hexadecimal digits: the same for a save and its requests. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** The span that this one is a part of. */
  readonly parentSpanId?: string;
  /** Milliseconds since 1970. */
  readonly startTime: number;
  /** Milliseconds since 1970; absent until the span has ended. */
  readonly endTime?: number;
  /** `error.type` is there if it has failed. */
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** What a listener may return for a span. */
export interface TraceHandle {
  /** Called when the span has ended. */
  end?(span: TraceSpan): void;
  /** For a request: the value of the header `traceparent` that is sent with it (W3C Trace Context). Default: no header. */
  readonly traceparent?: string;
}

/**
 * Called at the start of each span. It runs within the call that it reports, whose result it cannot change: an error that it throws is
 * an uncaught exception, and the call goes on.
 */
export type TraceListener = (span: TraceSpan) => TraceHandle | undefined;

/**
 * What a store calls while it is traced.
 * @internal
 */
export interface Tracer {
  /**
   * Runs work of a store within a span, and returns its promise. `tag`: the counter for which it leases; many such tasks send nothing
   * because there are numbers on the device, so their span begins with their first request.
   */
  during<Result>(
    store: TracedStore,
    name: string,
    run: (work: TracedWork) => Promise<Result>,
    tag?: string,
  ): Promise<Result>;
  /** What begins the spans of the requests that are asked for now; `undefined` if nothing listens. */
  requests(store: TracedStore): TracedRequests | undefined;
}

/**
 * A store, as a trace shows it.
 * @internal
 */
export interface TracedStore {
  readonly database: string;
  readonly runtime: { work: TracedWork | undefined };
}

/**
 * Work whose requests are parts of its span.
 * @internal
 */
export interface TracedWork {
  /** Sets how many commands its batch has. */
  sized(commands: number): void;
}

/**
 * Begins the span of a request, which may get a header.
 * @internal
 */
export type TracedRequests = (
  request: { readonly method: string; readonly url: string },
  headers: Headers,
) => {
  /** Ends it unless it has ended. `outcome`: the status of the response, or why there is none. */
  end(outcome: unknown): void;
};
