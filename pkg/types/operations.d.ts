// What the server does on its own.

import type { RavenCommand } from "./commands.js";
import type { DocumentConventions } from "./conventions.js";
import type { EntityType } from "./entities.js";
import type { PatchOperation, PatchOperationResult } from "./patches.js";
import type { IndexQuery, StreamedQuery } from "./streams.js";

/** Something to be done with a database, for {@link DocumentStore.operations}. */
export interface RavenOperation<TResult> {
  getCommand(conventions: DocumentConventions): RavenCommand<TResult>;
}

/** What the server goes on with after it has answered. */
export interface AwaitableOperation {
  getCommand(conventions?: DocumentConventions): Promise<RavenCommand<unknown>>;
}

/** Sends operations. */
export interface OperationExecutor {
  /**
   * Has the server begin with an operation.
   *
   * ```ts
   * const operation = await store.operations.send(new DeleteByQueryOperation("from Orders where state = 'void'"));
   * await operation.waitForCompletion();
   * ```
   */
  send(operation: AwaitableOperation): Promise<OperationCompletionAwaiter>;
  /** Patches a document. `documentType`: the class that its entity becomes an instance of; the second argument is npm's own. */
  send<T extends object>(
    operation: PatchOperation,
    sessionInfo?: unknown,
    documentType?: EntityType<T>,
  ): Promise<PatchOperationResult<T>>;
  /**
   * Sends an operation and gives what it results in.
   * @throws {RavenEdgeError} as {@link DocumentStore.execute}.
   */
  send<TResult>(operation: RavenOperation<TResult>): Promise<TResult>;
  /** The same for another database of the server. */
  forDatabase(database: string): OperationExecutor;
}

/** Sends operations on a database and, by `server`, on databases. */
export interface MaintenanceOperationExecutor extends OperationExecutor {
  /**
   * ```ts
   * await store.maintenance.server.send(new CreateDatabaseOperation({ databaseName: "Archive" }));
   * ```
   */
  readonly server: Pick<OperationExecutor, "send">;
}

/** How the server works on all documents of a query. */
export interface QueryOperationOptions {
  /** Whether an index may be used that has not seen everything; default `false`: an error (`InvalidOperation` by name). */
  allowStale?: boolean | undefined;
  /** How long to wait for the index, in milliseconds, or as RavenDB writes it (`"00:01:00"`); default: not at all. */
  staleTimeout?: number | string | undefined;
  /** How many documents in a second at most; default: as fast as it can. */
  maxOpsPerSecond?: number | undefined;
  /** Whether the result tells each document; default `false`. */
  retrieveDetails?: boolean | undefined;
  /** Patches alone: whether a script may make more steps than the server's configuration says; default `false`. */
  ignoreMaxStepsForScript?: boolean | undefined;
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
export class PatchByQueryOperation implements AwaitableOperation {
  /** @throws {RavenEdgeError} `InvalidArgument` without a query. */
  constructor(queryToUpdate: string | IndexQuery | StreamedQuery, options?: QueryOperationOptions);
  getCommand(): Promise<RavenCommand<unknown>>;
}

/** Deletes all documents of a query (`DELETE queries`). */
export class DeleteByQueryOperation implements AwaitableOperation {
  /** @throws {RavenEdgeError} `InvalidArgument` without a query. */
  constructor(queryToDelete: string | IndexQuery | StreamedQuery, options?: QueryOperationOptions);
  getCommand(): Promise<RavenCommand<unknown>>;
}

/** An operation that the server works on. */
export class OperationCompletionAwaiter {
  private constructor();
  /** Its number on the node that works on it. */
  readonly id: number;
  /** That node. */
  readonly nodeTag: string;
  /**
   * Waits until it is over: asks the node that works on it (`GET operations/state`), soon at first, then twice a second.
   * @throws {RavenEdgeError} `Server` with the type of what went wrong, such as `JavaScriptException`; `Canceled`
   * (`OperationCanceledException`) when somebody ended it; errors of requests.
   */
  waitForCompletion(): Promise<void>;
  /** Ends it (`POST operations/kill`); what was done stays done. */
  kill(): Promise<void>;
}

/** How far an operation is. */
export interface OperationState {
  status: "InProgress" | "Completed" | "Faulted" | "Canceled";
  /** `{ processed, total }` of a patch or deletion, while it goes on. */
  progress: object | null;
  /** `{ total, query, … }` of a patch or deletion, once it is over. */
  result: object | null;
}

/** Asks how far an operation is (`GET operations/state`); `null` where the server does not know it. */
export class GetOperationStateOperation implements RavenOperation<OperationState | null> {
  constructor(id: number);
  getCommand(conventions?: DocumentConventions): RavenCommand<OperationState | null>;
}
