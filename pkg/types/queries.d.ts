// Queries.

import type { EntityType } from "../dts/documents/entity-types.js";
import type { Lazy } from "../dts/loading/lazy-types.js";
import type { IndexQuery } from "../dts/query/index-query.js";
import type { QueryData } from "../dts/query/query-data.js";
import type { DocumentSession } from "../dts/session/document-session-types.js";
import type { IncludeBuilder } from "../dts/session/session-options.js";

export { QueryData } from "../dts/query/query-data.js";

/** What has no fields inside. */
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

/** How many levels are left to go down: a type may contain itself. */
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
 * `id` or `id()` for the id, and `@metadata.…`. Any text, where nothing is known of the type.
 *
 * ```ts
 * class Order { id?: string; total = 0; lines: { product: string }[] = []; }
 * session.query<Order>({ collection: "Orders" }).whereEquals("lines[].product", "products/7-A");
 * // session.query<Order>({ collection: "Orders" }).whereEquals("totel", 5);   // an error
 * ```
 */
export type FieldOf<T> = 0 extends 1 & T
  ? string
  : object extends T
    ? string
    : string extends keyof T
      ? string
      : Paths<T, 3> | "id" | "id()" | `@metadata.${string}`;

/**
 * What a query compares with: a parameter, whatever is in it. A `Date` travels in UTC, as npm `ravendb` sends it: it finds dates
 * that were stored in UTC ({@link DocumentConventions.storeDatesInUtc}), and misses others wherever it is not UTC. `NaN` and
 * `Infinity`, which JSON does not have, are refused (`InvalidArgument`).
 */
export type QueryValue = string | number | boolean | Date | null | undefined | object;

/** How values are ordered: as texts (the default), as numbers, or numbers within texts as numbers. */
export type OrderingType = "String" | "Long" | "Double" | "AlphaNumeric";

/** Where documents without the value come: RavenDB's default is first when ascending. */
export type NullsOrdering = "Default" | "First" | "Last";

/** An ordering in full. */
export interface OrderingOptions {
  ordering?: OrderingType;
  nullsOrdering?: NullsOrdering;
  /** A sorter of the server, by its name. */
  sorterName: string;
}

/** Between conditions where the app says nothing; between words of a search. */
export type QueryOperator = "AND" | "OR";

/** The same, by its name in npm `ravendb`. */
export type SearchOperator = QueryOperator;

/** A class of an index, as `AbstractJavaScriptIndexCreationTask` is, or an instance of one: it says its name. */
export type QueriedIndex = string | IndexWithName | (new () => IndexWithName);

/** What says the name of an index. */
export interface IndexWithName {
  getIndexName(): string;
}

/**
 * Where the server takes the fields of a projection from: stored in the index, else of the document (`Default`), only of
 * one of the two, and whether a field that is not there is an error (`InvalidQueryException`) or `null`.
 */
export type ProjectionBehavior =
  | "Default"
  | "FromIndex"
  | "FromIndexOrThrow"
  | "FromDocument"
  | "FromDocumentOrThrow";

/** What npm `ravendb` has here and raven-edge has not: in Node a call of it is refused (`Unsupported`). */
export type AbsentFromQueries =
  "raven-edge has no such member: say it in RQL, with session.advanced.rawQuery(text)";

/** What is asked: one of the four; all documents, where there is none. */
export interface DocumentQueryOptions<T extends object> {
  /** A collection by its name: `"Orders"`. */
  collection?: string;
  /** An index of the database by its name. */
  indexName?: string;
  /** The same, by the index itself, its class or its name. */
  index?: QueriedIndex;
  /** A class, whose collection is asked and whose instances the results are; or a name that one is registered by. */
  documentType?: EntityType<T> | string;
}

/** What the server says beside the results. Filled when the answer is there. */
export class QueryStatistics {
  /** Whether the index was behind the documents. */
  isStale: boolean;
  /** The server's time in milliseconds; -1: from its cache. */
  durationInMs: number;
  /** How many there are, whatever `skip` and `take` say. */
  totalResults: number;
  /** Results left out by `distinct`. */
  skippedResults: number;
  scannedResults: number;
  timestamp: Date;
  indexName: string;
  indexTimestamp: Date;
  lastQueryTime: Date;
  resultEtag: number | null;
  nodeTag: string;
}

/** Where the server's time went, in milliseconds. Filled when the answer is there. */
export class QueryTimings {
  durationInMs: number;
  timings: Record<string, QueryTimings> | undefined;
}

