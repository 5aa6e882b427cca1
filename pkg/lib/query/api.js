// What entries with queries export, beside their own store.

export * from "../api.js";
export { IndexQuery } from "../index-query.js";
export * from "../indexes/api.js";
export {
  DeleteByQueryOperation,
  GetOperationStateOperation,
  OperationCompletionAwaiter,
  PatchByQueryOperation,
  PatchOperation,
} from "../operations.js";
export { JavaScriptArray, JavaScriptMap } from "../script.js";
export { DocumentQuery, GroupBy, GroupByDocumentQuery } from "./query.js";
export { QueryData } from "./query-data.js";
export { RawDocumentQuery } from "./raw.js";
export { QueryStatistics, QueryTimings } from "./reading.js";
export { DocumentSession } from "./session.js";
