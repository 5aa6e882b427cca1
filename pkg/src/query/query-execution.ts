// Sends a query once: at its first ending, or together with lazy loads.

import { Lazy } from "../loading/lazy-operations.js";
import type { FetchedEntities } from "../loading/track-documents.js";
import type { RecordedCall } from "../rql/call.js";
import type { Parts } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import type { Reading } from "./query-results.js";
import type { IDocumentQueryCustomization } from "./raw-query-types.js";

/** The names of the parts that know what the calls of a query mean. */
export type PartName = "extras" | "named" | "rql";

/** One of these parts. */
export type QueryPart = Parts[PartName];

/** A query, as its execution uses it. */
export interface ExecutedQuery {
  readonly indexName?: string | undefined;
  readonly reading: Reading;
  readonly part: PartName;
  /** The part, after `prepare`. */
  readonly loaded: QueryPart;
  calls: RecordedCall[];
  /** Loads what the query needs to be rendered. */
  prepare(): Promise<void>;
  /** The text that is sent. */
  body(): string;
  /** Whether it is in RQL, and no listener may change its text. */
  readonly isFixed: boolean;
  /** Calls listeners of `afterQueryExecuted`. */
  notify(): void;
}

export class QueryExecution {
  #state;
  #query;
  #done: Promise<void> | undefined;
  #hasResponse = false;

  constructor(state: SessionState, query: ExecutedQuery) {
    this.#state = state;
    this.#query = query;
  }

  /** Whether it is too late to add to the query. */
  get isSent(): boolean {
    return this.#done !== undefined;
  }

  /** Sends the query if it was not sent yet; `most`: the maximum number of results that the ending needs. */
  run(
    most?: number,
    send = () =>
      this.#state.inOrder(
        () => this.#send(),
        "query",
        (early) => early.query(this.#state, this.#query),
      ),
  ): Promise<void> {
    if (this.#done === undefined) {
      const { calls } = this.#query;
      const before = [...calls];
      const taken = before.filter(([name]) => name === "take").at(-1)?.[1] as number | null | undefined;
      if (most !== undefined && (!taken || taken > most)) calls.push(["take", most]);
      // After a failure it can be sent again, as the app has written it.
      this.#done = send().catch((error: unknown) => {
        this.#done = undefined;
        this.#query.calls = before;
        throw error;
      });
    }
    return this.#done;
  }

  async #send(): Promise<void> {
    await this.#query.prepare();
    this.#begin();
    this.#accept(await this.#query.loaded.fetch(this.#state, this.#query));
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
    const { indexName, loaded, reading } = this.#query;
    // RavenDB answers 404 without a text if the index does not exist.
    if (found?.rest.IsStale === undefined) throw loaded.missingIndex(indexName);
    reading.accept(found);
    loaded.fillStatistics(reading, found.rest, this.#state);
    this.#query.notify();
    this.#hasResponse = true;
  }

  /** A lazy value of the results, which `make` returns. */
  lazy<Value>(
    most: number | undefined,
    make: () => Value,
    onEval: ((value: Value) => unknown) | undefined,
  ): Lazy<Value> {
    const query = this.#query;
    let asked = false;
    if (!this.isSent) this.#begin();
    const request = async () => {
      // If the query was sent by another ending, its response may be waiting behind this request.
      asked = false;
      if (this.#hasResponse) return;
      await query.prepare();
      // It may need several requests, so it is none of `multi_get`.
      if (query.part === "named") {
        this.#accept(await query.loaded.fetch(this.#state, query));
        return;
      }
      asked = true;
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
          if (!this.#hasResponse) lazy.read();
        });
      this.run(most, send).catch(() => {});
    };
    const load = async () => ({ request: await request(), result: accept });
    return new Lazy(this.#state, load, onEval, begun);
  }
}