/** An answer as a whole: {@link RawDocumentQuery.getQueryResult}. */
export interface QueryResult<T> {
  readonly results: T[];
  readonly includedPaths: string[] | null;
  readonly indexName: string;
  readonly indexTimestamp: Date;
  readonly totalResults: number;
  readonly skippedResults: number;
  readonly scannedResults: number;
  readonly isStale: boolean;
  readonly lastQueryTime: Date;
  readonly resultEtag: number | null;
  readonly nodeTag: string;
  readonly durationInMs: number;
}

/** A query is about to be sent (`beforeQuery` of a session). */
export interface SessionBeforeQueryEventArgs {
  readonly session: DocumentSession;
  /** The query, to be customized. */
  readonly queryCustomization: IDocumentQueryCustomization;
}

/** A query before it is sent, and what listeners may still do to it. */
export interface IDocumentQueryCustomization
  extends Pick<
    RawDocumentQuery<object>,
    | "noCaching"
    | "noTracking"
    | "waitForNonStaleResults"
    | "timings"
    | "projection"
    | "on"
    | "once"
    | "removeListener"
  > {
  /** The query itself. */
  // biome-ignore lint/suspicious/noExplicitAny: any query of the session
  getQuery(): DocumentQuery<any, string>;
  /** Of a query in methods; `InvalidOperation` of another. */
  randomOrdering(seed?: string): this;
  readonly shardContext: AbsentFromQueries;
}

/** What a query tells its own listeners. */
export interface QueryEvents<T> {
  /** Text and parameters, as they will be sent; what a listener changes is sent. */
  beforeQueryExecuted: IndexQuery;
  /** The answer. */
  afterQueryExecuted: QueryResult<T>;
}

/**
 * A query in RQL of the app's own, and what every query can do: parameters, paging, options and endings.
 *
 * A query is sent once, by the first of its endings (`all`, `first`, `single`, `any`, `count` …) that is awaited; others
 * then work on its results. Results are documents of the session, unless the query shows parts of them (`select`) or
 * does not track. RavenDB documentation, "What is RQL"; route `POST /databases/{name}/queries`.
 *
 * ```ts
 * const dear = await session.advanced
 *   .rawQuery<Order>("from Orders where total > $least")
 *   .addParameter("least", 100)
 *   .take(10)
 *   .all();
 * ```
 */
