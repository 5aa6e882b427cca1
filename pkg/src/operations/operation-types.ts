// `store.operations` and `store.maintenance`, which send operations. Types alone.

import type { EntityType } from "../documents/entity-types.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { Transport } from "../wire/transport.js";
import type { OperationCompletionAwaiter } from "./operation-completion.js";
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

/** A request to send. */
export interface CommandRequest {
  /** Default: `GET`. */
  method?: string;
  /** The path below the address of the database, with its query; below the address of the server if it begins with `/`. */
  route: string;
  /** The body; sent as JSON. */
  body?: unknown;
  /** The body as text, or what sends it, instead of `body`. */
  text?: string | Transport | undefined;
  /** The expected change vector. */
  ifMatch?: string | undefined;
  /** Whether it may be sent to several nodes in turn, because it is idempotent. Default: `true` only for `GET`. */
  safe?: boolean | undefined;
  /** The core's number of the only node to which it may be sent. */
  node?: number | undefined;
}

/**
 * The response.
 * @internal
 */
export interface CommandResponse {
  status: number;
  text: string;
  /** The core's number of the node that responded. */
  node: number | undefined;
}

/** A request that keeps its result, for {@link DocumentStore.execute}: one of this package's commands. */
export interface RavenCommand<TResult> {
  /** What is sent. */
  readonly request: object;
  /** Its result; `null` until it was sent. */
  readonly result: TResult;
}

/**
 * A command as the store sends it.
 * @internal
 */
export interface SentCommand<TResult> extends RavenCommand<TResult> {
  readonly request: CommandRequest;
  result: TResult;
  /** Sets the result from the response. Throws a `SyntaxError` if the response is not RavenDB's. */
  settle(response: CommandResponse): void;
}

/** An operation on a database, for {@link DocumentStore.operations}. */
export interface RavenOperation<TResult> {
  getCommand(conventions: DocumentConventions): RavenCommand<TResult>;
}

/** By these names in npm `ravendb`. */
export type IOperation<TResult> = RavenOperation<TResult>;
export type IMaintenanceOperation<TResult> = RavenOperation<TResult>;
export type IServerOperation<TResult> = RavenOperation<TResult>;

/** An operation that continues on the server after the response. */
export interface AwaitableOperation {
  getCommand(conventions?: DocumentConventions): RavenCommand<unknown> | Promise<RavenCommand<unknown>>;
  readonly resultType?: "OperationId";
}

/** By this name in npm `ravendb`. */
export type IAwaitableOperation = AwaitableOperation;

/** The number of what an operation has started, and the node that runs it. */
export interface OperationIdResult {
  operationId: number;
  operationNodeTag: string;
}
