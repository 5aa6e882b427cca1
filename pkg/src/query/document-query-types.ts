// Queries in methods, and the names by which they call the fields of a class, as apps see them. Types alone.

import type { EntityType } from "../documents/entity-types.js";
import type { IFilterFactory } from "../query-extras/builders/filter-factory.js";
import type { ExtraClauses } from "../query-extras/extra-clauses-types.js";
import type { IncludeBuilder } from "../session/session-options.js";
import type { ITimeSeriesQueryBuilder } from "../time-series/entries/results.js";
import type { GroupBy, GroupByField } from "./group-by-fields.js";
import type { QueryData } from "./query-data.js";
import type {
  NullsOrdering,
  OrderingOptions,
  OrderingType,
  ProjectionBehavior,
  QueryValue,
  SearchOperator,
} from "./query-options.js";
import type { RawDocumentQuery } from "./raw-query-types.js";

/** A type without fields inside. */
type Leaf =
  | string
  | number
  | bigint
  | boolean
  | symbol
  | null
  | undefined
  | Date
  | ((...args: never[]) => unknown);

/** The level below each level: types that contain themselves are followed down to 0. */
type Below = [never, 0, 1, 2, 3];

type Inside<Value, Key extends string, Depth extends number> = Value extends Leaf
  ? never
  : Value extends readonly (infer Item)[]
    ? Item extends Leaf
      ? `${Key}[]`
      : `${Key}[]` | `${Key}[].${Paths<Item, Depth>}`
    : `${Key}.${Paths<Value, Depth>}`;

type Paths<T, Depth extends number> = [Depth] extends [never]
  ? never
  : {
      [Key in keyof T & string]: T[Key] extends (...args: never[]) => unknown
        ? never
        : Key | Inside<NonNullable<T[Key]>, Key, Below[Depth]>;
    }[keyof T & string];

/**
 * The fields of documents of a type, as a query names them: `name`, `address.city`, `lines[].product`, down to four levels;
 * `id` or `id()` for the id, and `@metadata.…`. Any text if the type says nothing about its fields.
 *
 * ```ts
 * class Order { id?: string; total = 0; lines: { product: string }[] = []; }
 * session.query<Order>({ collection: "Orders" }).whereEquals("lines[].product", "products/7-A");
 * ```
 */
export type FieldOf<T> = 0 extends 1 & T
  ? string
  : object extends T
    ? string
    : string extends keyof T
      ? string
      : Paths<T, 3> | "id" | "id()" | `@metadata.${string}`;

/** What a query takes as a field: editors complete the known names, and any other text is one, too. */
export type FieldName<Known extends string> = Known | (string & {});

/** The methods of a {@link DocumentQuery} that are recorded with their arguments. */
export interface QueryClauses<Field extends string> {
  /** `exact`: letters by their case, and without the analyzer of the field. */
  whereEquals(field: Field, value: QueryValue, exact?: boolean): this;
  whereEquals(condition: { fieldName: Field; value: QueryValue; exact?: boolean }): this;
  whereNotEquals(field: Field, value: QueryValue, exact?: boolean): this;
  whereNotEquals(condition: { fieldName: Field; value: QueryValue; exact?: boolean }): this;
  /** One of several values. */
  whereIn(field: Field, values: Iterable<QueryValue>, exact?: boolean): this;
  /** From one value to another, both included; `null`: open on that side. */
  whereBetween(field: Field, start: QueryValue, end: QueryValue, exact?: boolean): this;
  whereGreaterThan(field: Field, value: QueryValue, exact?: boolean): this;
  whereGreaterThanOrEqual(field: Field, value: QueryValue, exact?: boolean): this;
  whereLessThan(field: Field, value: QueryValue, exact?: boolean): this;
  whereLessThanOrEqual(field: Field, value: QueryValue, exact?: boolean): this;
  whereStartsWith(field: Field, value: string, exact?: boolean): this;
  whereEndsWith(field: Field, value: string, exact?: boolean): this;
  /** Documents that have the field. */
  whereExists(field: Field): this;
  whereRegex(field: Field, pattern: string): this;
  /** A clause in Lucene's syntax. */
  whereLucene(field: Field, clause: string, exact?: boolean): this;
  /** Words in a text; any of them, unless `operator` is `"AND"`. The default operator after a search is `or`. */
  search(field: Field, terms: string, operator?: SearchOperator): this;
  /** A list that has any of the values. */
  containsAny(field: Field, values: Iterable<QueryValue>): this;
  /** A list that has all of the values. */
  containsAll(field: Field, values: Iterable<QueryValue>): this;
  /** Negates the next condition. */
  not(): this;
  /** {@link not} by its other name in npm `ravendb`. */
  negateNext(): this;
  /** `wrapPreviousQueryClauses`: puts everything before into brackets. */
  andAlso(wrapPreviousQueryClauses?: boolean): this;
  orElse(): this;
  openSubclause(): this;
  closeSubclause(): this;
  /** Documents that are in the results of both conditions, for indexes with several entries for a document. */
  intersect(): this;
  /**
   * The weight of the condition, or of the brackets, before it when ordering by score; 0 or more.
   * @throws {RavenEdgeError} `InvalidArgument` below 0, `InvalidOperation` behind something else.
   */
  boost(factor: number): this;
  /**
   * The similarity that is sufficient for the `whereEquals` before it, from 0 to 1.
   * @throws {RavenEdgeError} `InvalidArgument` outside of that, `InvalidOperation` behind something else.
   */
  fuzzy(distance: number): this;
  /**
   * The maximum number of words between the words of the `search` before it, 0 or more.
   * @throws {RavenEdgeError} `InvalidArgument` below 0, `InvalidOperation` behind something else.
   */
  proximity(distance: number): this;
  orderBy(field: Field, ordering?: OrderingType): this;
  orderBy(field: Field, nulls: NullsOrdering, ordering?: OrderingType): this;
  orderBy(field: Field, options: OrderingOptions): this;
  orderByDescending(field: Field, ordering?: OrderingType): this;
  orderByDescending(field: Field, nulls: NullsOrdering, ordering?: OrderingType): this;
  orderByDescending(field: Field, options: OrderingOptions): this;
  /** Best matches first. */
  orderByScore(): this;
  orderByScoreDescending(): this;
  /** A random order; the same seed gives the same order. */
  randomOrdering(seed?: string): this;
  /** Leaves out results that are equal to another one. */
  distinct(): this;
}

