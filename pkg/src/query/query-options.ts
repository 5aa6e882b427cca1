// Values and options that queries take. Types alone.

import type { EntityType } from "../documents/entity-types.js";

/**
 * A value that a query compares with; it is sent as a parameter. A `Date` is sent in UTC, as by npm `ravendb`: it finds dates that
 * were stored in UTC ({@link DocumentConventions.storeDatesInUtc}), and misses dates that were stored in a local time other than
 * UTC. `NaN` and `Infinity`, which JSON does not have, are refused (`InvalidArgument`).
 */
export type QueryValue = unknown;

/** How values are ordered: as texts (the default), as numbers, or numbers within texts as numbers. */
export type OrderingType = "String" | "Long" | "Double" | "AlphaNumeric";

/** The place of documents without the value: RavenDB's default is first when ascending. */
export type NullsOrdering = "Default" | "First" | "Last";

/** An ordering by a sorter. */
export interface OrderingOptions {
  ordering?: OrderingType;
  nullsOrdering?: NullsOrdering;
  /** The name of a sorter of the server. */
  sorterName: string;
}

/** Between conditions that the app does not join itself; between words of a search. */
export type QueryOperator = "AND" | "OR";

/** {@link QueryOperator} by its name in npm `ravendb`. */
export type SearchOperator = QueryOperator;

/** An index: its name, its class (as `AbstractJavaScriptIndexCreationTask` is), or an instance of the class. */
export type QueriedIndex = string | IndexWithName | (new () => IndexWithName);

/** An object that knows the name of an index. */
export interface IndexWithName {
  getIndexName(): string;
}

/**
 * Where the server takes the fields of a projection from: stored in the index, else from the document (`Default`), or only from
 * one of the two; and whether a field that does not exist is an error (`InvalidQueryException`) or `null`.
 */
export type ProjectionBehavior =
  | "Default"
  | "FromIndex"
  | "FromIndexOrThrow"
  | "FromDocument"
  | "FromDocumentOrThrow";

/** What a query is about: one of the four; without any, all documents. */
export interface DocumentQueryOptions<T extends object> {
  /** The name of a collection: `"Orders"`. */
  collection?: string;
  /** The name of an index of the database. */
  indexName?: string;
  /** An index of the database: its object, its class or its name. */
  index?: QueriedIndex;
  /** A class: its collection is queried, and the results are its instances. Or the name under which a class is registered. */
  documentType?: EntityType<T> | string;
}