export class RawDocumentQuery<T> implements AsyncIterable<T> {
  protected constructor();
  /** How many results to pass over, 0 or more. */
  skip(count: number): this;
  /** How many results at most, 0 or more. */
  take(count: number): this;
  /**
   * Waits until the index has what was saved before, milliseconds at most; default
   * {@link DocumentConventions.waitForNonStaleResultsTimeout}, 15,000. Then the endings fail with `Timeout`.
   */
  waitForNonStaleResults(timeout?: number): this;
  /** The answer is not to come from a cache. */
  noCaching(): this;
  /** Results are plain objects that the session forgets. */
  noTracking(): this;
  /** What joins conditions that nothing else joins; default `"AND"`. Before the first condition. */
  usingDefaultOperator(operator: QueryOperator): this;
  /** A parameter, which the text calls `$name`. */
  addParameter(name: string, value: QueryValue): this;
  /** Where the server takes the fields from that `select` shows. */
  projection(behavior: ProjectionBehavior): this;
  /** `tell` gets, at once, an object that is filled when the answer is there. */
  statistics(tell: (statistics: QueryStatistics) => void): this;
  /** Asks the server where its time goes; as `statistics` does. */
  timings(tell: (timings: QueryTimings) => void): this;
  /** Listens to this query. */
  on<Name extends keyof QueryEvents<T>>(event: Name, listener: (event: QueryEvents<T>[Name]) => void): this;
  /** The first time alone. */
  once<Name extends keyof QueryEvents<T>>(event: Name, listener: (event: QueryEvents<T>[Name]) => void): this;
  /** Ends that. */
  removeListener<Name extends keyof QueryEvents<T>>(
    event: Name,
    listener: (event: QueryEvents<T>[Name]) => void,
  ): this;
  /**
   * Text and parameters as JSON, as they are sent. (Ours.)
   * @throws {RavenEdgeError} `InvalidArgument`, `InvalidOperation`: what the calls add up to cannot be meant.
   */
  indexQuery(): Promise<string>;
  /**
   * Text, parameters and options as they are sent, for logs and for operations by query. `beforeQueryExecuted` is raised.
   * @throws {RavenEdgeError} As {@link toString}.
   */
  getIndexQuery(): IndexQuery;
  /**
   * The text as it is sent.
   * @throws {RavenEdgeError} As {@link indexQuery}; `InvalidOperation` in a browser before `await store.ready()`.
   */
  toString(): string;
  /**
   * The results.
   * @throws {RavenEdgeError} `InvalidArgument`, `InvalidOperation`, `Server` (`IndexDoesNotExistException`,
   * `InvalidQueryException` …), `Timeout`, `Unreachable`, `BadAnswer`, `Disposed`.
   */
  all(): Promise<T[]>;
  /** The first result. @throws {RavenEdgeError} `InvalidOperation`, where there is none; as {@link all}. */
  first(): Promise<T>;
  /** The first result, if there is one. */
  firstOrNull(): Promise<T | null>;
  /** The only result. @throws {RavenEdgeError} `InvalidOperation`, where there is none, or another one; as {@link all}. */
  single(): Promise<T>;
  /** The only result, if there is one. @throws {RavenEdgeError} `InvalidOperation`, where there are more; as {@link all}. */
  singleOrNull(): Promise<T | null>;
  /** Whether there is any. */
  any(): Promise<boolean>;
  /** How many there are, whatever `skip` says; nothing else is fetched. */
  count(): Promise<number>;
  /** The same. */
  longCount(): Promise<number>;
  /** Results and statistics together. */
  getQueryResult(): Promise<QueryResult<T>>;
  /** `for await (const order of query)`: the results of {@link all}, one by one; `stream` is for many. */
  [Symbol.asyncIterator](): AsyncIterator<T>;
  /** Sends it together with everything else that is lazy, when one of them is needed. */
  lazily(onEval?: (results: T[]) => void): Lazy<T[]>;
  /** The same for {@link count}. */
  countLazily(onEval?: (count: number) => void): Lazy<number>;
  readonly executeAggregation: AbsentFromQueries;
  readonly withTag: AbsentFromQueries;
}

/**
 * A query in methods, with the names of npm `ravendb`. Conditions follow each other, joined by `and` unless something else
 * is said; what cannot be meant is refused by a `RavenEdgeError`: at the call where its place or value is wrong (in a browser
 * once the module is there, see `store.ready()`), the rest when the query is sent or shown.
 *
 * Values become parameters of the query and never part of its text. Names of fields become part of it only as one name:
 * what RQL would read otherwise (`my field`, `Order`, `a' or true`) is quoted.
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
 * `Field`: names that it takes; `session.query<Order, string>({ indexName })` takes the fields of an index, too.
 */