/**
 * A query in methods, with the names of npm `ravendb`. Conditions follow each other, joined by `and` unless the app says something
 * else. A call that has no meaning fails with a `RavenEdgeError`: at the call if its place or value is wrong (in a browser once the
 * module is loaded, see `store.ready()`), otherwise when the query is sent or shown.
 *
 * Values become parameters of the query and never part of its text. A field becomes part of the text only as one name: a text
 * that RQL would read otherwise (`my field`, `Order`, `a' or true`) is quoted.
 *
 * ```ts
 * const session = store.openSession();
 * const open = await session
 *   .query<Order>({ collection: "Orders" })
 *   .whereEquals("customer", "customers/7-A")
 *   .whereGreaterThan("total", 100)
 *   .orderByDescending("total", "Double")
 *   .include("customer")
 *   .all();
 * ```
 * `Field`: names that editors complete; others, such as the fields of an index, are taken, too.
 */
export declare class DocumentQuery<T, Field extends string = FieldOf<T>> extends RawDocumentQuery<T> {
  readonly indexName: string | undefined;
  readonly collectionName: string | undefined;
  addOrder(field: FieldName<Field>, descending?: boolean, ordering?: OrderingType): this;
  /** Also sends the documents whose ids are at a path: `load` finds them in the session without a request. */
  include(path: string | ((includes: IncludeBuilder) => void)): this;
  /**
   * Fields in place of documents, which the session does not track. One field without a class gives its values, unless they are
   * objects or lists. `beforeConversionToEntity` and `afterConversionToEntity` are raised for objects.
   * `projectionBehavior`: see {@link ProjectionBehavior}; a {@link QueryData} brings its own.
   *
   * ```ts
   * const names = await session.query<Order>({ collection: "Orders" }).selectFields<string>("customer").all();
   * ```
   */
  selectFields<TProjection = unknown>(field: FieldName<Field>): DocumentQuery<TProjection, Field>;
  selectFields<TProjection extends object>(
    fields: FieldName<Field> | readonly FieldName<Field>[],
    type?: EntityType<TProjection>,
    projectionBehavior?: ProjectionBehavior,
  ): DocumentQuery<TProjection, Field>;
  selectFields<TProjection extends object>(
    data: QueryData,
    type?: EntityType<TProjection>,
  ): DocumentQuery<TProjection, Field>;
  /**
   * Entries of time series in place of documents, or aggregations of them.
   *
   * ```ts
   * const byHour = await session
   *   .query({ collection: "Employees" })
   *   .selectTimeSeries((builder) => builder.raw("from HeartRate group by '1 hour' select avg()"), TimeSeriesAggregationResult)
   *   .all();
   * ```
   * @param timeSeriesQuery Gives the RQL between the parentheses of `select timeseries(…)`, which is sent as it is: never put input of users
   * into it, but parameters (`addParameter`).
   * @param projectionClass `TimeSeriesRawResult`, or `TimeSeriesAggregationResult` for RQL with `group by` or `select`.
   */
  selectTimeSeries<TProjection extends object>(
    timeSeriesQuery: (builder: ITimeSeriesQueryBuilder) => unknown,
    projectionClass: EntityType<TProjection>,
  ): DocumentQuery<TProjection, Field>;
  /** This query, with results of another class. */
  ofType<TResult extends object>(type: EntityType<TResult>): DocumentQuery<TResult>;
  /** Groups of documents that are equal in these fields; the next calls say what is shown of each group. */
  groupBy(...fields: (FieldName<Field> | GroupBy)[]): GroupByDocumentQuery;
}

export interface DocumentQuery<T, Field extends string>
  extends QueryClauses<FieldName<Field>>,
    ExtraClauses<T, FieldName<Field>> {}

/** By this name in npm `ravendb`. */
export type IDocumentQuery<T, Field extends string = FieldOf<T>> = DocumentQuery<T, Field>;

/**
 * The fields of a grouped query's results.
 *
 * ```ts
 * const sums = await session
 *   .query<Order>({ collection: "Orders" })
 *   .groupBy("customer")
 *   .selectKey("customer")
 *   .selectSum({ fieldName: "total", projectedName: "spent" })
 *   .all();                                        // [{ customer: "customers/7-A", spent: 812 }, …]
 * ```
 */
export declare class GroupByDocumentQuery {
  private constructor();
  /** Conditions for groups; see {@link DocumentQuery.filter}. */
  filter(builder: (conditions: IFilterFactory) => void, limit?: number | null): this;
  /** The key, or one field of it. */
  selectKey(field?: string | null, projected?: string | null): this;
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, a group has only the members that the app selects
  selectSum(field: GroupByField, ...fields: GroupByField[]): DocumentQuery<any, string>;
  /** The number of documents; `projected`: its name in results, default `"count"`. */
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, a group has only the members that the app selects
  selectCount(projected?: string): DocumentQuery<any, string>;
}
