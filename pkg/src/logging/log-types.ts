// What the gateway and the lease hub write to the log. Types alone.

/** A line of the log. It has no documents, parameters, headers, secrets or names of callers. */
export interface LogEntry {
  level: "error" | "warn" | "info";
  /** `hubObject`: the Durable Object of a counter. */
  source: "gateway" | "hub" | "hubObject";
  /**
   * | event | level | |
   * |---|---|---|
   * | `failed` | `error` | status 500 and above, or a lease of the hub from the source of its numbers |
   * | `afterResponse` | `error` | something failed after the response had begun, such as a stream |
   * | `refused` | `warn` | status 400 to 499, except conflicts (409) and missing documents (404 without a `type`) |
   * | `served` | `info` | all other responses |
   * | `aborted` | `info` | the caller disconnected; only with the compatibility flag `enable_request_signal` |
   */
  event: "failed" | "afterResponse" | "refused" | "served" | "aborted";
  /** The response header `x-request-id`, which the request to RavenDB or to the hub has, too. */
  requestId: string;
  /** Absent if no request caused the event. */
  method?: string | undefined;
  /** The path with database and route, without the query. */
  path?: string | undefined;
  status?: number | undefined;
  /** The `Type` of the error in the response. */
  type?: string | undefined;
  /** What the caller does not learn: the first line of RavenDB's message or of an exception; at most 1,000 characters. */
  message?: string | undefined;
  durationMs: number;
}

/**
 * Lines up to a level, written to the console as JSON; or a function that gets all lines instead. The platform waits for its promise.
 * Its errors are ignored.
 */
export type LogOption<Env = unknown> =
  | "error"
  | "warn"
  | "info"
  | ((entry: LogEntry, env: Env) => void | Promise<void>);
