// Errors of responses: what the server says of a refusal, and what is said of a response that says nothing.

import { isText } from "../common/arguments.js";
import { type ErrorCode, RavenEdgeError } from "../common/error.js";
import { decoder } from "../common/text-codec.js";

/** What RavenDB says of a refusal. Proxies may say anything. */
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
 * The error that the core throws. `body` is what the server said, if it said anything; `unsent`: nothing was sent. `failure`: one
 * of `SAVE_…`.
 */
export function errorOf(
  code: ErrorCode,
  message: string,
  body: Uint8Array,
  status: number | undefined,
  request: string | undefined,
  outage: boolean,
  unsent: boolean,
  failure: number,
): RavenEdgeError {
  let said: Refusal = {};
  const text = decoder.decode(body);
  try {
    said = Object(JSON.parse(text)) as Refusal;
  } catch {
    // A page of a proxy, or nothing.
  }
  const isServers = code === "Server" || code === "Concurrency";
  // A member that is no text may throw when it is made one, which would unwind Rust.
  const [type, words, trace] = [said.Type, said.Message, said.Error].map((member) =>
    isText(member) ? member : "",
  );
  // The gateway's 401: nobody is signed in. A 401 without type is one of a proxy.
  const kind = status === 401 && type ? "Unauthorized" : code;
  const error = new RavenEdgeError(kind, isServers ? words || bare(status, text) : message, {
    type,
    status,
    request,
    outage,
    unsent,
    failure,
    // Documents on other shards may be saved although this one was refused. No member of the response says so.
    sharded: /\.Sharding\./.test(trace ?? ""),
  });
  if (code === "Concurrency") {
    const { Id, ConcurrencyViolations, ExpectedChangeVector, ActualChangeVector } = said;
    // A cluster-wide transaction names the compare-exchange value that guards the document.
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
    return `a page came (status ${status}), and no answer of RavenDB: is this path forwarded to it?`;
  const hints: Record<number, string> = {
    404: "; check the address, the database name, and what forwards this path",
    414: "; the request line is too long",
    502: "; what stands before RavenDB did not reach it",
  };
  return `the server answered with status ${status} and no message${hints[status ?? 0] ?? ""}`;
}
