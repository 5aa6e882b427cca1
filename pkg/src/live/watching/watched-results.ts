// What a watch reads, and whose changes make that old.

import { isObject } from "../../common/arguments.js";
import { fail } from "../../common/error.js";
import type { LiveStore } from "../live-store.js";
import type { IChangesObservable, IDatabaseChanges, WatchOptions } from "../live-types.js";

/** What a query tells of its results. */
export interface Statistics {
  isStale: boolean;
  keptAt?: Date;
  pending?: object[];
  /** Of a query by name. */
  collections?: readonly string[];
}

/** A query, as far as a watch uses it. */
interface WatchedQuery {
  readonly part?: string;
  readonly indexName?: string | undefined;
  readonly collectionName?: string | undefined;
  statistics(take: (statistics: Statistics) => void): unknown;
  all(): Promise<unknown>;
}

/** Ids, the options of a query, or a function that makes the query. */
export type Watched = string | string[] | object;

/** Results that were read; `isKept`: they come from the device; `pending`: new documents that wait there. */
export interface ReadResults {
  results: unknown;
  isStale: boolean;
  isKept: boolean;
  pending: object[];
}

export interface WatchedResults {
  read(): Promise<ReadResults>;
  /** What the device has of them; `undefined` if it keeps nothing. */
  kept: (() => Promise<ReadResults>) | undefined;
  /** What says that the results may be outdated; `undefined` before a response has said what a query by name reads. */
  observables(changes: IDatabaseChanges): IChangesObservable<unknown>[] | undefined;
}

/** `collections`: those that the app names. */
export function watchedResults(
  store: LiveStore,
  what: Watched,
  { collections }: WatchOptions,
): WatchedResults {
  let known: readonly unknown[] | undefined = collections;
  const named = (changes: IDatabaseChanges) =>
    known?.map((collection) => changes.forDocumentsInCollection(collection as string));
  const session = (offline?: "only") => store.openSession({ noTracking: true, ...(offline && { offline }) });
  const { keeps } = store.offline ?? {};
  if (typeof what === "string" || Array.isArray(what)) {
    const ids = [what].flat();
    if (ids.length === 0) fail("InvalidArgument", "watch: there are no ids");
    const read = async (offline?: "only") => ({
      results: await session(offline).load(what),
      isStale: false,
      isKept: offline !== undefined,
      pending: [],
    });
    return {
      read: () => read(),
      kept: keeps ? () => read("only") : undefined,
      observables: (changes) => named(changes) ?? ids.map((id) => changes.forDocument(id)),
    };
  }
  if (!isObject(what) && typeof what !== "function")
    fail("InvalidArgument", "watch takes ids, the options of a query, or a function that makes a query");
  const made = (offline?: "only"): WatchedQuery => {
    const opened = session(offline);
    if (typeof what === "function") return (what as (session: object) => WatchedQuery)(opened);
    return (
      (opened.query?.(what) as WatchedQuery | undefined) ??
      fail("Unsupported", "raven-edge/session has no queries")
    );
  };
  const first = made();
  let isReported = false;
  /** Takes what a query by name reads from its response. */
  const learn = (told: Statistics[], isKept: boolean) => {
    known ??= told.find((each) => each.collections)?.collections;
    if (known || isKept || isReported || first.part !== "named") return;
    isReported = true;
    console.error(
      "raven-edge: the results of this query by name do not follow changes, because neither the option `collections` nor its declaration says which collections it reads:",
      what,
    );
  };
  const read = async (offline?: "only"): Promise<ReadResults> => {
    const query = made(offline);
    const told: Statistics[] = [];
    query.statistics((statistics) => told.push(statistics));
    const results = await query.all();
    // Filled when the response was there.
    const isKept = told.some(({ keptAt }) => keptAt !== undefined);
    learn(told, isKept);
    return {
      results,
      isStale: told.some(({ isStale }) => isStale),
      isKept,
      pending: told.flatMap(({ pending = [] }) => pending),
    };
  };
  return {
    read: () => read(),
    kept: keeps ? () => read("only") : undefined,
    observables: (changes) => {
      const given = named(changes);
      // What a query by name reads is known where its text is.
      if (given || first.part === "named") return given;
      const { indexName, collectionName } = first;
      if (indexName) return [changes.forIndex(indexName)];
      const isAll = collectionName === "@all_docs";
      if (isAll) return [changes.forAllDocuments()];
      if (collectionName) return [changes.forDocumentsInCollection(collectionName)];
      fail("InvalidArgument", "watch: name the collections that the query reads in the option `collections`");
    },
  };
}
