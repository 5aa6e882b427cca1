// Responses that are read piece by piece.

export { IndexQuery } from "../dts/query/index-query.js";
export type {
  DocumentResultStream,
  NodeWritable,
  OpenedStream,
  StreamedQuery,
  StreamOptions,
  StreamQueryStatistics,
  StreamResult,
} from "../dts/stream/stream-types.js";
