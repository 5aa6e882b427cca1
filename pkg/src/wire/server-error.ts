// Makes the errors of responses, also of responses without an error message, and the replies for attempts without a response.

import { REPLY_UNREACHABLE, REPLY_UNSENT } from "../../gen/protocol.js";
import { isText } from "../common/arguments.js";
import { type ErrorCode, RavenEdgeError } from "../common/error.js";
import { decoder } from "../common/text-codec.js";
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

/**
 * The error that the core throws. `cause`: why the last attempt has failed. `body`: the response, or nothing. `unsent`: nothing was
 * sent. `failure`: what it means for a save, one of `SAVE_…`.
 */
export function errorOf(
  cause: unknown,
  code: ErrorCode,
  message: string,
  body: Uint8Array,
  status: number | undefined,
  request: string | undefined,
  outage: boolean,
  unsent: boolean,
  failure: number,
): RavenEdgeError {
  if (status === UNSENDABLE && cause instanceof RavenEdgeError) return cause;
  let refusal: Refusal = {};
  const text = decoder.decode(body);
  try {
    refusal = Object(JSON.parse(text)) as Refusal;
  } catch {
    // The page of a proxy, or an empty response.
  }
  const isServers = code === "Server" || code === "Concurrency";
  // Values of other types are ignored: converting them to text may throw, which would unwind Rust.
  const [type, words, trace] = [refusal.Type, refusal.Message, refusal.Error].map((member) =>
    isText(member) ? member : "",
  );
  // A 401 with a type comes from the gateway: nobody is signed in. Without a type a proxy sent it.
  const kind = status === 401 && type ? "Unauthorized" : code;
  const error = new RavenEdgeError(kind, isServers ? words || bare(status, text) : message, {
    type,
    status,
    request,
    cause,
    outage,
    unsent,
    failure,
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
