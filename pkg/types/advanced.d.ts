// What a session can do besides its daily work.

export type {
  ConditionalLoadResult,
  EntityToJson,
  IndexBatchOptions,
  ReplicationBatchOptions,
  ServerNode,
  SessionInfo,
  SessionLoadStartingWithOptions,
  StartingWithOptions,
  WritableTarget,
} from "../dts/session/advanced-options.js";
export type {
  AdvancedSession,
  IAdvancedSessionOperations,
} from "../dts/session/advanced-session.js";
