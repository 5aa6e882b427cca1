// A session: a unit of work.

export {
  DocumentSession,
  type IDocumentSession,
  type LoaderWithInclude,
} from "../dts/session/document-session-types.js";
export type {
  IncludeBuilder,
  LoadOptions,
  OptimisticConcurrencyMode,
  SessionOptions,
  StoreDocumentOptions,
  TransactionMode,
} from "../dts/session/session-options.js";