export class DocumentQuery<T, Field extends string = FieldOf<T>> extends RawDocumentQuery<T> {
  readonly indexName: string | undefined;
  readonly collectionName: string;
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
  /** A clause in the words of Lucene. */
  whereLucene(field: Field, clause: string, exact?: boolean): this;
  /** Words in a text; any of them, unless `operator` is `"AND"`. Behind it, `or` is what joins. */
  search(field: Field, terms: string, operator?: SearchOperator): this;
  /** A list that has any of the values. */
  containsAny(field: Field, values: Iterable<QueryValue>): this;
  /** A list that has all of the values. */
  containsAll(field: Field, values: Iterable<QueryValue>): this;
  /** Turns the next condition around. */
  not(): this;
  /** The same. */
  negateNext(): this;
  /** `wrapPreviousQueryClauses`: everything before in brackets. */
  andAlso(wrapPreviousQueryClauses?: boolean): this;
  orElse(): this;
  openSubclause(): this;
  closeSubclause(): this;
  /** Documents that are in the results of both, for indexes with several entries a document. */
  intersect(): this;
  /**
   * How much the condition, or the brackets, before it count when ordering by score; 0 or more.
   * @throws {RavenEdgeError} `InvalidArgument` below 0, `InvalidOperation` behind something else.
   */
  boost(factor: number): this;
  /**
   * Likeness that is enough for the `whereEquals` before it, from 0 to 1.
   * @throws {RavenEdgeError} `InvalidArgument` outside of that, `InvalidOperation` behind something else.
   */
  fuzzy(distance: number): this;
  /**
   * How many words may be between those of the `search` before it, 0 or more.
   * @throws {RavenEdgeError} `InvalidArgument` below 0, `InvalidOperation` behind something else.
   */
  proximity(distance: number): this;
  orderBy(field: Field, ordering?: OrderingType): this;
  orderBy(field: Field, nulls: NullsOrdering, ordering?: OrderingType): this;
  orderBy(field: Field, options: OrderingOptions): this;
  orderByDescending(field: Field, ordering?: OrderingType): this;
  orderByDescending(field: Field, nulls: NullsOrdering, ordering?: OrderingType): this;
  orderByDescending(field: Field, options: OrderingOptions): this;
  addOrder(field: Field, descending?: boolean, ordering?: OrderingType): this;
  /** Best matches first. */
  orderByScore(): this;
  orderByScoreDescending(): this;
  /** In an order of chance; of the same chance for the same seed. */
  randomOrdering(seed?: string): this;
  /** No two results alike. */
  distinct(): this;
  /** Loads the documents, too, whose ids are at a path; they come with the answer, and `load` finds them in the session. */
  include(path: string | ((includes: IncludeBuilder) => void)): this;
  /**
   * Fields in place of documents, which the session does not track: of one field without a class, its values where
   * these are no objects or lists. `beforeConversionToEntity` and `afterConversionToEntity` are raised for objects.
   * `projectionBehavior`: see {@link ProjectionBehavior}; of {@link QueryData} its own counts.
   *
   * ```ts
   * const names = await session.query<Order>({ collection: "Orders" }).selectFields<string>("customer").all();
   * ```
   */
  selectFields<TProjection = unknown>(field: Field): DocumentQuery<TProjection, Field>;
  selectFields<TProjection extends object>(
    fields: Field | readonly Field[],
    type?: EntityType<TProjection>,
    projectionBehavior?: ProjectionBehavior,
  ): DocumentQuery<TProjection, Field>;
  selectFields<TProjection extends object>(
    data: QueryData,
    type?: EntityType<TProjection>,
  ): DocumentQuery<TProjection, Field>;
  /** The same query, with results of another class. */
  ofType<TResult extends object>(type: EntityType<TResult>): DocumentQuery<TResult>;
  /** Groups of documents alike in these fields; what is shown of each is said next. */
  groupBy(...fields: (Field | GroupBy)[]): GroupByDocumentQuery;
  readonly aggregateBy: AbsentFromQueries;
  readonly aggregateUsing: AbsentFromQueries;
  readonly filter: AbsentFromQueries;
  readonly highlight: AbsentFromQueries;
  readonly includeExplanations: AbsentFromQueries;
  readonly moreLikeThis: AbsentFromQueries;
  readonly orderByDistance: AbsentFromQueries;
  readonly orderByDistanceDescending: AbsentFromQueries;
  readonly relatesToShape: AbsentFromQueries;
  readonly selectTimeSeries: AbsentFromQueries;
  readonly shardContext: AbsentFromQueries;
  readonly spatial: AbsentFromQueries;
  readonly suggestUsing: AbsentFromQueries;
  readonly vectorSearch: AbsentFromQueries;
  readonly withinRadiusOf: AbsentFromQueries;
}

/** By this name in npm `ravendb`. */
export type IDocumentQuery<T, Field extends string = FieldOf<T>> = DocumentQuery<T, Field>;

/** By this name in npm `ravendb`. */
export type IRawDocumentQuery<T> = RawDocumentQuery<T>;

/** What documents are grouped by, where that is not just a field. */
export class GroupBy {
  private constructor();
  readonly field: string;
  readonly method: "None" | "Array";
  static field(name: string): GroupBy;
  /** By a whole list, not by each of its items. */
  static array(name: string): GroupBy;
}

/** A field of groups, and what results call it. */
export interface GroupByField {
  fieldName: string;
  projectedName?: string;
}

/**
 * What is shown of groups.
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
export class GroupByDocumentQuery {
  private constructor();
  readonly filter: AbsentFromQueries;
  /** The key, or one field of it. */
  selectKey(field?: string | null, projected?: string | null): this;
  // biome-ignore lint/suspicious/noExplicitAny: of groups nothing is known but what the app has chosen
  selectSum(field: GroupByField, ...fields: GroupByField[]): DocumentQuery<any, string>;
  /** How many there are; `projected`: what results call it, default `"count"`. */
  // biome-ignore lint/suspicious/noExplicitAny: of groups nothing is known but what the app has chosen
  selectCount(projected?: string): DocumentQuery<any, string>;
}
