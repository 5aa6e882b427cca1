// A raw query, and what all queries have. Calls of the app are recorded; `rql/render.ts` makes RQL of them when the query is sent or
// shown.

import { AnyThis } from "../common/any-this.js";
import { fail } from "../common/error.js";
import { Events } from "../common/event-listeners.js";
import type { ObjectTypeDescriptor } from "../documents/entity-types.js";
import type { Lazy } from "../loading/lazy-operations.js";
import type { FacetResultObject } from "../query-extras/builders/facets.js";
import type { MethodCall } from "../query-extras/builders/rql-functions.js";
import type { RecordedCall } from "../rql/call.js";
import { loadedPart, loadPart } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import type { IndexQuery } from "./index-query.js";
import { type ExecutedQuery, type PartName, QueryExecution, type QueryPart } from "./query-execution.js";
import type { ProjectionBehavior, QueryOperator } from "./query-options.js";
import { plain } from "./query-parameters.js";
import { Reading, type ReadingChanges } from "./query-results.js";
import type {
  RawDocumentQuery as PublicQuery,
  QueryEvents,
  QueryResult,
  QueryStatistics,
  QueryTimings,
} from "./raw-query-types.js";

/** Methods that few apps use: the part `extras` knows them. */
export const EXTRAS = (
  "aggregateBy aggregateUsing andAggregateBy andSuggestUsing filter highlight includeExplanations moreLikeThis orderByDistance " +
  "orderByDistanceDescending relatesToShape shardContext spatial suggestUsing vectorSearch withinRadiusOf"
).split(" ");
/** Further methods of the part `extras`: `executeAggregation`, `selectTimeSeries`, `withTag`. */
const MORE = /^(exec|selectT|with)/;

/** A query in RQL, and what all queries have: parameters, paging, options, endings. */
export class RawDocumentQuery<T = unknown> extends AnyThis implements PublicQuery<T>, ExecutedQuery {
  reading;
  /** `never`: listeners of any type of results. */
  #events = new Events<QueryEvents<never>>();
  #execution;

  /**
   * `calls` say what is queried: a text in RQL, a collection, an index, the name of a query. `part` knows what they mean, and how they are
   * sent.
   */
  constructor(
    readonly state: SessionState,
    public calls: RecordedCall[],
    type: ObjectTypeDescriptor | undefined,
    public part: PartName = "rql",
  ) {
    super();
    this.reading = new Reading(state, type);
    this.#execution = new QueryExecution(state, this);
    // The ending reports a failure.
    loadPart(part).catch(() => {});
  }

  record(...call: RecordedCall): this {
    if (this.#execution.isSent) fail("InvalidOperation", "this query was sent already: begin another one");
    if (this.part === "named") loadedPart("named")?.check([call]);
    // The third item may be a function of RQL in place of a value.
    const isExtra =
      EXTRAS.includes(call[0]) ||
      MORE.test(call[0]) ||
      (call[2] as Partial<MethodCall> | null | undefined)?.args;
    if (isExtra && this.part === "rql") this.part = "extras";
    this.calls.push(call);
    // Read at once if that part is loaded, else before the query is sent.
    loadedPart("extras")?.readLast(this);
    return this;
  }

  get #part(): QueryPart | undefined {
    loadedPart("extras")?.readAll(this);
    return loadedPart(this.part);
  }

  /** Records a call that depends on the calls before it: it is checked at once, in a browser once the part is loaded. */
  place(...call: RecordedCall): this {
    // The name of the collection may not be known yet.
    const source: RecordedCall = [(this as ExecutedQuery).indexName ? "index" : "collection", "any"];
    this.#part?.check([source, ...this.calls, call]);
    return this.record(...call);
  }

  /** The name of the last call. */
  get last(): string | undefined {
    return this.calls.at(-1)?.[0];
  }

  /** Gives another query the calls and listeners of this one. */
  with<Query extends RawDocumentQuery>(made: Query, reading: ReadingChanges): Query {
    made.part = this.part;
    made.calls = [...this.calls];
    made.#events = new Events(this.#events);
    made.reading = this.reading.with(reading);
    return made;
  }

  skip(count: number): this {
    return this.record("skip", count);
  }

  take(count: number): this {
    return this.record("take", count);
  }

  waitForNonStaleResults(timeout?: number): this {
    this.reading.waits = true;
    return this.record(
      "waitForNonStaleResults",
      timeout || this.state.conventions.waitForNonStaleResultsTimeout,
    );
  }

  noCaching(): this {
    return this.record("noCaching");
  }

  noTracking(): this {
    this.reading.untracked = true;
    return this;
  }

  usingDefaultOperator(operator: QueryOperator): this {
    return this.place("usingDefaultOperator", operator);
  }

  addParameter(name: string, value: unknown): this {
    return this.place("addParameter", name, plain(value));
  }

