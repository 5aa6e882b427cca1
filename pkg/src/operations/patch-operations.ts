// Operations that patch one document, or patch or delete all documents of a query.

import { AnyThis } from "../common/any-this.js";
import { fail } from "../common/error.js";
import { timeSpan } from "../common/time.js";
import type { Entity, ObjectTypeDescriptor } from "../documents/entity-types.js";
import { EntityMapper, type MappingConventions } from "../documents/mapping/entity-mapper.js";
import type { PatchRequest } from "../patching/patch-request.js";
import { bodyOf, type IndexQuery } from "../query/index-query.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { StreamedQuery } from "../stream/stream-types.js";
import { query as parameters } from "../wire/query-string.js";
import { OperationCompletionAwaiter, type OperationSender } from "./operation-completion.js";
import type { AwaitableOperation, CommandResponse, RavenCommand, SentCommand } from "./operation-types.js";
import { CommandOperation } from "./single-request.js";

/** The result of a patch. As in npm `ravendb`, a document that was skipped because of its change vector is `NotModified`. */
export type PatchStatus = "DocumentDoesNotExist" | "Created" | "Patched" | "Skipped" | "NotModified";

/** The result of {@link PatchOperation}. */
export interface PatchOperationResult<T extends object = object> {
  status: PatchStatus;
  /** The patched document; `undefined` if it does not exist or was skipped. Its metadata contains only the collection. */
  document: T | undefined;
}

/** The response to a patch. */
interface Patched {
  Status: PatchStatus;
  ModifiedDocument?: Entity | null;
}

/**
 * Patches a document immediately, without a session (`PATCH docs`).
 *
 * ```ts
 * const patch = Object.assign(PatchRequest.forScript("this.stock -= args.by"), { values: { by: 4 } });
 * const { status } = await store.operations.send(new PatchOperation("products/7-A", null, patch));
 * ```
 */
export class PatchOperation extends AnyThis {
  // A private member of its own: another operation is no `PatchOperation`, which `send` has a signature for.
  #command;

  /**
   * @param changeVector The expected change vector, `null`: any. If the document has another one, `send` fails with `Concurrency`.
   * @param patchIfMissing Creates the document if it does not exist.
   * @param skipPatchIfChangeVectorMismatch Whether a document with another change vector is skipped without an error; default `false`.
   * @throws {RavenEdgeError} `InvalidArgument` without a script.
   */
  constructor(
    id: string,
    changeVector: string | null | undefined,
    patch: PatchRequest,
    patchIfMissing: PatchRequest | null = null,
    skipPatchIfChangeVectorMismatch = false,
  ) {
    super();
    for (const given of patchIfMissing ? [patch, patchIfMissing] : [patch])
      if (!given?.script?.trim()) fail("InvalidArgument", "the operation needs a script");
    const named = { id, skipPatchIfChangeVectorMismatch: skipPatchIfChangeVectorMismatch || undefined };
    this.#command = (conventions: DocumentConventions): SentCommand<Patched> => {
      if (!id) fail("InvalidArgument", "the operation needs an id");
      return {
        request: {
          method: "PATCH",
          route: `docs?${parameters(Object.entries(named))}`,
          ifMatch: changeVector ?? undefined,
          body: {
            Patch: patch.serialize(conventions),
            PatchIfMissing: patchIfMissing?.serialize(conventions) ?? null,
          },
        },
        result: { Status: "DocumentDoesNotExist" },
        settle({ status, text }) {
          if (status === 304) this.result = { Status: "NotModified" };
          else if (status !== 404 || text) this.result = JSON.parse(text) as Patched;
        },
      };
    };
  }

  getCommand(conventions: DocumentConventions): RavenCommand<unknown> {
    return this.#command(conventions);
  }

  /**
   * The result of the operation, as in npm `ravendb`.
   * @internal
   */
  conclude(
    store: { conventions: MappingConventions & { classOf(type: unknown): ObjectTypeDescriptor | undefined } },
    { Status: status, ModifiedDocument: document }: Patched,
    type: unknown,
  ): PatchOperationResult {
    const { conventions } = store;
    const mapper = new EntityMapper(conventions);
    return { status, document: document ? mapper.entity(document, conventions.classOf(type)) : undefined };
  }
}

