// What sends operations. Types alone: `store.operations` and `store.maintenance` are objects of the store.

import type { EntityType } from "../documents/entity-types.js";
import type { AwaitableOperation, RavenOperation } from "./command.js";
import type { OperationCompletionAwaiter } from "./operation-completion.js";
import type { PatchOperation, PatchOperationResult } from "./patch-operations.js";

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
