// The one error class. `name` is what npm `ravendb` calls the same thing, `code` is ours and stable.

/** Exceptions that RavenDB's clients know; of others npm `ravendb` says `RavenException`, too. */
const CLIENTS = /^Raven\.Client\.Exceptions\.(?:.*\.)?(\w+)$/;

const names = {
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

export class RavenEdgeError extends Error {
  constructor(code, message, { type, status, request, outage, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.name = CLIENTS.exec(type)?.[1] ?? (type ? "RavenException" : names[code]) ?? "RavenException";
    if (type) this.type = type;
    if (status) this.status = status;
    if (request) this.request = request;
    // Tells our own loops whether to try again; nothing for users, so it does not show.
    if (outage) Object.defineProperty(this, "outage", { value: true });
  }
}

export function fail(code, message, details) {
  throw new RavenEdgeError(code, message, details);
}
