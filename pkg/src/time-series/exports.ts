// The exports for time series. Bundlers leave out the classes that an app does not import.

export { TimeSeriesEntry, TypedTimeSeriesEntry, TypedTimeSeriesRollupEntry } from "./entries/entries.js";
export { TimeSeriesIncludeBuilder } from "./entries/read-requests.js";
export {
  TimeSeriesAggregationResult,
  TimeSeriesDetails,
  TimeSeriesQueryBuilder,
  TimeSeriesQueryResult,
  TimeSeriesRangeAggregation,
  TimeSeriesRangeResult,
  TimeSeriesRawResult,
  TypedTimeSeriesAggregationResult,
  TypedTimeSeriesRangeAggregation,
  TypedTimeSeriesRawResult,
} from "./entries/results.js";
export { TimeSeriesValuesHelper } from "./entries/value-names.js";
export {
  ConfigureRawTimeSeriesPolicyOperation,
  ConfigureTimeSeriesOperation,
  ConfigureTimeSeriesPolicyOperation,
  ConfigureTimeSeriesValueNamesOperation,
  RemoveTimeSeriesPolicyOperation,
} from "./operations/configure-operations.js";
export {
  GetMultipleTimeSeriesOperation,
  GetTimeSeriesOperation,
  GetTimeSeriesStatisticsOperation,
  TimeSeriesBatchOperation,
} from "./operations/operations.js";
export {
  RawTimeSeriesPolicy,
  TIME_SERIES_ROLLUP_SEPARATOR,
  TimeSeriesCollectionConfiguration,
  TimeSeriesConfiguration,
  TimeSeriesPolicy,
} from "./operations/policies.js";
export {
  AppendOperation,
  DeleteOperation,
  IncrementOperation,
  TimeSeriesOperation,
} from "./operations/time-series-operation.js";
export { TimeValue } from "./operations/time-value.js";
