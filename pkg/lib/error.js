// The one error class. `name` is what npm `ravendb` calls the same thing, `code` is ours and stable.

const names = {
  InvalidArgument: "InvalidArgumentException",
  InvalidTag: "InvalidArgumentException",
  InvalidId: "InvalidArgumentException",
  NoCollection: "InvalidArgumentException",
  NonUniqueObject: "NonUniqueObjectException",
  Disposed: "InvalidOperationException",
  Timeout: "TimeoutException",
  Unreachable: "AllTopologyNodesDownException",
  Concurrency: "ConcurrencyException",
  Unsupported: "NotSupportedException",
};

export class RavenEdgeError extends Error {
  constructor(code, message, { type, status, request, outage, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.name = type?.split(".").pop() ?? names[code] ?? "RavenException";
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
