// The one error class, how to throw it, and how to warn.

/**
 * What kind of error it is; stable across versions.
 *
 * | code | `name` | when |
 * |---|---|---|
 * | `InvalidArgument` | `InvalidArgumentException` | an argument or option is invalid |
 * | `InvalidTag` | `InvalidArgumentException` | RavenDB cannot lease this tag safely |
 * | `InvalidId` | `InvalidArgumentException` | this is not a valid id of a document; the message gives the reason |
 * | `InvalidOperation` | `InvalidOperationException` | the store or session is in the wrong state for the call |
 * | `NonUniqueObject` | `NonUniqueObjectException` | the session has another object under the id |
 * | `InexactNumber` | `InvalidOperationException` | saving would change a number that JavaScript cannot hold |
 * | `Disposed` | `InvalidOperationException` | the store, or what `changes()` gives, was disposed |
 * | `Timeout` | `TimeoutException` | no response, or no id, within the time limit |
 * | `Unreachable` | `AllTopologyNodesDownException` | no node of the server could be reached |
 * | `OutcomeUnknown` | `RavenException` | the response to a save was lost, so whether it was saved is unknown |
 * | `ForeignOrigin` | `RavenException` | RavenDB refuses pages of another origin |
 * | `Unauthorized` | `RavenException` | the gateway responded with 401: nobody is signed in |
 * | `Server` | RavenDB's exception if its clients have it, such as `DatabaseDoesNotExistException`, else `RavenException` | the server refused |
 * | `Concurrency` | `ConcurrencyException`, or another exception with status 409 | a document is not in the expected version |
 * | `BulkInsertAborted` | `BulkInsertAbortedException` | a bulk insert has failed; a part of it may be stored |
 * | `Canceled` | `OperationCanceledException` | an operation was ended, by `kill()` or in the studio |
 * | `BadAnswer` | `RavenException` | the response is invalid, and nothing of it was used; or a stream was cut off |
 * | `Exhausted` | `RavenException` | the counter is beyond 2^53 − 1 |
 * | `Unsupported` | `NotSupportedException` | this platform cannot do it |
 * | `Dead` | `RavenException` | the WebAssembly instance failed; open a new session |
 * | `Storage` | `RavenException` | numbers, or changes of the offline queue, cannot be kept on this device |
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
  | "BulkInsertAborted"
  | "Canceled"
  | "BadAnswer"
  | "Exhausted"
  | "Unsupported"
  | "Dead"
  | "Storage"
  | "LoadFailed";

/**
 * Properties of an error besides its message.
 * @internal
 */
export interface ErrorDetails {
  type?: string | undefined;
  status?: number | undefined;
  request?: string | undefined;
  cause?: unknown;
  /** Whether no server could be reached, so that the same call may succeed later. */
  outage?: boolean | undefined;
  /** Whether nothing was sent. */
  unsent?: boolean | undefined;
  /** What the error means for a save: one of `SAVE_…` of the protocol. */
  failure?: number | undefined;
  /** Whether one shard refused, so that other shards may have saved. */
  sharded?: boolean | undefined;
}

/** Exceptions that RavenDB's clients have. For others the name is `RavenException`, as in npm `ravendb`. */
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
  BulkInsertAborted: "BulkInsertAbortedException",
  Canceled: "OperationCanceledException",
  Unsupported: "NotSupportedException",
};

/** The most frames of a stack: those of the package, and of the functions of the app that have called it. */
const FRAMES = 50;

/** Every error of this package. `name` is the name that npm `ravendb` uses, such as `ConcurrencyException`. */
export class RavenEdgeError extends Error {
  declare readonly code: ErrorCode;
  /** The full name of RavenDB's exception, if the server sent one. */
  declare readonly type?: string;
  /** HTTP status, if there was a response. */
  declare readonly status?: number;
  /** Method and path of the request that failed. */
  declare readonly request?: string;
  /**
   * The outcome of a save whose response was lost or late. `"saved"`: the server has saved, and only the wait for copies or indexes
   * took too long; the session is up to date. `"not saved"`: save again. `"unknown"`: see {@link ErrorCode} `OutcomeUnknown`. Absent
   * on other errors: the server, or this package, refused, and nothing of the batch was saved.
   */
  declare readonly outcome?: "saved" | "not saved" | "unknown";
  /** On a concurrency error: the id of the document. */
  declare readonly id?: string;
  /** On a concurrency error: the expected change vector; empty: the document must not exist. */
  declare readonly expectedChangeVector?: string;
  /** On a concurrency error: the change vector on the server; absent: the document does not exist. */
  declare readonly actualChangeVector?: string;
  /** On an aborted bulk insert: the document of the last command that is certain to be stored; absent: nothing is certain. */
  declare readonly lastStoredId?: string;
  /** On an aborted bulk insert: how many commands, in their order, are certain to be stored. */
  declare readonly storedCount?: number;
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
    // V8 keeps ten frames, which the package alone may fill: the functions of the app come behind them.
    const { stackTraceLimit: limit } = Error;
    const show = (frames: number) => limit && Reflect.set(Error, "stackTraceLimit", frames);
    show(Math.max(limit, FRAMES));
    super(message, cause === undefined ? undefined : { cause });
    show(limit);
    this.code = code;
    this.name = CLIENTS.exec(type ?? "")?.[1] ?? (type ? "RavenException" : names[code]) ?? "RavenException";
    if (type) this.type = type;
    if (status) this.status = status;
    if (request) this.request = request;
    // Not enumerable, so that it is not shown when an error is printed.
    for (const [name, value] of Object.entries(hidden))
      Object.defineProperty(this, name, { value, writable: true });
  }
}

/**
 * This error with the stack of the function that waits for it, for errors that were made in a callback.
 * @internal
 */
export function madeHere(error: unknown): unknown {
  return error instanceof RavenEdgeError ? new RavenEdgeError(error.code, error.message, error) : error;
}

/**
 * Throws a `RavenEdgeError`.
 * @internal
 */
export function fail(code: ErrorCode, message: string, details?: ErrorDetails): never {
  throw new RavenEdgeError(code, message, details);
}

/**
 * Warns, unless `said` has the text, or what it is about.
 * @internal
 */
export function warnOnce(said: Set<unknown>, text: string, about: unknown = text): void {
  if (!said.has(about)) console.warn(`raven-edge: ${text}`);
  said.add(about);
}
