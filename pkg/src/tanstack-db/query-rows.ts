// Rows of a query, which is read again when documents have changed.

import type { DocumentSession } from "../session/document-session-types.js";
import type { RowSource, RowSourceOptions } from "./row-source.js";
import { type AnyRow, keyOf, META, PLAIN, type Rows, rowOf } from "./rows.js";

/** A query by its name, or all documents of a collection. */
export type RowQuery = { named: string; parameters?: object } | { collection: string };

/** What a query tells of its results. */
interface Statistics {
  isStale?: boolean;
  keptAt?: Date;
  pending?: object[];
}

export class QueryRows implements RowSource {
  readonly #options;
  readonly #query;
  readonly #stop;
  /** Counts reads, and rows that were written between them. */
  #clock = 0;
  /** When the newest read began whose results are shown. */
  #shown = 0;
  /** When rows were written that this page has changed, until results have them. */
  readonly #own = new Map<string, number>();

  constructor(options: RowSourceOptions, query: RowQuery, every: number | undefined) {
    this.#options = options;
    this.#query = query;
    const watch = { collections: [options.collection], ...(every !== undefined && { every }) };
    this.#stop = options.store.watch(
      (session) => this.#reading(session),
      (_, { error }) => options.failed(error),
      watch,
    );
  }

  async show(read: () => Promise<Rows>): Promise<void> {
    const rows = await read();
    const now = ++this.#clock;
    for (const key of rows.keys()) this.#own.set(key, now);
    this.#options.rows.write(rows);
  }

  /** The watch follows the queue itself. */
  pendingChanged(): void {}

  shows(): boolean {
    return true;
  }

  stop(): void {
    this.#stop();
  }

  /** A query that shows its results itself: the watch gets the number of the read, and has nothing to compare. */
  #reading(session: DocumentSession): { all(): Promise<number[]> } {
    session.advanced.maxNumberOfRequestsPerSession = Number.MAX_SAFE_INTEGER;
    const query = session.query<AnyRow>({ ...this.#query, documentType: PLAIN as never });
    let told: Statistics = {};
    query.statistics((statistics) => {
      told = statistics;
    });
    const began = ++this.#clock;
    const all = async () => {
      const results = await query.all();
      this.#take(began, results, told);
      return [began];
    };
    const { part, indexName, collectionName } = query as typeof query & Record<string, unknown>;
    const statistics = (tell: (statistics: Statistics) => void) => query.statistics(tell);
    return { part, indexName, collectionName, statistics, all } as { all(): Promise<number[]> };
  }

  #take(began: number, results: readonly object[], { isStale, keptAt, pending = [] }: Statistics): void {
    if (began < this.#shown) return;
    this.#shown = began;
    const { collection, rows, ready } = this.#options;
    const isOf = (document: object) => (document as AnyRow)[META]?.["@collection"] === collection;
    const found: Rows = new Map(
      [...results, ...pending.filter(isOf)].map(rowOf).map((row) => [keyOf(row), row]),
    );
    const isComplete = !isStale && !keptAt;
    for (const [key, at] of this.#own)
      if (at < began && (isComplete || found.has(key))) this.#own.delete(key);
    rows.replace(found, (key) => this.#own.has(key));
    ready();
  }
}
