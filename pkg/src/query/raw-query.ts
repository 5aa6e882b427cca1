// A raw query, and what all queries have. Calls of the app are recorded; `rql/render.ts` makes RQL of them when the query is sent or
// shown.

import { fail } from "../common/error.js";
import { Events } from "../common/event-listeners.js";
import type { ObjectTypeDescriptor } from "../documents/entity-types.js";
import type { Lazy } from "../loading/lazy-operations.js";
import type { RecordedCall } from "../rql/call.js";
import { here, later } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import type { IndexQuery } from "./index-query.js";
import { type ExecutedQuery, QueryExecution, type QueryPart } from "./query-execution.js";
import type { AbsentFromQueries, ProjectionBehavior, QueryOperator } from "./query-options.js";
import { plain } from "./query-parameters.js";
import type { QueryResult, QueryStatistics, QueryTimings } from "./query-result-types.js";
import { Reading, type ReadingChanges } from "./query-results.js";
import type { RawDocumentQuery as PublicQuery, QueryEvents } from "./raw-query-types.js";

/** A query in RQL, and what all queries have: parameters, paging, options, endings. */
export class RawDocumentQuery<T = unknown> implements PublicQuery<T>, ExecutedQuery {
  declare readonly executeAggregation: AbsentFromQueries;
  declare readonly withTag: AbsentFromQueries;
  #state;
  #calls;
  #reading;
  /** `never`: listeners of any type of results. */
  #events = new Events<QueryEvents<never>>();
  #execution;

  /** The part that knows what the calls mean, and how they are sent. */
  readonly part: "named" | "rql";

  /** `calls` say what is queried: a text in RQL, a collection, an index, the name of a query. */
  constructor(
    state: SessionState,
    calls: RecordedCall[],
    type: ObjectTypeDescriptor | undefined,
    part: "named" | "rql" = "rql",
  ) {
    this.part = part;
    this.#state = state;
    this.#calls = calls;
    this.#reading = new Reading(state, type);
    this.#execution = new QueryExecution(state, this);
    // The ending reports a failure.
    later(part).catch(() => {});
  }

  /** Records a call. */
  record(...call: RecordedCall): this {
    if (this.#execution.isSent) fail("InvalidOperation", "this query was sent already: begin another one");
    if (this.part === "named") here("named")?.check([call]);
    this.#calls.push(call);
    return this;
  }

