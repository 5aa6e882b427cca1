// Entries that are loaded together with documents. Types alone.

import type { Time } from "../entries/times.js";
import type { TimeSeriesRangeType } from "../operations/time-series-types.js";
import type { TimeValue } from "../operations/time-value.js";

/** Names time series whose entries come with documents: the session reads them without a request then. */
export interface IncludesTimeSeries {
  /** The entries from `from` to `to`, both included; default: all. */
  includeTimeSeries(name: string, from?: Time, to?: Time): this;
  /**
   * The last entries: `"Last"`, and a length of time or their number.
   *
   * ```ts
   * await session.load("employees/1-A", {
   *   includes: (includes) => includes.includeTimeSeries("HeartRate", "Last", TimeValue.ofHours(1)),
   * });
   * ```
   */
  includeTimeSeries(
    names: string | string[],
    type: TimeSeriesRangeType,
    timeOrCount: TimeValue | number,
  ): this;
  /** In queries: those of the document whose id is at `path`. */
  includeTimeSeries(path: string, name: string, from: Time, to: Time): this;
  /** The last entries of all time series; not together with `includeTimeSeries`. */
  includeAllTimeSeries(type: TimeSeriesRangeType, timeOrCount: TimeValue | number): this;
}
