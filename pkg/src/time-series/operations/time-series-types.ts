// Ranges and statistics of time series. Types alone.

import type { TimeValue } from "./time-value.js";

/** What the entries in a span of time are aggregated to. */
export type AggregationType =
  | "First"
  | "Last"
  | "Min"
  | "Max"
  | "Sum"
  | "Count"
  | "Average"
  | "Percentile"
  | "Slope"
  | "StandardDeviation";

/** Part of a time series. */
export interface AbstractTimeSeriesRange {
  /** The name of the time series. */
  name: string;
}

/** The entries in a range of time, both ends included. */
export interface TimeSeriesRange extends AbstractTimeSeriesRange {
  /** Default: the first entry. */
  from?: Date | null | undefined;
  /** Default: the last entry. */
  to?: Date | null | undefined;
}

export type TimeSeriesRangeType = "None" | "Last";

/** The entries of the last hours, days … */
export interface TimeSeriesTimeRange extends AbstractTimeSeriesRange {
  time: TimeValue;
  type: TimeSeriesRangeType;
}

/** The last entries. */
export interface TimeSeriesCountRange extends AbstractTimeSeriesRange {
  count: number;
  type: TimeSeriesRangeType;
}

/** One time series of a document. */
export interface TimeSeriesItemDetail {
  name: string;
  numberOfEntries: number;
  startDate: Date;
  endDate: Date;
}

/** The time series of a document. */
export interface TimeSeriesStatistics {
  documentId: string;
  timeSeries: TimeSeriesItemDetail[];
}

/** Asks for documents together with entries. */
export interface ITimeSeriesIncludeBuilder {
  /** The documents whose ids are the tags of the entries. */
  includeTags(): ITimeSeriesIncludeBuilder;
  /** The document of the time series. */
  includeDocument(): ITimeSeriesIncludeBuilder;
}

/** What a change of the configuration comes to. */
export interface ConfigureTimeSeriesOperationResult {
  raftCommandIndex: number;
}

/** The names of the values of a time series. */
export interface ConfigureTimeSeriesValueNamesParameters {
  collection: string;
  timeSeries: string;
  valueNames: string[];
  /** Whether names that were set before are replaced. */
  update?: boolean;
}
