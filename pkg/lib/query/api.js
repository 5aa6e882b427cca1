// What entries with queries export, beside their own store.

export * from "../api.js";
export { DocumentQuery, GroupBy, GroupByDocumentQuery } from "./query.js";
export { RawDocumentQuery } from "./raw.js";
export { QueryStatistics, QueryTimings } from "./reading.js";
export { DocumentSession } from "./session.js";
