// Entries in a range of time, as the server sends them.

import { dateOf } from "../../documents/mapping/date-format.js";
import { TimeSeriesEntry } from "./entries.js";
import { timeReader } from "./times.js";

/** The entries of a time series in a range of time. */
export class TimeSeriesRangeResult {
  /** The beginning of the range; `null`: the first entry. */
  from!: Date | null;
  /** The end of the range; `null`: the last entry. */
  to!: Date | null;
  entries!: TimeSeriesEntry[];
  /** How many entries there are in all; only if the whole series was asked for. */
  totalResults!: number | undefined;
  /** Included documents by id. */
  includes!: Record<string, object | null> | null | undefined;
}

/** Ranges by the names of time series, without regard to case. */
export class TimeSeriesDetails {
  id!: string;
  values!: Map<string, TimeSeriesRangeResult[]>;
}

/** As the server sends an entry. */
interface RawEntry {
  Timestamp: string;
  Tag: string | null;
  Values: number[];
  IsRollup: boolean;
  NodeValues?: Record<string, number[]>;
}

/** As the server sends a range. */
export interface RawRange {
  From: string | null;
  To: string | null;
  Entries: RawEntry[];
  TotalResults?: number;
  Includes?: Record<string, object | null>;
}

/** Makes a range of what the server sent. */
export function rangeOf({ From, To, Entries, TotalResults, Includes }: RawRange): TimeSeriesRangeResult {
  const timeOf = timeReader();
  return Object.assign(new TimeSeriesRangeResult(), {
    from: From ? dateOf(From) : null,
    to: To ? dateOf(To) : null,
    entries: Entries.map(
      ({ Timestamp, Tag, Values, IsRollup, NodeValues }) =>
        new TimeSeriesEntry(timeOf(Timestamp), Tag, Values, IsRollup, NodeValues),
    ),
    totalResults: TotalResults,
    includes: Includes,
  });
}
