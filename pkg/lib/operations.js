// Patches by operation: of one document at once, of all that a query finds while the app waits, or does not.

import { camel } from "./camel.js";
import { fail, RavenEdgeError } from "./error.js";
import { bodyOf } from "./index-query.js";
import { query as parameters } from "./listing.js";
import { timeSpan } from "./time-span.js";
import { Shape } from "./types.js";

/** Between two looks at an operation, in milliseconds: the pause doubles from the first to the last. */
const FIRST_PAUSE = 25;
const LAST_PAUSE = 500;

/** Changes one document by a script. */
export class PatchOperation {
  #id;
  #changeVector;
  #patch;
  #patchIfMissing;
  #skip;

  constructor(id, changeVector, patch, patchIfMissing = null, skipPatchIfChangeVectorMismatch = false) {
    for (const given of patchIfMissing ? [patch, patchIfMissing] : [patch])
      if (!given?.script?.trim()) fail("InvalidArgument", "the operation needs a script");
    this.#id = id;
    this.#changeVector = changeVector ?? undefined;
    this.#patch = patch;
    this.#patchIfMissing = patchIfMissing;
    this.#skip = skipPatchIfChangeVectorMismatch;
  }

  getCommand(conventions) {
    if (!this.#id) fail("InvalidArgument", "the operation needs an id");
    const named = { id: this.#id, skipPatchIfChangeVectorMismatch: this.#skip || undefined };
    return {
      request: {
        method: "PATCH",
        route: `docs?${parameters(Object.entries(named))}`,
        ifMatch: this.#changeVector,
        body: {
          Patch: this.#patch.serialize(conventions),
          PatchIfMissing: this.#patchIfMissing?.serialize(conventions) ?? null,
        },
      },
      settle({ status, text }) {
        this.result = { Status: "DocumentDoesNotExist" };
        if (status === 304) this.result = { Status: "NotModified" };
        else if (status !== 404 || text) this.result = JSON.parse(text);
      },
    };
  }

  /** What npm `ravendb` gives of it. */
  conclude(store, { Status: status, ModifiedDocument: document }, type) {
    const { conventions } = store;
    const shape = new Shape(conventions);
    return { status, document: document ? shape.entity(document, conventions.classOf(type)) : undefined };
  }
}

/** What the server does to all documents of a query. */
class ByQuery {
  #method;
  #query;
  #options;

  constructor(method, query, options) {
    if (!query) fail("InvalidArgument", "the operation needs a query");
    this.#method = method;
    this.#query = query;
    this.#options = options ?? {};
  }

  async getCommand() {
    const query = await bodyOf(this.#query);
    const { allowStale, maxOpsPerSecond, retrieveDetails, staleTimeout, ignoreMaxStepsForScript } =
      this.#options;
    const named = {
      allowStale: allowStale || undefined,
      maxOpsPerSec: maxOpsPerSecond,
      details: retrieveDetails || undefined,
      staleTimeout: typeof staleTimeout === "number" ? timeSpan(staleTimeout) : staleTimeout,
      ignoreMaxStepsForScript: ignoreMaxStepsForScript || undefined,
    };
    const route = `queries?${parameters(Object.entries(named))}`.replaceAll("%3A", ":");
    const text = this.#method === "PATCH" ? `{"Query":${query}}` : query;
    return {
      request: { method: this.#method, route, text },
      settle({ text, node }) {
        this.result = { ...JSON.parse(text), node };
      },
    };
  }

  /** The server has begun: what is to be waited for. */
  conclude(store, { OperationId, OperationNodeTag, node }) {
    return new OperationCompletionAwaiter(store, OperationId, OperationNodeTag, node);
  }
}

export class PatchByQueryOperation extends ByQuery {
  constructor(queryToUpdate, options) {
    super("PATCH", queryToUpdate, options);
  }
}

export class DeleteByQueryOperation extends ByQuery {
  constructor(queryToDelete, options) {
    super("DELETE", queryToDelete, options);
  }
}

/** How far an operation is. */
export class GetOperationStateOperation {
  #id;
  #node;

  /** `node`: the core's number of the node that works on it. */
  constructor(id, node) {
    this.#id = id;
    this.#node = typeof node === "number" ? node : undefined;
  }

  getCommand() {
    return {
      request: { route: `operations/state?id=${encodeURIComponent(this.#id)}`, node: this.#node },
      settle({ text }) {
        this.result = text ? camel(JSON.parse(text)) : null;
      },
    };
  }
}

/** An operation that the server works on. */
export class OperationCompletionAwaiter {
  #store;
  #node;

  constructor(store, id, nodeTag, node) {
    this.#store = store;
    this.#node = node;
    this.id = id;
    this.nodeTag = nodeTag;
  }

  async waitForCompletion() {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LAST_PAUSE)) {
      const state = await this.#store.operations.send(new GetOperationStateOperation(this.id, this.#node));
      const { status, result } = state ?? fail("Server", `the server does not know the operation ${this.id}`);
      if (status === "Completed") return;
      if (status === "Canceled") fail("Canceled", `the operation ${this.id} was canceled`);
      if (status === "Faulted") throw this.#fault(result ?? {});
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  #fault({ type, message = "the operation failed", statusCode: status }) {
    return new RavenEdgeError(status === 409 ? "Concurrency" : "Server", message, { type, status });
  }

  async kill() {
    const request = { method: "POST", route: `operations/kill?id=${this.id}`, node: this.#node };
    await this.#store.execute({ request, settle() {} });
  }
}
