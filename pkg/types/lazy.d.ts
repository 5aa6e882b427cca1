// Loads that share one request.

export type {
  EagerSessionOperations,
  Lazy,
  LazySessionOperations,
} from "../dts/loading/lazy-types.js";
