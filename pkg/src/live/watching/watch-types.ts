// What apps give to a watch and get from it. Types alone.

import type { EntityConstructor } from "../../documents/entity-types.js";

/** How a watch reads. */
export interface WatchOptions {
  /** The shortest time between the beginnings of two reads, in milliseconds; default 500. */
  every?: number;
  /**
   * The collections whose changes make the results old, by name or class. Default: the documents themselves for ids, the
   * collection or the index of a query, what the response to a query by name says. To be given for queries in RQL, and behind a gateway for
   * documents by ids that it judges by rows.
   */
  collections?: (string | EntityConstructor)[];
  /** Ends the watch. */
  signal?: AbortSignal;
}

/** The state of results; `T`: what they are, for queries. */
export interface WatchState<T = object> {
  /** Whether changes are being notified; otherwise the results may be old. */
  connected: boolean;
  /** Whether the results are those that the device has kept (`raven-edge/offline`); absent if not. */
  kept?: true;
  /**
   * Documents of the device that the results may lack, with their ids, as in {@link QueryStatistics.pending}: those that wait, and new ones
   * that were saved (with an `@change-vector`) after the results were read. Absent if there are none.
   */
  pending?: T[];
  /** Whether the index had not read all documents yet; the results are read again. */
  stale: boolean;
  /** Why the last read failed, or why changes are not notified; `undefined` if all is well. */
  error: Error | undefined;
}

/**
 * Called when the results or the state have changed. `results` are the newest that were read, `undefined` if none were:
 * each time other objects, which no session tracks.
 */
export type WatchCallback<Results> = (results: Results | undefined, state: WatchStateOf<Results>) => void;

/** The state of these results. */
export type WatchStateOf<Results> = WatchState<Results extends readonly (infer T)[] ? T : object>;
