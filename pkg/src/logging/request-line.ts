// The log of the gateway and the lease hub: one line of JSON per request, with an id that is passed on.

import type { GatewayContext } from "../gateway/options-types.js";
import type { LogEntry, LogOption } from "./log-types.js";

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
