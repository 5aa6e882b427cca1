// Operations: what the server does on its own.

export type { AwaitableOperation, RavenOperation } from "../dts/operations/command.js";
export {
  GetOperationStateOperation,
  OperationCompletionAwaiter,
  type OperationState,
} from "../dts/operations/operation-completion.js";
export type {
  MaintenanceOperationExecutor,
  OperationExecutor,
} from "../dts/operations/operation-executor.js";
export {
  DeleteByQueryOperation,
  PatchByQueryOperation,
  type QueryOperationOptions,
} from "../dts/operations/patch-operations.js";
