// The log of the gateway and the lease hub: one line of JSON per request, with an id that is passed on.

import type { GatewayContext } from "../gateway/options-types.js";

/** The header with the id of a request. */
export const REQUEST_ID = "x-request-id";

const LEVELS = ["error", "warn", "info"] as const;

/** The place of an event's level in the list. */
const LEVEL_OF = { afterResponse: 0, failed: 0, refused: 1, served: 2, aborted: 2 } as const;

export const LOG_OPTION = "log: a level, or a function";

export function isLogOption(log: unknown): boolean {
  return log === undefined || typeof log === "function" || LEVELS.some((level) => level === log);
}

/** The id of a request: that of its headers if it has a harmless form, or else a new one. */
export function requestIdOf(headers: Headers): string {
  const ids = [REQUEST_ID, "traceparent", "cf-ray"].map((name) => headers.get(name));
  return ids.find((id) => /^[\w.-]{1,64}$/.test(id ?? "")) ?? crypto.randomUUID();
}

/** The message of an error in RavenDB's format, or the text if it has another one. */
export function messageIn(body: string): unknown {
  try {
    return JSON.parse(body).Message;
  } catch {
    return body;
  }
}

/** The line of one request. */
export interface RequestLine {
  readonly id: string;
  /** Says more about what happened. `event`: writes a line at once; default: only if that of the response is written already. */
  note(error: unknown, event?: LogEntry["event"] | false): void;
  /** Writes the line of a response. `body`: that of an error. */
  end(status: number, body?: string): void;
}

/** Begins a line. `request`: what the platform got, if anything. */
export function requestLine<Env>(
  source: LogEntry["source"],
  id: string,
  env: Env,
  context: GatewayContext | undefined,
  log: LogOption<Env> = "warn",
  request?: Request,
): RequestLine {
  const begin = Date.now();
  let message: string | undefined;
  let isWritten = false;
  const write = (result: LogEntry["event"], status?: number, type?: string) => {
    isWritten = true;
    const event = request?.signal.aborted ? "aborted" : result;
    const place = LEVEL_OF[event];
    const level = LEVELS[place];
    // Most requests are served, and most logs leave them out.
    if (typeof log === "string" && place > LEVELS.indexOf(log)) return;
    const entry: LogEntry = {
      level,
      source,
      event,
      requestId: id,
      method: request?.method,
      path: request && new URL(request.url).pathname,
      status,
      type,
      message,
      durationMs: Date.now() - begin,
    };
    if (typeof log === "function") {
      const sent = (async () => log(entry, env))().catch(() => {});
      context?.waitUntil(sent);
    } else console[level](JSON.stringify(entry));
  };
  return {
    id,
    note(error, event = isWritten && "afterResponse") {
      // Stack traces and parameters of queries follow the first line of RavenDB's messages; its parser quotes the text around an error.
      const text = String((error as Error | undefined)?.message ?? error);
      message = text.split(/\r|\n| around: /, 1)[0]?.slice(0, 1_000);
      if (event) write(event);
    },
    end(status, body = "") {
      const type = /"Type":"([\w.+]+)"/.exec(body)?.[1];
      const isServed = status < 400 || status === 409 || (status === 404 && !type);
      write(isServed ? "served" : status < 500 ? "refused" : "failed", status, type);
    },
  };
}

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
