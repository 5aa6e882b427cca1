// Makes the errors of responses, also of responses without an error message, and the replies for attempts without a response.

import {
  REPLY_UNREACHABLE,
  REPLY_UNSENT,
  SAVE_CONFLICT,
  SAVE_LOST,
  SAVE_REFUSED,
  SAVE_UNSENT,
  SAVE_WAITED,
} from "../../gen/protocol.js";
import { isText } from "../common/arguments.js";
import { RavenEdgeError } from "../common/error.js";
import { parsed } from "../common/json.js";
import type { Failure } from "../core/exchange.js";
import type { Reply } from "../runtime/core.js";

/** Codes of Node for a failed connection, in which case nothing was sent. Browsers do not report this. */
const REFUSED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;
/** Codes of Node for a header that it never sends, such as `Keep-Alive`: `UND_ERR_INVALID_ARG`, `UND_ERR_NOT_SUPPORTED`. */
const INVALID = /^UND_ERR_(INV|NOT)/;

/** Stands for the status of a response. No server uses it. */
const UNSENDABLE = 499;

/** What `fetch` throws: Node says "fetch failed" and keeps the reason in the cause. */
export interface FetchError {
  message?: string;
  cause?: { message?: string; code?: string };
}

/** The address of a node, as the app gave it. */
export function nodeOf(url: string): string {
  return url.replace(/\/(databases\/|topology\?).*$/s, "");
}

/** The reply to a task whose request cannot be sent. It is no matter of the connection: no task retries after this status. */
export function unsendable(error: unknown): Reply {
  return [UNSENDABLE, new Uint8Array(), undefined, error];
}

/** The reply to a task whose attempt has no response. `hint`: what may be the reason in a page. */
export function unreached(
  error: FetchError | undefined,
  url: string,
  sent: boolean,
  isOwnFetch: boolean,
  hint: string,
): Reply {
  const { message, code = "" } = error?.cause ?? {};
  const reason = message || code;
  if (INVALID.test(code))
    return unsendable(
      new RavenEdgeError("InvalidArgument", `the headers cannot be sent: ${reason}`, {
        cause: error,
        unsent: true,
      }),
    );
  const text = `the server ${nodeOf(url)} cannot be reached: ${error?.message ?? error}${reason ? `: ${reason}` : ""}${hint}`;
  // The app's `fetch` may retry: its first attempt may have been sent although the last one could not connect.
  const arrived = sent && (isOwnFetch || !REFUSED.test(code));
  return [arrived ? REPLY_UNREACHABLE : REPLY_UNSENT, new Uint8Array(), text, error];
}

/** RavenDB's error. A proxy may send values of any type. */
interface Refusal {
  Type?: unknown;
  Message?: unknown;
  Error?: unknown;
  Id?: string;
  ConcurrencyViolations?: { Id?: string }[];
  ExpectedChangeVector?: string;
  ActualChangeVector?: string;
}

/** The type of the error that RavenDB returns when a batch is saved, but was not replicated or indexed in time. */
const TOO_LATE = "Raven.Client.Exceptions.RavenTimeoutException";
/** Begins the gateway's error types for a response of RavenDB that it could not read, or did not get. */
const UPSTREAM = "RavenEdge.Gateway.Upstream";

/**
 * Which of `SAVE_…` a failure is for a save. The twin of `src/session/classify_failure.rs`. `type`: that of RavenDB's or the gateway's error;
 * empty: the response comes from something in between (a proxy, a captive portal), and may have replaced RavenDB's response, whatever its
 * status. `unsent`: nothing was sent.
 */
export function outcomeOfSave({ code, status, isOutage }: Failure, type: string, unsent: boolean): number {
  if (unsent) return SAVE_UNSENT;
  if (type === TOO_LATE) return SAVE_WAITED;
  const isKnown = code === "ForeignOrigin" || (type !== "" && !type.startsWith(UPSTREAM));
  // RavenDB took too long (408), and may still carry out the request.
  if (code === "BadAnswer" || status === 408 || ((isOutage || status > 0) && !isKnown)) return SAVE_LOST;
  if (code === "Concurrency") return SAVE_CONFLICT;
  return status > 0 ? SAVE_REFUSED : SAVE_UNSENT;
}

/**
 * The error of a task that has failed. `cause`: why its last attempt has failed; `request`: method and path of its request; `unsent`: nothing
 * was sent.
 */
export function errorOf(failure: Failure, cause?: unknown, request?: string, unsent = false): RavenEdgeError {
  const { code, status, text } = failure;
  if (status === UNSENDABLE && cause instanceof RavenEdgeError) return cause;
  const refusal = parsed(text) as Refusal;
  const isServers = code === "Server" || code === "Concurrency";
  // Values of other types are ignored: a proxy may send anything.
  const [type = "", words, trace] = [refusal.Type, refusal.Message, refusal.Error].map((member) =>
    isText(member) ? member : "",
  );
  // A 401 with a type comes from the gateway: nobody is signed in. Without a type a proxy sent it.
  const kind = status === 401 && type ? "Unauthorized" : code;
  const error = new RavenEdgeError(kind, isServers ? words || bare(status, text) : failure.message, {
    type,
    status,
    request,
    cause,
    outage: failure.isOutage,
    unsent,
    failure: outcomeOfSave(failure, type, unsent),
    // Other shards may have saved although this one refused. Only the stack trace shows that the database is sharded.
    sharded: /\.Sharding\./.test(trace ?? ""),
  });
  if (code === "Concurrency") {
    const { Id, ConcurrencyViolations, ExpectedChangeVector, ActualChangeVector } = refusal;
    // The conflict of a cluster-wide transaction names the compare-exchange value that guards the document.
    const guard = ConcurrencyViolations?.[0]?.Id?.replace?.(/^rvn-atomic\//, "");
    Object.assign(error, {
      id: Id ?? guard ?? "",
      expectedChangeVector: ExpectedChangeVector ?? undefined,
      actualChangeVector: ActualChangeVector ?? undefined,
    });
  }
  return error;
}

/** The message for a response that has none. */
export function bare(status: number | undefined, text: string): string {
  if (/^\s*</.test(text))
    return `an HTML page came back (status ${status}): is this path forwarded to RavenDB?`;
  const hints: Record<number, string> = {
    404: "; check the address, the database name, and the proxy",
    414: "; the request line is too long",
    502: "; a proxy did not reach RavenDB",
  };
  return `the server responded with status ${status} and no message${hints[status ?? 0] ?? ""}`;
}
