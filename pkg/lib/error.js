// The one error class. `name` is what npm `ravendb` calls the same thing, `code` is ours and stable.

/** Exceptions that RavenDB's clients know; of others npm `ravendb` says `RavenException`, too. */
const CLIENTS = /^(?:Raven\.Client\.Exceptions\.(?:.*\.)?|System\.(?=Timeout))(\w+)$/;

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
  constructor(code, message, { type, status, request, cause, ...hidden } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.name = CLIENTS.exec(type)?.[1] ?? (type ? "RavenException" : names[code]) ?? "RavenException";
    if (type) this.type = type;
    if (status) this.status = status;
    if (request) this.request = request;
    // `outage`, `unsent`, `sharded`: whether to try again, whether nothing was sent, whether a shard refused it. Not for users.
    for (const name in hidden) Object.defineProperty(this, name, { value: hidden[name], writable: true });
  }
}

export function fail(code, message, details) {
  throw new RavenEdgeError(code, message, details);
}