  projection(behavior: ProjectionBehavior): this {
    this.reading.projection = behavior;
    return this;
  }

  statistics(tell: (statistics: QueryStatistics) => void): this {
    this.reading.counts = true;
    // Its members are `undefined` until the response is there.
    tell(this.reading.statistics as QueryStatistics);
    return this;
  }

  timings(tell: (timings: QueryTimings) => void): this {
    this.record("timings");
    tell(this.reading.timings as QueryTimings);
    return this;
  }

  on<Name extends keyof QueryEvents<T>>(name: Name, listener: (event: QueryEvents<T>[Name]) => void): this {
    this.#events.on(name, listener);
    return this;
  }

  once<Name extends keyof QueryEvents<T>>(name: Name, listener: (event: QueryEvents<T>[Name]) => void): this {
    this.#events.once(name, listener);
    return this;
  }

  removeListener<Name extends keyof QueryEvents<T>>(
    name: Name,
    listener: (event: QueryEvents<T>[Name]) => void,
  ): this {
    this.#events.off(name, listener);
    return this;
  }

  /** Calls that say what is queried, before the calls of the app. */
  get source(): RecordedCall[] {
    return [];
  }

  get loaded(): QueryPart {
    const notLoaded = "a query has no text before `await store.ready()` or `await query.indexQuery()`";
    return this.#part ?? fail("InvalidOperation", notLoaded);
  }

  #render(): string {
    return this.loaded.render([...this.source, ...this.calls], this.state);
  }

  get isFixed(): boolean {
    const { state, part, reading } = this;
    const isHeard = state.hasListener("beforeQuery") || this.#events.has("beforeQueryExecuted");
    return part === "rql" && !reading.projection && !isHeard;
  }

  body(): string {
    const isChanged = this.reading.projection || this.#events.has("beforeQueryExecuted");
    return isChanged ? this.loaded.written(this.getIndexQuery()) : this.#render();
  }

  /** Changes by listeners are sent. */
  getIndexQuery(): IndexQuery {
    const query = this.loaded.indexQueryOf(this.#render(), this.reading);
    this.#events.emit("beforeQueryExecuted", query);
    return query;
  }

  /** Listeners of `beforeQuery` get the query itself to customize. */
  getQuery(): this {
    return this;
  }

  /** The body of `POST /queries`. */
  async indexQuery(): Promise<string> {
    await this.state.store.ready();
    await this.prepare();
    return this.body();
  }

  override toString(): string {
    return JSON.parse(this.#render()).Query;
  }

  async prepare(): Promise<void> {
    await (await loadPart(this.part)).prepare(this.calls);
  }

  notify(): void {
    this.#events.emit("afterQueryExecuted", this.reading.result() as QueryResult<never>);
  }

  async #found(most?: number): Promise<T[]> {
    await this.#execution.run(most);
    return this.reading.entities() as T[];
  }

  all(): Promise<T[]> {
    return this.#found();
  }

  async getQueryResult(): Promise<QueryResult<T>> {
    await this.#execution.run();
    return this.reading.result() as QueryResult<T>;
  }

  async first(): Promise<T> {
    return (await this.firstOrNull()) ?? fail("InvalidOperation", "the query has no result");
  }

  async firstOrNull(): Promise<T | null> {
    return (await this.#found(1))[0] ?? null;
  }

  async single(): Promise<T> {
    return (await this.singleOrNull()) ?? fail("InvalidOperation", "the query has no result");
  }

  async singleOrNull(): Promise<T | null> {
    const found = await this.#found(2);
    if (found.length > 1) fail("InvalidOperation", "the query has more than one result");
    return found[0] ?? null;
  }

  async any(): Promise<boolean> {
    // Few named queries tell how many results there are.
    if (this.part === "named" || this.calls.some(([name]) => name === "distinct"))
      return (await this.#found(1)).length > 0;
    return (await this.count()) > 0;
  }

  async count(): Promise<number> {
    await this.#execution.run(0);
    return this.#total();
  }

  #total(): number {
    // The query was sent by another ending, which needs no number.
    return (
      this.reading.statistics.totalResults ??
      fail("InvalidOperation", "its number of results is not told: declare the query with total: true")
    );
  }

  longCount(): Promise<number> {
    return this.count();
  }

  withTag(tag: string): this {
    return this.record("withTag", tag);
  }

  executeAggregation(): Promise<FacetResultObject> {
    return this.record("executeAggregation").all() as Promise<object> as Promise<FacetResultObject>;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    yield* await this.all();
  }

  lazily(onEval?: (results: T[]) => void): Lazy<T[]> {
    return this.#execution.lazy(undefined, () => this.reading.entities() as T[], onEval);
  }

  countLazily(onEval?: (count: number) => void): Lazy<number> {
    return this.#execution.lazy(0, () => this.#total(), onEval);
  }
}
