// Counters as apps see them. Types alone; names are those of npm `ravendb`.

/** What an operation does with a counter. `Get` reads its value, `Put` is for tools that copy databases. */
export type CounterOperationType = "None" | "Increment" | "Delete" | "Get" | "Put";

/** A counter. */
export interface CounterDetail {
  documentId: string;
  /** As the request wrote it; in a list of all counters as it was first written. */
  counterName: string;
  /** The sum over all nodes. JavaScript rounds values beyond 2^53. */
  totalValue: number;
  etag?: number;
  /** The value of each node, if the request asked for it. */
  counterValues?: Record<string, number>;
  changeVector?: string;
}

/** Counters of documents, in the order of the request; `null` for a counter that does not exist. */
export interface CountersDetail {
  counters: (CounterDetail | null)[];
}

/** What needs no request; see {@link ISessionDocumentCounters}. */
export interface ISessionDocumentCountersBase {
  /**
   * Adds to a counter with the next `saveChanges`; a counter that does not exist begins at 0.
   * @param delta A whole number; default 1.
   * @throws {RavenEdgeError} `InvalidArgument` for a blank name, or a number that is not whole; `InvalidOperation` if the session deletes
   * the counter or its document.
   */
  increment(counter: string, delta?: number): void;
  /**
   * Deletes a counter with the next `saveChanges`; one that does not exist is no error.
   * @throws {RavenEdgeError} `InvalidArgument` for a blank name; `InvalidOperation` if the session increments the counter.
   */
  delete(counter: string): void;
}

/** The counters of a document in a session; see {@link DocumentSession.countersFor}. */
export interface ISessionDocumentCounters extends ISessionDocumentCountersBase {
  /** The value of a counter; `null` if it does not exist. No request if the session knows it. */
  get(counter: string): Promise<number | null>;
  /** The values of counters by their names, without those that do not exist. */
  get(counters: string[]): Promise<Record<string, number>>;
  /** All counters of the document. */
  getAll(): Promise<Record<string, number>>;
  /**
   * Drops the increments and deletions of the document's counters that no save has sent, or whose save had an unknown outcome
   * (`docs/counters.md`). Not in npm `ravendb`.
   */
  discard(): void;
}

/** Includes counters in a load or query. */
export interface ICounterIncludeBuilder<TBuilder> {
  /** A counter of the document: `countersFor(id).get(name)` then needs no request. */
  includeCounter(name: string): TBuilder;
  /** In a query: a counter of the documents whose ids are at a path. */
  includeCounter(path: string, name: string): TBuilder;
  includeCounters(names: string[]): TBuilder;
  includeCounters(path: string, names: string[]): TBuilder;
  /** All counters of the document; in a query of the documents whose ids are at a path. */
  includeAllCounters(path?: string): TBuilder;
}
