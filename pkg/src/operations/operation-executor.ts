// `store.operations` and `store.maintenance`, which send operations. Types alone.

import type { EntityType } from "../documents/entity-types.js";
import type { OperationCompletionAwaiter } from "./operation-completion.js";
import type { AwaitableOperation, RavenOperation } from "./operation-types.js";
import type { PatchOperation, PatchOperationResult } from "./patch-operations.js";

/** Sends operations. */
export interface OperationExecutor {
  /**
   * Starts an operation on the server.
   *
   * ```ts
   * const operation = await store.operations.send(new DeleteByQueryOperation("from Orders where state = 'void'"));
   * await operation.waitForCompletion();
   * ```
   */
  send(operation: AwaitableOperation): Promise<OperationCompletionAwaiter>;
  /** Patches a document. `documentType`: the class of the resulting entity; the second argument of npm `ravendb` is not used. */
  send<T extends object>(
    operation: PatchOperation,
    sessionInfo?: unknown,
    documentType?: EntityType<T>,
  ): Promise<PatchOperationResult<T>>;
  /**
   * Sends an operation; resolves with its result.
   * @throws {RavenEdgeError} as {@link DocumentStore.execute}.
   */
  send<TResult>(operation: RavenOperation<TResult>): Promise<TResult>;
  /** Sends operations on another database of the server. */
  forDatabase(database: string): OperationExecutor;
}

/** Sends operations on a database, and by `server` operations on databases of the server. */
export interface MaintenanceOperationExecutor extends OperationExecutor {
  /**
   * ```ts
   * await store.maintenance.server.send(new CreateDatabaseOperation({ databaseName: "Archive" }));
   * ```
   */
  readonly server: Pick<OperationExecutor, "send">;
}
