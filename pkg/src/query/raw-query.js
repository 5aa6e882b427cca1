// A query: what the app calls is recorded, and becomes RQL (`rql/render.js`) when the query is sent, or shown.

import { fail } from "../common/error.js";
import { Events } from "../common/event-listeners.js";
import { lower } from "../common/member-case.js";
import { fetchAnswers } from "../loading/fetch-entities.js";
import { Lazy } from "../loading/lazy-operations.js";
import { here, later } from "../runtime/load-part.js";
import { bare } from "../wire/server-error.js";
import { IndexQuery, NO_INDEX, waited, written } from "./index-query.js";
import { plain } from "./query-parameters.js";
import { Reading } from "./query-results.js";

/** For how long a query lets the server wait. Texts of the app have a `\` before each quote. */
const WAIT = /,"WaitForNonStaleResultsTimeout":(\d+)/g;

/** A query in the app's own words, and what all queries have: parameters, paging, options, endings. */
export class RawDocumentQuery {
  #unit;
  #calls;
  #reading;
  #events = new Events();
  #done;
  #answered = false;

  /** `calls` say what is asked: a raw text, a collection, an index. */
  constructor(unit, calls, type) {
    this.#unit = unit;
    this.#calls = calls;
    this.#reading = new Reading(unit, type);
    // Who sends the query hears of a failure.
    later("rql").catch(() => {});
  }

  /** Records a call. */
  record(...call) {
    if (this.#done !== undefined) fail("InvalidOperation", "this query was sent already: begin another one");
    this.#calls.push(call);
    return this;
  }

