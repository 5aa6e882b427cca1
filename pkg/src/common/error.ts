// The one error class, and how to throw it.

/**
 * What kind of error it is; stable across versions.
 *
 * | code | `name` | when |
 * |---|---|---|
 * | `InvalidArgument` | `InvalidArgumentException` | an argument cannot be meant |
 * | `InvalidTag` | `InvalidArgumentException` | RavenDB cannot lease this tag safely |
 * | `InvalidId` | `InvalidArgumentException` | this cannot be the id of a document; the message says why |
 * | `InvalidOperation` | `InvalidOperationException` | the store or session is not in a state for it |
 * | `NonUniqueObject` | `NonUniqueObjectException` | the session has another object under the id |
 * | `InexactNumber` | `InvalidOperationException` | saving would change a number that JavaScript cannot hold |
 * | `Disposed` | `InvalidOperationException` | the store or session was disposed, or conventions are frozen |
 * | `Timeout` | `TimeoutException` | no answer, or no id, within the time limit |
 * | `Unreachable` | `AllTopologyNodesDownException` | no node of the server could be reached |
 * | `OutcomeUnknown` | `RavenException` | the response to a save was lost, so whether it was saved is unknown |
 * | `ForeignOrigin` | `RavenException` | RavenDB refuses pages of another origin |
 * | `Unauthorized` | `RavenException` | nobody is signed in, says the gateway (401) |
 * | `Server` | the server's own if its clients know it, such as `DatabaseDoesNotExistException`, else `RavenException` | the server refused |
 * | `Concurrency` | `ConcurrencyException` and others of status 409 | a document is not what was expected |
 * | `Canceled` | `OperationCanceledException` | an operation was ended by somebody |
 * | `BadAnswer` | `RavenException` | the answer makes no sense, and nothing of it was used; or a stream was cut off |
 * | `Exhausted` | `RavenException` | the counter is beyond 2^53 − 1 |
 * | `Unsupported` | `NotSupportedException` | this platform cannot do it |
 * | `Dead` | `RavenException` | the WebAssembly instance failed; open a new session |
 * | `Storage` | `RavenException` | numbers cannot be parked on this device |
 * | `LoadFailed` | `RavenException` | the WebAssembly module, or a part that is loaded when it is first used, cannot be loaded |
 */
export type ErrorCode =
  | "InvalidArgument"
  | "InvalidTag"
  | "InvalidId"
  | "InvalidOperation"
  | "NonUniqueObject"
  | "InexactNumber"
  | "Disposed"
  | "Timeout"
  | "Unreachable"
  | "OutcomeUnknown"
  | "ForeignOrigin"
  | "Unauthorized"
  | "Server"
  | "Concurrency"
  | "Canceled"
  | "BadAnswer"
  | "Exhausted"
  | "Unsupported"
  | "Dead"
  | "Storage"
  | "LoadFailed";

/**
 * What is known of an error beside its message.
 * @internal
 */
export interface ErrorDetails {
  type?: string | undefined;
  status?: number | undefined;
  request?: string | undefined;
  cause?: unknown;
  /** Whether no server could be reached, so that the same may succeed later. */
  outage?: boolean;
  /** Whether nothing was sent. */
  unsent?: boolean;
  /** What the error says of a save: one of `SAVE_…` of the protocol. */
  failure?: number;
  /** Whether a shard refused it, and others may have saved. */
  sharded?: boolean;
}

/** Exceptions that RavenDB's clients know; of others npm `ravendb` says `RavenException`, too. */
const CLIENTS = /^(?:Raven\.Client\.Exceptions\.(?:.*\.)?|System\.(?=Timeout))(\w+)$/;

const names: Partial<Record<ErrorCode, string>> = {
  InvalidArgument: "InvalidArgumentException",
  InvalidTag: "InvalidArgumentException",
  InvalidId: "InvalidArgumentException",
  InvalidOperation: "InvalidOperationException",
  NonUniqueObject: "NonUniqueObjectException",
  InexactNumber: "InvalidOperationException",
  Disposed: "InvalidOperationException",
  Timeout: "TimeoutException",
  Unreachable: "AllTopologyNodesDownException",
  Concurrency: "ConcurrencyException",
  Canceled: "OperationCanceledException",
  Unsupported: "NotSupportedException",
};

/** Every error of this package. `name` is what npm `ravendb` calls the same thing, such as `ConcurrencyException`. */
export class RavenEdgeError extends Error {
  declare readonly code: ErrorCode;
  /** RavenDB's exception type in full, when the error is the server's own. */
  declare readonly type?: string;
  /** HTTP status, when there was an answer. */
  declare readonly status?: number;
  /** Method and path of the request that failed. */
  declare readonly request?: string;
  /**
   * What became of a save whose answer was lost or came too late. `"saved"`: the server has it, and only what was to
   * happen afterwards (copies, indexes) took too long; the session knows of it. `"not saved"`: save again. `"unknown"`:
   * see {@link ErrorCode} `OutcomeUnknown`. Absent on other errors: the server, or this package, refused, and nothing of
   * the batch was saved (unless a proxy made up the answer: a `Server` error without {@link type}, status 502 to 504).
   */
  declare readonly outcome?: "saved" | "not saved" | "unknown";
  /** On a concurrency error: the document. */
  declare readonly id?: string;
  /** On a concurrency error: the change vector asked for; empty: "must not exist". */
  declare readonly expectedChangeVector?: string;
  /** On a concurrency error: the change vector that is there; absent: the document does not exist. */
  declare readonly actualChangeVector?: string;
  /** @internal */
  declare readonly outage?: ErrorDetails["outage"];
  /** @internal */
  declare readonly unsent?: ErrorDetails["unsent"];
  /** @internal */
  declare readonly failure?: ErrorDetails["failure"];
  /** @internal */
  declare readonly sharded?: ErrorDetails["sharded"];

  /** @internal */
  constructor(
    code: ErrorCode,
    message: string,
    { type, status, request, cause, ...hidden }: ErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.name = CLIENTS.exec(type ?? "")?.[1] ?? (type ? "RavenException" : names[code]) ?? "RavenException";
    if (type) this.type = type;
    if (status) this.status = status;
    if (request) this.request = request;
    // What is not for users does not show when an error is printed.
    for (const [name, value] of Object.entries(hidden))
      Object.defineProperty(this, name, { value, writable: true });
  }
}

/**
 * Throws a `RavenEdgeError`.
 * @internal
 */
export function fail(code: ErrorCode, message: string, details?: ErrorDetails): never {
  throw new RavenEdgeError(code, message, details);
}