  /** The same for a call that depends on the calls before it: it is checked at once, in a browser once the part is loaded. */
  place(...call: RecordedCall): this {
    // The name of the collection may not be known yet.
    const source: RecordedCall = [(this as ExecutedQuery).indexName ? "index" : "collection", "any"];
    here(this.part)?.check([source, ...this.#calls, call]);
    return this.record(...call);
  }

  get calls(): readonly RecordedCall[] {
    return this.#calls;
  }

  /** The name of the last call. */
  get last(): string | undefined {
    return this.#calls.at(-1)?.[0];
  }

  /** Gives another query the calls and listeners of this one. */
  with<Query extends RawDocumentQuery>(made: Query, reading: ReadingChanges): Query {
    made.#calls = [...this.#calls];
    made.#events = new Events(this.#events);
    made.#reading = this.#reading.with(reading);
    return made;
  }

  get reading(): Reading {
    return this.#reading;
  }

  get state(): SessionState {
    return this.#state;
  }

  skip(count: number): this {
    return this.record("skip", count);
  }

  take(count: number): this {
    return this.record("take", count);
  }

  waitForNonStaleResults(timeout?: number): this {
    this.#reading.waits = true;
    const { waitForNonStaleResultsTimeout } = this.#state.conventions;
    return this.record("waitForNonStaleResults", timeout || waitForNonStaleResultsTimeout);
  }

  noCaching(): this {
    return this.record("noCaching");
  }

  noTracking(): this {
    this.#reading.untracked = true;
    return this;
  }

  usingDefaultOperator(operator: QueryOperator): this {
    return this.place("usingDefaultOperator", operator);
  }

  addParameter(name: string, value: unknown): this {
    return this.place("addParameter", name, plain(value));
  }

  projection(behavior: ProjectionBehavior): this {
    this.#reading.projection = behavior;
    return this;
  }

  statistics(tell: (statistics: QueryStatistics) => void): this {
    this.#reading.counts = true;
    // Its members are `undefined` until the response is there.
    tell(this.#reading.statistics as QueryStatistics);
    return this;
  }

  timings(tell: (timings: QueryTimings) => void): this {
    this.record("timings");
    tell(this.#reading.timings as QueryTimings);
    return this;
  }

  on<Name extends keyof QueryEvents<T>>(name: Name, listener: (event: QueryEvents<T>[Name]) => void): this {
    this.#events.on(name, listener);
    return this;
  }

  once<Name extends keyof QueryEvents<T>>(name: Name, listener: (event: QueryEvents<T>[Name]) => void): this {
    const first = (event: QueryEvents<T>[Name]) => {
      this.#events.off(name, first);
      listener(event);
    };
    return this.on(name, first);
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
    const notLoaded = "queries are not loaded yet: a query has no text before `await store.ready()`";
    return here(this.part) ?? fail("InvalidOperation", notLoaded);
  }

  #render(): string {
    return this.loaded.render([...this.source, ...this.#calls], this.#state);
  }

  body(): string {
    const changes = this.#reading.projection || this.#events.has("beforeQueryExecuted");
    return changes ? this.loaded.written(this.getIndexQuery()) : this.#render();
  }

  /** Changes by listeners are sent. */
  getIndexQuery(): IndexQuery {
    const text = this.#render();
    const query = this.loaded.indexQueryOf(text, this.#reading);
    this.#events.emit("beforeQueryExecuted", query);
    return query;
  }

  /** Listeners of `beforeQuery` get the query itself to customize. */
  getQuery(): this {
    return this;
  }

  /** The body of `POST /queries`. */
  async indexQuery(): Promise<string> {
    await this.#state.store.ready();
    await this.prepare();
    return this.body();
  }

  toString(): string {
    return JSON.parse(this.#render()).Query;
  }

  async prepare(): Promise<void> {
    await (await later(this.part)).prepare(this.#calls);
  }

  limit(most: number | undefined): () => void {
    const { length } = this.#calls;
    const taken = this.#calls.filter(([name]) => name === "take").at(-1)?.[1] as number | null | undefined;
    if (most !== undefined && (!taken || taken > most)) this.take(most);
    return () => {
      this.#calls.length = length;
    };
  }

  notify(): void {
    this.#events.emit("afterQueryExecuted", this.#reading.result() as QueryResult<never>);
  }

  async #atMost(count: number): Promise<T[]> {
    await this.#execution.run(count);
    return this.#reading.entities() as T[];
  }

  async all(): Promise<T[]> {
    await this.#execution.run();
    return this.#reading.entities() as T[];
  }

  async getQueryResult(): Promise<QueryResult<T>> {
    await this.#execution.run();
    return this.#reading.result() as QueryResult<T>;
  }

  async first(): Promise<T> {
    const [first] = await this.#atMost(1);
    return first ?? fail("InvalidOperation", "the query has no result");
  }

  async firstOrNull(): Promise<T | null> {
    const [first] = await this.#atMost(1);
    return first ?? null;
  }

  async single(): Promise<T> {
    return (await this.singleOrNull()) ?? fail("InvalidOperation", "the query has no result");
  }

  async singleOrNull(): Promise<T | null> {
    const found = await this.#atMost(2);
    if (found.length > 1) fail("InvalidOperation", "the query has more than one result");
    return found[0] ?? null;
  }

  async any(): Promise<boolean> {
    // Few named queries tell how many results there are.
    if (this.part === "named" || this.#calls.some(([name]) => name === "distinct"))
      return (await this.#atMost(1)).length > 0;
    return (await this.count()) > 0;
  }

  async count(): Promise<number> {
    await this.#execution.run(0);
    return this.#total();
  }

  #total(): number {
    // The query was sent by another ending, which needs no number.
    return (
      this.#reading.statistics.totalResults ??
      fail("InvalidOperation", "its number of results is not told: declare the query with total: true")
    );
  }

  longCount(): Promise<number> {
    return this.count();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    yield* await this.all();
  }

  lazily(onEval?: (results: T[]) => void): Lazy<T[]> {
    return this.#execution.lazy(undefined, () => this.#reading.entities() as T[], onEval);
  }

  countLazily(onEval?: (count: number) => void): Lazy<number> {
    return this.#execution.lazy(0, () => this.#total(), onEval);
  }
}
