// A sequence of requests in which each one depends on the last response. An exchange sends nothing: it yields a request, gets the
// response, and returns its result or throws a `Failure`. The core decides which node gets the request, and whether it is retried.

import { REPEAT_EACH_NODE } from "../../gen/protocol.js";
import type { ErrorCode } from "../common/error.js";
import type { Transport } from "../wire/transport.js";

export interface CoreRequest {
  method: string;
  /** Path and query below the address of a node. */
  path: string;
  body?: string | Uint8Array | Transport | undefined;
  /** The change vector that the document must have. */
  ifMatch?: string | undefined;
  /** One of `REPEAT_…`. */
  repeat: number;
  /** The only node that may receive it; below 0: any. */
  node: number;
  /** Why it is sent again after a pause: another client was faster, or the outcome is unknown. */
  again?: Failure | undefined;
  /** What identifies it among the requests that have left before there was a core; `undefined`: it is none of them. */
  early?: string | undefined;
}

export interface CoreResponse {
  status: number;
  /** The body; empty if whoever waits for it has taken it. */
  text: string;
  /** The node that responded. */
  node: number;
  incarnation: string | undefined;
}

/** Why an exchange, or one of its requests, has failed. */
export class Failure {
  /** `text`: the body of the server's response; `status`: that of the response, 0: there is none. */
  constructor(
    readonly code: ErrorCode,
    readonly message: string,
    readonly text = "",
    readonly status = 0,
  ) {}

  /** Whether the same request may succeed later: it is an outage and no refusal. */
  get isOutage(): boolean {
    const { code, status } = this;
    return code === "Timeout" || code === "Unreachable" || (code === "Server" && isOutageStatus(status));
  }
}

export type Exchange<Result> = Generator<CoreRequest, Result, CoreResponse>;

/** Whether a status means an outage or overload: another node, or the same one later, may carry out the request. */
export function isOutageStatus(status: number): boolean {
  return /^(410|429|50[234]|52[0-7]|530)$/.test(status as never);
}

/** The request that reads documents or the results of a query: a path with its query and, if that would be too long, a body. */
export function readRequest(path: string, body: string | undefined): CoreRequest {
  const method = body === undefined ? "GET" : "POST";
  return { method, path, body, repeat: REPEAT_EACH_NODE, node: -1, early: path + (body ?? "") };
}

/** The failure that a response with this status and body means. */
export function refused({ status, text }: Pick<CoreResponse, "status" | "text">): Failure {
  if (status === 403 && !text)
    return new Failure(
      "ForeignOrigin",
      "RavenDB refuses requests from other origins (403): use the page's own origin, through a gateway or a proxy that removes the Origin header",
      text,
      status,
    );
  const code = status === 409 ? "Concurrency" : "Server";
  return new Failure(code, "the server refused the request", text, status);
}

/** One request; `accepts` says which responses are results. */
export function* single(
  request: CoreRequest,
  accepts: (response: CoreResponse) => boolean,
): Exchange<CoreResponse> {
  const response = yield request;
  if (!accepts(response)) throw refused(response);
  return response;
}
