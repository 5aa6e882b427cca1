// `store.timeSeries` as apps see it. Types alone.

import type { EntityConstructor } from "../documents/entity-types.js";
import type { TimeValue } from "./entries/times.js";

/** The name of a collection, or the class of its documents. */
export type CollectionOrClass = string | EntityConstructor;

/** Names of values, and policies, of the time series of collections. A collection is a name, or a class. */
export interface TimeSeriesOperations {
  /**
   * Gives the values of a time series names, which queries and the studio show.
   *
   * ```ts
   * await store.timeSeries.register("Users", "HeartRate", ["bpm"]);
   * ```
   */
  register(collection: CollectionOrClass, name: string, valueNames: string[]): Promise<void>;
  /**
   * Names the values by a class whose `TIME_SERIES_VALUES` names the values.
   * @param name Default: the name of the class as the name of a collection.
   */
  register(
    collection: CollectionOrClass,
    timeSeriesEntryClass: EntityConstructor,
    name?: string,
  ): Promise<void>;
  /**
   * Sets a policy: a rollup.
   * @throws {RavenEdgeError} `Server` (402, `LicenseLimitException`) if the licence of the server has no rollups; `InvalidArgument` for
   * times of zero or less.
   */
  setPolicy(
    collection: CollectionOrClass,
    name: string,
    aggregation: TimeValue,
    retention?: TimeValue | null,
  ): Promise<void>;
  /** Sets how long entries are kept. Errors as {@link setPolicy}. */
  setRawPolicy(collection: CollectionOrClass, retention: TimeValue): Promise<void>;
  /** Removes a policy, and its rollup. */
  removePolicy(collection: CollectionOrClass, name: string): Promise<void>;
  /** The time series of another database. */
  forDatabase(database: string): TimeSeriesOperations;
}