  /** The same of a call that can be wrong where it stands: the app is told at once, in a browser once the part is there. */
  place(...call) {
    // What the collection is called may not be known yet.
    const source = [this.indexName ? "index" : "collection", "any"];
    here("rql")?.check([source, ...this.#calls, call]);
    return this.record(...call);
  }

  /** The name of the last call. */
  get last() {
    return this.#calls.at(-1)?.[0];
  }

  /** The same query so far, to go on with; `fields`: what it gives in place of documents. */
  with(made, reading) {
    made.#calls = [...this.#calls];
    made.#events = new Events(this.#events);
    made.#reading = this.#reading.with(reading);
    return made;
  }

  get reading() {
    return this.#reading;
  }

  get unit() {
    return this.#unit;
  }

  skip(count) {
    return this.record("skip", count);
  }

  take(count) {
    return this.record("take", count);
  }

  waitForNonStaleResults(timeout) {
    this.#reading.waits = true;
    const { waitForNonStaleResultsTimeout } = this.#unit.conventions;
    return this.record("waitForNonStaleResults", timeout || waitForNonStaleResultsTimeout);
  }

  noCaching() {
    return this.record("noCaching");
  }

  noTracking() {
    this.#reading.untracked = true;
    return this;
  }

  usingDefaultOperator(operator) {
    return this.place("usingDefaultOperator", operator);
  }

  addParameter(name, value) {
    return this.place("addParameter", name, plain(value));
  }

  /** Where the server takes the fields from that the query shows. */
  projection(behavior) {
    this.#reading.projection = behavior;
    return this;
  }

  /** `tell` gets an object that is filled when the answer is there. */
  statistics(tell) {
    this.#reading.counts = true;
    tell(this.#reading.statistics);
    return this;
  }

  timings(tell) {
    this.record("timings");
    tell(this.#reading.timings);
    return this;
  }

  on(name, listener) {
    this.#events.on(name, listener);
    return this;
  }

  once(name, listener) {
    const first = (event) => {
      this.#events.off(name, first);
      listener(event);
    };
    return this.on(name, first);
  }

  removeListener(name, listener) {
    this.#events.off(name, listener);
    return this;
  }

  /** What is asked, before the calls of the app. */
  get source() {
    return [];
  }

  #render() {
    const { render } =
      here("rql") ??
      fail(
        "InvalidOperation",
        "queries are not loaded yet: a query has no text before `await store.ready()`",
      );
    return render([...this.source, ...this.#calls]);
  }

  /** What is sent, as text: needs what `ready` waits for. */
  #body() {
    const changes = this.#reading.projection || this.#events.has("beforeQueryExecuted");
    return changes ? written(this.getIndexQuery()) : this.#render();
  }

  /** What is sent; what listeners change in it is sent, too. */
  getIndexQuery() {
    const query = new IndexQuery();
    for (const [name, value] of Object.entries(JSON.parse(this.#render()))) query[lower(name)] = value;
    query.projectionBehavior = this.#reading.projection;
    query.skipStatistics = !this.#reading.counts;
    this.#events.emit("beforeQueryExecuted", query);
    return query;
  }

  /** Listeners of `beforeQuery` get the query itself to customize. */
  getQuery() {
    return this;
  }

  /** The text of the query, and its parameters, as JSON: what `POST /queries` takes. */
  async indexQuery() {
    await this.#unit.store.ready();
    await this.prepare();
    return this.#body();
  }

  toString() {
    return JSON.parse(this.#render()).Query;
  }

  /** Loads what the query needs to be rendered. */
  async prepare() {
    await later("rql");
  }

  /** Sends the query, once; `most`: no more documents than that, if the app has not said less. */
  #execute(most, send = () => this.#unit.inOrder(() => this.#send())) {
    if (this.#done === undefined) {
      const { length } = this.#calls;
      const said = this.#calls.findLast(([name]) => name === "take")?.[1];
      if (most !== undefined && (!said || said > most)) this.take(most);
      this.#done = send();
      // It can be sent again, as the app has said it.
      this.#done.catch(() => {
        this.#done = undefined;
        this.#calls.length = length;
      });
    }
    return this.#done;
  }

  async #send() {
    const unit = this.#unit;
    await this.prepare();
    this.#begin();
    const body = this.#body();
    const [found] = await fetchAnswers(unit, "queries", body, [this.#reading], waited(body, WAIT));
    this.#told(found);
  }

  #begin() {
    const done = this.#done;
    // Listeners may add to it yet.
    this.#done = undefined;
    this.#unit.emit("beforeQuery", { session: this.#unit.session, queryCustomization: this });
    this.#done = done;
  }

  #told(found) {
    if (found?.said.TotalResults === undefined) this.#nothing();
    this.#reading.settle(found);
    this.#events.emit("afterQueryExecuted", this.#reading.result());
    this.#answered = true;
  }

  /** A 404 that says nothing: so RavenDB answers for an index that it does not have. */
  #nothing() {
    const { indexName } = this;
    const message = indexName ? `there is no index ${indexName}` : bare(404, "");
    fail("Server", message, { type: indexName && NO_INDEX, status: 404 });
  }

  async #atMost(count) {
    await this.#execute(count);
    return this.#reading.entities();
  }

  async all() {
    await this.#execute();
    return this.#reading.entities();
  }

  async getQueryResult() {
    await this.#execute();
    return this.#reading.result();
  }

  async first() {
    const [first] = await this.#atMost(1);
    return first ?? fail("InvalidOperation", "the query has no result");
  }

  async firstOrNull() {
    const [first] = await this.#atMost(1);
    return first ?? null;
  }

  async single() {
    return (await this.singleOrNull()) ?? fail("InvalidOperation", "the query has no result");
  }

  async singleOrNull() {
    const found = await this.#atMost(2);
    if (found.length > 1) fail("InvalidOperation", "the query has more than one result");
    return found[0] ?? null;
  }

  async any() {
    if (this.#calls.some(([name]) => name === "distinct")) return (await this.#atMost(1)).length > 0;
    return (await this.count()) > 0;
  }

  async count() {
    await this.#execute(0);
    return this.#reading.statistics.totalResults;
  }

  longCount() {
    return this.count();
  }

  async *[Symbol.asyncIterator]() {
    yield* await this.all();
  }

  lazily(onEval) {
    return this.#lazy(undefined, () => this.#reading.entities(), onEval);
  }

  countLazily(onEval) {
    return this.#lazy(0, () => this.#reading.statistics.totalResults, onEval);
  }

  #lazy(most, make, onEval) {
    let asked;
    if (this.#done === undefined) this.#begin();
    const request = async () => {
      // What is not answered by now may wait behind this one.
      asked = !this.#answered;
      if (!asked) return;
      await this.prepare();
      return { route: "queries", body: this.#body(), reading: this.#reading };
    };
    const settle = (found) => {
      if (asked) this.#told(found);
      this.#done ??= Promise.resolve();
      return make();
    };
    // Other endings that are called from now on work on its results, whatever `onEval` thinks of them.
    const begun = (lazy) => this.#execute(most, () => lazy.sent.then(() => this.#answered || lazy.read()));
    const lazy = new Lazy(this.#unit, request, settle, onEval, begun);
    this.#unit.lazies.push(lazy);
    return lazy;
  }
}
