/**
 * `raven-edge` without queries, indexes, streams and patches: ids, and sessions that load by id. A tenth smaller.
 *
 * ```ts
 * import { DocumentStore } from "raven-edge/session";
 *
 * const store = new DocumentStore("/raven", "Shop").initialize();
 * const session = store.openSession();
 * await session.store({ "@metadata": { "@collection": "Orders" } });
 * await session.saveChanges();
 * await store.dispose();
 * ```
 *
 * It shares parked numbers with `raven-edge` on the same origin, and never issues an id twice.
 */

export {
  type AdvancedSession,
  type DocumentSession,
  DocumentStore,
  DocumentStore as default,
} from "./dts/entries/session-types.js";
export type * from "./index.js";
export {
  AppendOperation,
  BatchPatchCommandData,
  CompareExchangeResult,
  CompareExchangeValue,
  ConfigureRawTimeSeriesPolicyOperation,
  ConfigureTimeSeriesOperation,
  ConfigureTimeSeriesPolicyOperation,
  ConfigureTimeSeriesValueNamesOperation,
  CopyAttachmentCommandData,
  CreateDatabaseOperation,
  DeleteAttachmentCommandData,
  DeleteAttachmentOperation,
  DeleteCommandData,
  DeleteCompareExchangeCommandData,
  DeleteCompareExchangeValueOperation,
  DeleteDatabasesOperation,
  DeleteDocumentCommand,
  DeleteOperation,
  DocumentConventions,
  GetAttachmentOperation,
  GetCollectionStatisticsOperation,
  GetCompareExchangeValueOperation,
  GetCompareExchangeValuesOperation,
  GetDatabaseNamesOperation,
  GetDetailedCollectionStatisticsOperation,
  GetDetailedStatisticsOperation,
  GetDocumentsCommand,
  GetEssentialStatisticsOperation,
  GetIdentitiesOperation,
  GetMultipleTimeSeriesOperation,
  GetStatisticsOperation,
  GetTimeSeriesOperation,
  GetTimeSeriesStatisticsOperation,
  HeadDocumentCommand,
  HiLo,
  HiloIdGenerator,
  IncrementOperation,
  MoveAttachmentCommandData,
  MultiDatabaseHiLoIdGenerator,
  NextIdentityForCommand,
  NextIdentityForOperation,
  PatchCommandData,
  PatchRequest,
  PutAttachmentCommandData,
  PutAttachmentOperation,
  PutCommandDataBase,
  PutCommandDataWithJson,
  PutCompareExchangeCommandData,
  PutCompareExchangeValueOperation,
  PutDocumentCommand,
  RavenEdgeError,
  RawTimeSeriesPolicy,
  RemoveTimeSeriesPolicyOperation,
  SeedIdentityForCommand,
  SeedIdentityForOperation,
  StoreAttachmentParameters,
  TIME_SERIES_ROLLUP_SEPARATOR,
  TimeSeriesAggregationResult,
  TimeSeriesBatchOperation,
  TimeSeriesCollectionConfiguration,
  TimeSeriesConfiguration,
  TimeSeriesDetails,
  TimeSeriesEntry,
  TimeSeriesIncludeBuilder,
  TimeSeriesOperation,
  TimeSeriesPolicy,
  TimeSeriesQueryBuilder,
  TimeSeriesQueryResult,
  TimeSeriesRangeAggregation,
  TimeSeriesRangeResult,
  TimeSeriesRawResult,
  TimeSeriesValuesHelper,
  TimeValue,
  TypedTimeSeriesAggregationResult,
  TypedTimeSeriesEntry,
  TypedTimeSeriesRangeAggregation,
  TypedTimeSeriesRawResult,
  TypedTimeSeriesRollupEntry,
  version,
} from "./index.js";
