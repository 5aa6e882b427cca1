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
  constructor(code, message, { type, status = 0, request = "", conflict, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.name = type?.split(".").pop() ?? names[code] ?? "RavenException";
    if (type) this.type = type;
    if (status) this.status = status;
    if (request) this.request = request;
    if (conflict) [this.id, this.expectedChangeVector, this.actualChangeVector] = conflict;
  }
}

export function fail(code, message, details) {
  throw new RavenEdgeError(code, message, details);
}
