// The classes of every entry with sessions whose declarations are those of their sources, with the types of the same files. Bundlers leave out
// what an app does not import.

export {
  CopyAttachmentCommandData,
  DeleteAttachmentCommandData,
  MoveAttachmentCommandData,
  PutAttachmentCommandData,
  StoreAttachmentParameters,
} from "../attachments/attachment-commands.js";
export { type ErrorCode, RavenEdgeError } from "../common/error.js";
export * from "../common/version.js";
export {
  CounterBatch,
  CounterOperation,
  CountersBatchCommandData,
  DocumentCountersOperation,
} from "../counters/counter-commands.js";
export * from "../documents/constants.js";
export { HiloIdGenerator, MultiDatabaseHiLoIdGenerator } from "../numbers/hilo-generators.js";
export * from "../operations/attachment-operations.js";
export {
  CompareExchangeResult,
  DeleteCompareExchangeValueOperation,
  GetCompareExchangeValueOperation,
  GetCompareExchangeValuesOperation,
  type GetCompareExchangeValuesParameters,
  PutCompareExchangeValueOperation,
} from "../operations/compare-exchange.js";
export {
  type CompareExchangeResultClass,
  CompareExchangeValue,
} from "../operations/compare-exchange-value.js";
export * from "../operations/counter-operations.js";
export * from "../operations/databases.js";
export * from "../operations/document-commands.js";
export * from "../operations/identities.js";
export * from "../operations/statistics.js";
export * from "../patching/patch-request.js";
export * from "../revisions/revision-operations.js";
export {
  DeleteCommandData,
  DeleteCompareExchangeCommandData,
  type ICommandData,
  PutCommandDataBase,
  PutCommandDataWithJson,
  PutCompareExchangeCommandData,
} from "../saving/batch-commands.js";
export {
  type InMemoryDocumentSessionOperations,
  SessionAfterSaveChangesEventArgs,
  SessionBeforeDeleteEventArgs,
  SessionBeforeStoreEventArgs,
  type SessionEvents,
} from "../session/session-events.js";
export * from "../store/classes-as-values.js";
export * from "../store/conventions.js";
export * from "../time-series/entries/entries.js";
export { TimeSeriesIncludeBuilder } from "../time-series/entries/read-requests.js";
export {
  type ITimeSeriesQueryBuilder,
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
} from "../time-series/entries/results.js";
export { TimeValue, type TimeValueUnit } from "../time-series/entries/times.js";
export {
  type TimeSeriesValue,
  type TimeSeriesValueField,
  TimeSeriesValuesHelper,
} from "../time-series/entries/value-names.js";
export * from "../time-series/operations/operations.js";
export * from "../time-series/operations/policies.js";
