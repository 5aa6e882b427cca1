// Sends a query once: at its first ending, or together with lazy loads.

import { type FetchedEntities, fetchResponses } from "../loading/fetch-entities.js";
import { Lazy } from "../loading/lazy-operations.js";
import type { SessionState } from "../session/session-state.js";
import { missingIndex, waited } from "./index-query.js";
import type { Reading } from "./query-results.js";
import type { IDocumentQueryCustomization } from "./raw-query-types.js";

/** For how many milliseconds a query lets the server wait. In texts of the app each quote has a `\` before it. */
const WAIT = /,"WaitForNonStaleResultsTimeout":(\d+)/g;

/** A query, as its execution uses it. */
export interface ExecutedQuery {
  readonly indexName?: string | undefined;
  readonly reading: Reading;
  /** Limits the number of results, unless the app has set a lower limit; returns a function that undoes it. */
  limit(most: number | undefined): () => void;
  /** Loads what the query needs to be rendered. */
  prepare(): Promise<void>;
  /** The text that is sent. */
  body(): string;
  /** Calls listeners of `afterQueryExecuted`. */
  notify(): void;
}

export class QueryExecution {
  #state;
  #query;
  #done: Promise<void> | undefined;
  #answered = false;

  constructor(state: SessionState, query: ExecutedQuery) {
    this.#state = state;
    this.#query = query;
  }

  /** Whether it is too late to add to the query. */
  get isSent(): boolean {
    return this.#done !== undefined;
  }

  /** Sends the query if it was not sent yet; `most`: the maximum number of results that the ending needs. */
  run(most?: number, send = () => this.#state.inOrder(() => this.#send())): Promise<void> {
    if (this.#done === undefined) {
      const undo = this.#query.limit(most);
      this.#done = send();
      // After a failure it can be sent again, as the app has written it.
      this.#done.catch(() => {
        this.#done = undefined;
        undo();
      });
    }
    return this.#done;
  }

  async #send(): Promise<void> {
    await this.#query.prepare();
    this.#begin();
    const body = this.#query.body();
    const readings = [this.#query.reading];
    const [found] = await fetchResponses(this.#state, "queries", body, readings, waited(body, WAIT));
    this.#accept(found as FetchedEntities);
  }

  #begin(): void {
    const done = this.#done;
    // Listeners may still add to the query. Only queries in methods have all members of the type, which is npm `ravendb`'s.
    this.#done = undefined;
    const queryCustomization = this.#query as object as IDocumentQueryCustomization;
    this.#state.emit("beforeQuery", { session: this.#state.session, queryCustomization });
    this.#done = done;
  }

  #accept(found: FetchedEntities | undefined): void {
    // RavenDB answers 404 without a text if the index does not exist.
    if (found?.rest.TotalResults === undefined) missingIndex(this.#query.indexName);
    this.#query.reading.accept(found as FetchedEntities);
    this.#query.notify();
    this.#answered = true;
  }

  /** A lazy value of the results, which `make` returns. */
  lazy<Value>(
    most: number | undefined,
    make: () => Value,
    onEval: ((value: Value) => unknown) | undefined,
  ): Lazy<Value> {
    const query = this.#query;
    let asked: boolean;
    if (!this.isSent) this.#begin();
    const request = async () => {
      // If the query was sent by another ending, its response may be waiting behind this request.
      asked = !this.#answered;
      if (!asked) return;
      await query.prepare();
      return { route: "queries", body: query.body(), reading: query.reading };
    };
    const accept = (found: FetchedEntities | undefined) => {
      if (asked) this.#accept(found);
      this.#done ??= Promise.resolve();
      return make();
    };
    // From now on other endings use the results of this one, even if `onEval` throws.
    const begun = (lazy: Lazy) => {
      const send = () =>
        (lazy.sent as Promise<void>).then(() => {
          if (!this.#answered) lazy.read();
        });
      this.run(most, send);
    };
    const lazy = new Lazy(this.#state, request, accept, onEval, begun);
    this.#state.addLazy(lazy);
    return lazy;
  }
}