/** Options of operations on all documents of a query. */
export interface QueryOperationOptions {
  /** Whether a stale index may be used; default `false`: a stale index is an error (`name` is `InvalidOperationException`). */
  allowStale?: boolean | undefined;
  /** How long to wait for the index, in milliseconds or in RavenDB's format (`"00:01:00"`); default: no wait. */
  staleTimeout?: number | string | undefined;
  /** Maximum documents per second; default: no limit. */
  maxOpsPerSecond?: number | undefined;
  /** Whether the result lists each document; default `false`. */
  retrieveDetails?: boolean | undefined;
  /** For patches: whether a script may exceed the maximum steps of the server's configuration; default `false`. */
  ignoreMaxStepsForScript?: boolean | undefined;
}

/** The number of a started operation, and its node. */
interface Begun {
  OperationId: number;
  OperationNodeTag: string;
  /** The core's number of the node. */
  node: CommandResponse["node"];
}

/** An operation on all documents of a query. */
class ByQuery extends CommandOperation<unknown, [], Promise<RavenCommand<unknown>>> {
  /** @internal */
  constructor(
    method: string,
    given: string | IndexQuery | StreamedQuery,
    options: QueryOperationOptions | undefined,
  ) {
    if (!given) fail("InvalidArgument", "the operation needs a query");
    super(async () => {
      const query = await bodyOf(given);
      const { allowStale, maxOpsPerSecond, retrieveDetails, staleTimeout, ignoreMaxStepsForScript } =
        options ?? {};
      const named = {
        allowStale: allowStale || undefined,
        maxOpsPerSec: maxOpsPerSecond,
        details: retrieveDetails || undefined,
        staleTimeout: typeof staleTimeout === "number" ? timeSpan(staleTimeout) : staleTimeout,
        ignoreMaxStepsForScript: ignoreMaxStepsForScript || undefined,
      };
      const route = `queries?${parameters(Object.entries(named))}`.replaceAll("%3A", ":");
      const text = method === "PATCH" ? `{"Query":${query}}` : query;
      const command: SentCommand<Begun | null> = {
        request: { method, route, text },
        result: null,
        settle({ text, node }) {
          this.result = { ...(JSON.parse(text) as Omit<Begun, "node">), node };
        },
      };
      return command;
    });
  }

  /**
   * The server has started the operation: returns the object with which the app can wait for its end.
   * @internal
   */
  conclude(
    store: OperationSender,
    { OperationId, OperationNodeTag, node }: Begun,
  ): OperationCompletionAwaiter {
    return new OperationCompletionAwaiter(store, OperationId, OperationNodeTag, node);
  }
}

/**
 * Patches all documents of a query (`PATCH queries`).
 *
 * ```ts
 * const query = new IndexQuery("from Orders where state = $state update { this.archived = true }");
 * query.queryParameters = { state: "done" };
 * const operation = await store.operations.send(new PatchByQueryOperation(query));
 * await operation.waitForCompletion();
 * ```
 */
export class PatchByQueryOperation extends ByQuery implements AwaitableOperation {
  /** @throws {RavenEdgeError} `InvalidArgument` without a query. */
  constructor(queryToUpdate: string | IndexQuery | StreamedQuery, options?: QueryOperationOptions) {
    super("PATCH", queryToUpdate, options);
  }
}

/** Deletes all documents of a query (`DELETE queries`). */
export class DeleteByQueryOperation extends ByQuery implements AwaitableOperation {
  /** @throws {RavenEdgeError} `InvalidArgument` without a query. */
  constructor(queryToDelete: string | IndexQuery | StreamedQuery, options?: QueryOperationOptions) {
    super("DELETE", queryToDelete, options);
  }
}
