// What entries with queries export, beside their own store.

export * from "../indexes/exports.js";
export {
  AwaitableMaintenanceOperation,
  GetOperationStateOperation,
  OperationCompletionAwaiter,
} from "../operations/operation-completion.js";
export {
  DeleteByQueryOperation,
  PatchByQueryOperation,
  PatchOperation,
} from "../operations/patch-operations.js";
export { JavaScriptArray, JavaScriptMap } from "../patching/script-arrays-and-maps.js";
export { DocumentQuery } from "../query/document-query.js";
export { GroupBy, GroupByDocumentQuery, GroupByField } from "../query/group-by.js";
export { IndexQuery } from "../query/index-query.js";
export { QueryData } from "../query/query-data.js";
export { QueryStatistics, QueryTimings } from "../query/query-results.js";
export { RawDocumentQuery } from "../query/raw-query.js";
export * from "../query-extras/exports.js";
export { DocumentSession } from "../session/query-session.js";
export * from "./session-exports.js";
