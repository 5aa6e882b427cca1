// What entries with queries export, beside their own store.

export { HiLo } from "../numbers/hilo.js";
export { DocumentQuery, GroupByDocumentQuery } from "../query/document-query.js";
export { QueryStatistics, QueryTimings } from "../query/query-results.js";
export { RawDocumentQuery } from "../query/raw-query.js";
export { DocumentSession } from "../session/query-session.js";
export * from "./query-classes.js";
export * from "./session-classes.js";
