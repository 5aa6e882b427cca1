// Rows of a query, which is read again when documents have changed.

import type { Statistics } from "../live/watching/watched-results.js";
import type { DocumentSession } from "../session/document-session-types.js";
import type { RowSource, RowSourceOptions } from "./row-source.js";
import { type AnyRow, keyOf, META, PLAIN, type Rows, rowOf } from "./rows.js";

/** A query by its name, or all documents of a collection. */
export type RowQuery = { named: string; parameters?: object } | { collection: string };

/** Reads rows from now on; `every`: the least milliseconds between two reads. */
export function queryRows(options: RowSourceOptions, query: RowQuery, every: number | undefined): RowSource {
  /** Counts reads, and rows that were written between them. */
  let clock = 0;
  /** When the newest read began whose results are shown. */
  let shown = 0;
  /** When rows were written that this page has changed, until results have them. */
  const own = new Map<string, number>();
  const { collection, rows, ready, failed } = options;
  const stop = options.store.watch(reading, (_, { error }) => failed(error), {
    collections: [collection],
    ...(every !== undefined && { every }),
  });
  return {
    async show(read) {
      const written = await read();
      const now = ++clock;
      for (const key of written.keys()) own.set(key, now);
      rows.write(written);
    },
    /** The watch follows the queue itself. */
    pendingChanged() {},
    shows: () => true,
    stop,
  };

  /** A query that shows its results itself: the watch gets the number of the read, and has nothing to compare. */
  function reading(session: DocumentSession): { all(): Promise<number[]> } {
    session.advanced.maxNumberOfRequestsPerSession = Number.MAX_SAFE_INTEGER;
    const made = session.query<AnyRow>({ ...query, documentType: PLAIN as never });
    let told: Partial<Statistics> = {};
    made.statistics((statistics) => {
      told = statistics;
    });
    const began = ++clock;
    const all = async () => {
      const results = await made.all();
      take(began, results, told);
      return [began];
    };
    const { part, indexName, collectionName } = made as typeof made & Record<string, unknown>;
    const statistics = (tell: (statistics: Statistics) => void) => made.statistics(tell);
    return { part, indexName, collectionName, statistics, all } as { all(): Promise<number[]> };
  }

  function take(
    began: number,
    results: readonly object[],
    { isStale, keptAt, pending = [] }: Partial<Statistics>,
  ): void {
    if (began < shown) return;
    shown = began;
    const isOf = (document: object) => (document as AnyRow)[META]?.["@collection"] === collection;
    const found: Rows = new Map(
      [...results, ...pending.filter(isOf)].map(rowOf).map((row) => [keyOf(row), row]),
    );
    const isComplete = !isStale && !keptAt;
    for (const [key, at] of own) if (at < began && (isComplete || found.has(key))) own.delete(key);
    rows.replace(found, (key) => own.has(key));
    ready();
  }
}
