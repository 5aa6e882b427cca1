// The spans of a store, loaded with the first listener of "trace", and what they say of a request. Nothing private enters a span: no text of an
// error, no value of a query.

import type { Events } from "../common/event-listeners.js";
import type { TracedEvents } from "../store/store-event-types.js";
import { randomId } from "../wire/random-id.js";
import type { TraceHandle, TraceListener, TraceSpan } from "./trace-types.js";

type Attributes = Record<string, string | number>;

/** A span that has begun. */
class OpenSpan {
  readonly span: { -readonly [Name in keyof TraceSpan]: TraceSpan[Name] } & { attributes: Attributes };
  /** The header for a request, if a listener has asked for it. */
  readonly traceparent: string | undefined;
  readonly #began = performance.now();
  readonly #handles: TraceHandle[];

  constructor(listeners: Iterable<TraceListener>, name: string, attributes: Attributes, parent?: OpenSpan) {
    this.span = {
      name,
      traceId: parent?.span.traceId ?? randomId(16),
      spanId: randomId(8),
      ...(parent && { parentSpanId: parent.span.spanId }),
      startTime: Date.now(),
      attributes,
    };
    this.#handles = [...listeners].flatMap((listener) => guarded(() => listener(this.span)) ?? []);
    this.traceparent = this.#handles.find((handle) => handle.traceparent)?.traceparent;
  }

  /** Ends it, unless it has ended. */
  end(attributes: Attributes = {}): void {
    if (this.span.endTime !== undefined) return;
    Object.assign(this.span.attributes, attributes);
    // The wall clock may be set in between.
    this.span.endTime = this.span.startTime + performance.now() - this.#began;
    for (const handle of this.#handles) guarded(() => handle.end?.(this.span));
  }
}

/** Calls code of the app: its exceptions are the app's, as those of other listeners. */
function guarded<Result>(call: () => Result): Result | undefined {
  try {
    return call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
    return undefined;
  }
}

/** The attributes that all spans of a database have. */
const ofDatabase = (database: string): Attributes => ({
  "db.system.name": "ravendb",
  "db.namespace": database,
});

function ofRequest(url: string, method: string, database: string): [name: string, Attributes] {
  // In a page it may be a path. The app's own `fetch` may take what is no URL anywhere else.
  const base = globalThis.location?.origin ?? "http://localhost";
  const { protocol, hostname, port, origin, pathname, searchParams } = URL.canParse(url, base)
    ? new URL(url, base)
    : new URL(base);
  // Values may be ids of documents, parameters of queries, or tickets.
  const names = [...new Set(searchParams.keys())].map((name) => `${encodeURIComponent(name)}=REDACTED`);
  const [, route = pathname] = /\/(?:databases\/[^/]+\/)?([^/].*)$/.exec(
    pathname.replace(/^.*(?=\/databases\/)/, ""),
  ) ?? [pathname];
  return [
    `${method} ${route}`,
    {
      ...ofDatabase(database),
      "http.request.method": method,
      "url.full": origin + pathname + (names.length > 0 ? `?${names.join("&")}` : ""),
      "server.address": hostname,
      "server.port": Number(port || (protocol === "https:" ? 443 : 80)),
    },
  ];
}

/** What the status of a response says. */
const ofStatus = (status: number): Attributes => ({
  "http.response.status_code": status,
  ...(status >= 400 && { "error.type": String(status) }),
});

/** What an error says: its code, not its text, which may name documents. */
function ofError(thrown: unknown): Attributes {
  const { code, name, outcome, status, cause } = Object(thrown) as Partial<Record<string, unknown>>;
  const type = [code, (cause as { code?: unknown } | undefined)?.code, name].find(
    (each) => typeof each === "string" && each !== "",
  );
  return {
    "error.type": (type as string | undefined) ?? "_OTHER",
    ...(typeof status === "number" && { "db.response.status_code": String(status) }),
    ...(typeof outcome === "string" && { "raven_edge.outcome": outcome }),
  };
}

/** Work that may have begun its span, which `make` makes. */
function workOf(make: () => OpenSpan) {
  let begun: OpenSpan | undefined;
  let size = 0;
  let isOver = false;
  return {
    sized(commands: number): void {
      size = commands;
    },
    /** Its span, begun now if need be; `undefined` if the work has ended. */
    span(): OpenSpan | undefined {
      if (isOver) return undefined;
      begun ??= make();
      return begun;
    },
    end(outcome: Attributes): void {
      isOver = true;
      // A batch of one command is none, say the conventions.
      begun?.end({ ...(size > 1 && { "db.operation.batch.size": size }), ...outcome });
    },
  };
}

/** Traces the stores that have these events. */
export function trace(events: Events<TracedEvents>): void {
  const listenersOf = () => events.of("trace") as TraceListener[];
  events.tracer ??= {
    during({ database }, name, run, tag) {
      const attributes = {
        ...ofDatabase(database),
        "db.operation.name": name,
        ...(tag !== undefined && { "raven_edge.lease.tag": tag }),
      };
      const work = workOf(() => new OpenSpan(listenersOf(), `${name} ${tag ?? database}`, attributes));
      if (tag === undefined) work.span();
      const running = run(work);
      running.then(
        () => work.end({}),
        (error) => work.end(ofError(error)),
      );
      return running;
    },
    requests({ database, runtime }) {
      const listeners = listenersOf();
      if (listeners.length === 0) return undefined;
      // Set while a task is being entered, which is when it asks for requests.
      const work = runtime.work as ReturnType<typeof workOf> | undefined;
      return ({ method, url }, headers) => {
        const span = new OpenSpan(listeners, ...ofRequest(url, method, database), work?.span());
        if (span.traceparent) headers.set("traceparent", span.traceparent);
        return {
          end: (outcome) => span.end(typeof outcome === "number" ? ofStatus(outcome) : ofError(outcome)),
        };
      };
    },
  };
}
