/**
 * RavenDB document ids and sessions for browsers and edge runtimes.
 *
 * ```ts
 * import { DocumentStore } from "raven-edge";
 *
 * const store = new DocumentStore("/raven", "Shop").initialize();
 * const session = store.openSession();
 * const order = { lines: [], "@metadata": { "@collection": "Orders" } };
 * await session.store(order);      // session.advanced.getDocumentId(order) === "orders/1-A"
 * await session.saveChanges();     // one request
 * await store.dispose();           // unused numbers go back
 * ```
 *
 * An id is never issued twice. Gaps between ids are possible.
 */

export {
  CopyAttachmentCommandData,
  DeleteAttachmentCommandData,
  MoveAttachmentCommandData,
  PutAttachmentCommandData,
  StoreAttachmentParameters,
} from "./dts/attachments/attachment-commands.js";
export type * from "./dts/attachments/attachment-types.js";
export type * from "./dts/bulk-insert/bulk-insert-types.js";
export type * from "./dts/cluster/cluster-transaction-types.js";
export { type ErrorCode, RavenEdgeError } from "./dts/common/error.js";
export { version } from "./dts/common/version.js";
export {
  CounterBatch,
  CounterOperation,
  CountersBatchCommandData,
  DocumentCountersOperation,
} from "./dts/counters/counter-commands.js";
export type * from "./dts/counters/counter-types.js";
export type { ChangeType, DocumentsChanges } from "./dts/documents/changed-documents.js";
export { CONSTANTS } from "./dts/documents/constants.js";
export type {
  ClassConstructor,
  DocumentType,
  EntitiesCollectionObject,
  EntityConstructor,
  EntityInfo,
  EntityType,
  Field,
  IDisposable,
  IMetadataDictionary,
  IRawMetadataDictionary,
  MetadataObject,
  ObjectLiteralDescriptor,
  ObjectTypeDescriptor,
  Tracked,
} from "./dts/documents/entity-types.js";
export * from "./dts/indexes/definition.js";
export { IndexDefinitionBuilder } from "./dts/indexes/definition-builder.js";
export { IndexCreation } from "./dts/indexes/deploy.js";
export * from "./dts/indexes/index-operations.js";
export * from "./dts/indexes/index-settings.js";
export * from "./dts/indexes/index-statistics.js";
export {
  AbstractCommonApiForIndexes,
  AbstractCsharpIndexCreationTask,
  /** The names of npm `ravendb` before version 5. */
  AbstractCsharpIndexCreationTask as AbstractIndexCreationTask,
  AbstractCsharpMultiMapIndexCreationTask,
  AbstractCsharpMultiMapIndexCreationTask as AbstractMultiMapIndexCreationTask,
  AbstractGenericIndexCreationTask,
  AbstractIndexCreationTaskBase,
  AbstractRawJavaScriptIndexCreationTask,
  type IAbstractIndexCreationTask,
} from "./dts/indexes/index-tasks.js";
export * from "./dts/indexes/javascript-tasks.js";
export * from "./dts/indexes/spatial-options.js";
export * from "./dts/indexes/value-index-tasks.js";
export type {
  CounterChange,
  CounterChangeTypes,
  DocumentChange,
  DocumentChangeTypes,
  IChangesObservable,
  IDatabaseChanges,
  IndexChange,
  IndexChangeTypes,
  OperationStatusChange,
  TimeSeriesChange,
  TimeSeriesChangeTypes,
} from "./dts/live/changes-types.js";
export type {
  WatchCallback,
  WatchOptions,
  WatchState,
  WatchStateOf,
} from "./dts/live/watching/watch.js";
export type { LiveSocket, WebSocketClass } from "./dts/live/web-socket.js";
export type {
  EagerSessionOperations,
  EagerSessionOperations as IEagerSessionOperations,
  Lazy,
  LazySessionOperations,
  LazySessionOperations as ILazySessionOperations,
} from "./dts/loading/lazy-types.js";
export type {
  Claims,
  NamedPatchOptions,
  NamedQueryCall,
  NamedQueryOptions,
  Names,
  ParameterValue,
  ParameterValues,
} from "./dts/named/named-definitions.js";
export type {
  NamedDocumentQuery,
  NamedQueryResult,
  NamedQueryStatistics,
} from "./dts/named/named-query-types.js";
export { HiloIdGenerator, MultiDatabaseHiLoIdGenerator } from "./dts/numbers/hilo-generators.js";
export { HiLo, type HiLoStatus, type IHiLoIdGenerator, type NextId } from "./dts/numbers/hilo-types.js";
export type {
  ClassicSource,
  DocumentSource,
  Hi,
  LeasedRange,
  OwnSource,
  ReleasedRange,
  ServerSource,
} from "./dts/numbers/source-types.js";
export {
  DeleteAttachmentOperation,
  GetAttachmentOperation,
  PutAttachmentOperation,
} from "./dts/operations/attachment-operations.js";
export * from "./dts/operations/compare-exchange.js";
export { CounterBatchOperation, GetCountersOperation } from "./dts/operations/counter-operations.js";
export * from "./dts/operations/databases.js";
export * from "./dts/operations/document-commands.js";
export * from "./dts/operations/identities.js";
export {
  AwaitableMaintenanceOperation,
  GetOperationStateOperation,
  OperationCompletionAwaiter,
  type OperationState,
} from "./dts/operations/operation-completion.js";
export type {
  AwaitableOperation,
  IAwaitableOperation,
  IMaintenanceOperation,
  IOperation,
  IServerOperation,
  MaintenanceOperationExecutor,
  OperationExecutor,
  OperationIdResult,
  RavenCommand,
  RavenOperation,
} from "./dts/operations/operation-types.js";
export {
  DeleteByQueryOperation,
  PatchByQueryOperation,
  PatchOperation,
  type PatchOperationResult,
  type PatchStatus,
  type QueryOperationOptions,
} from "./dts/operations/patch-operations.js";
export * from "./dts/operations/statistics.js";
export {
  BatchPatchCommandData,
  type IdAndChangeVector,
  PatchCommandData,
  PatchRequest,
} from "./dts/patching/patch-request.js";
export { JavaScriptArray, JavaScriptMap } from "./dts/patching/script-arrays-and-maps.js";
export {
  DocumentQuery,
  GroupByDocumentQuery,
  type IDocumentQuery,
  type QueryClauses,
} from "./dts/query/document-query-types.js";
export type { FieldOf } from "./dts/query/field-paths.js";
export { GroupBy, GroupByField } from "./dts/query/group-by.js";
export { IndexQuery } from "./dts/query/index-query.js";
export { QueryData } from "./dts/query/query-data.js";
export type {
  DocumentQueryOptions,
  IndexWithName,
  NullsOrdering,
  OrderingOptions,
  OrderingType,
  ProjectionBehavior,
  QueriedIndex,
  QueryOperator,
  QueryValue,
  SearchOperator,
} from "./dts/query/query-options.js";
export {
  type IDocumentQueryCustomization,
  type IRawDocumentQuery,
  type QueryEvents,
  type QueryResult,
  QueryStatistics,
  QueryTimings,
  RawDocumentQuery,
} from "./dts/query/raw-query-types.js";
export * from "./dts/query-extras/exports.js";
export {
  ConfigureRevisionsForConflictsOperation,
  ConfigureRevisionsOperation,
  ConfigureRevisionsOperationResult,
  EnforceRevisionsConfigurationOperation,
  type EnforceRevisionsParameters,
  GetRevisionsOperation,
  type GetRevisionsParameters,
  RevisionsCollectionConfiguration,
  RevisionsConfiguration,
  RevisionsResult,
} from "./dts/revisions/revision-operations.js";
export type * from "./dts/revisions/revision-types.js";
export {
  DeleteCommandData,
  DeleteCompareExchangeCommandData,
  type ICommandData,
  PutCommandDataBase,
  PutCommandDataWithJson,
  PutCompareExchangeCommandData,
} from "./dts/saving/batch-commands.js";
export type {
  ConditionalLoadResult,
  EntityToJson,
  IndexBatchOptions,
  ReplicationBatchOptions,
  ServerNode,
  SessionInfo,
  SessionLoadStartingWithOptions,
  StartingWithOptions,
  WritableTarget,
} from "./dts/session/advanced-options.js";
export type {
  AdvancedSession,
  IAdvancedSessionOperations,
} from "./dts/session/advanced-session-types.js";
export {
  DocumentSession,
  type IDocumentSession,
  type LoaderWithInclude,
  type LoaderWithInclude as ILoaderWithInclude,
} from "./dts/session/document-session-types.js";
export type {
  InMemoryDocumentSessionOperations,
  SessionEvents,
} from "./dts/session/session-events.js";
export {
  SessionAfterSaveChangesEventArgs,
  SessionBeforeDeleteEventArgs,
  SessionBeforeStoreEventArgs,
} from "./dts/session/session-events.js";
export type {
  IncludeBuilder,
  IncludeBuilder as IIncludeBuilder,
  LoadOptions,
  OfflineReading,
  OptimisticConcurrencyMode,
  SessionOptions,
  StoreDocumentOptions,
  TransactionMode,
} from "./dts/session/session-options.js";
export type { Absent, AbsentOfStore } from "./dts/store/absent-members.js";
export {
  AfterConversionToDocumentEventArgs,
  AfterConversionToEntityEventArgs,
  BeforeConversionToDocumentEventArgs,
  BeforeConversionToEntityEventArgs,
  BeforeRequestEventArgs,
  BulkInsertOnProgressEventArgs,
  EntityObjectLiteralDescriptor,
  FailedRequestEventArgs,
  PropsBasedObjectLiteralDescriptor,
  RequestExecutor,
  SessionBeforeQueryEventArgs,
  SucceedRequestEventArgs,
  TopologyUpdatedEventArgs,
} from "./dts/store/classes-as-values.js";
export type { IdConvention } from "./dts/store/convention-settings.js";
export { DocumentConventions } from "./dts/store/conventions.js";
export type { HttpCache } from "./dts/store/request-executor-types.js";
export type {
  LeaseEvent,
  RegressionEvent,
  RequestEvents,
  ReturnEvent,
  SessionEventArgs,
  SessionEventArgs as SessionCreatedEventArgs,
  SessionEventArgs as SessionDisposingEventArgs,
  StorageEvent,
  StoreEvents,
  StoreSessionEvents,
} from "./dts/store/store-event-types.js";
export type {
  HeadersSource,
  IAuthOptions,
  IRequestAuthOptions,
  IStoreAuthOptions,
  StoreOptions,
} from "./dts/store/store-options-types.js";
export {
  DocumentStore,
  DocumentStore as default,
  type IDocumentStore,
  type WatchedQuery,
} from "./dts/store/store-types.js";
export type {
  DocumentResultStream,
  NodeWritable,
  OpenedStream,
  StreamedQuery,
  StreamOptions,
  StreamQueryStatistics,
  StreamResult,
} from "./dts/stream/stream-types.js";
export type * from "./dts/subscriptions/subscription-types.js";
export {
  TimeSeriesEntry,
  TypedTimeSeriesEntry,
  TypedTimeSeriesRollupEntry,
} from "./dts/time-series/entries/entries.js";
export { TimeSeriesIncludeBuilder } from "./dts/time-series/entries/read-requests.js";
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
} from "./dts/time-series/entries/results.js";
export {
  type TimeSeriesValue,
  type TimeSeriesValueField,
  TimeSeriesValuesHelper,
} from "./dts/time-series/entries/value-names.js";
export * from "./dts/time-series/operations/configure-operations.js";
export * from "./dts/time-series/operations/operations.js";
export * from "./dts/time-series/operations/policies.js";
export * from "./dts/time-series/operations/time-series-operation.js";
export type * from "./dts/time-series/operations/time-series-types.js";
export { TimeValue, type TimeValueUnit } from "./dts/time-series/operations/time-value.js";
export type * from "./dts/time-series/session/session-series-types.js";
export type { TimeSeriesOperations } from "./dts/time-series/store-types.js";
export type { TraceHandle, TraceListener, TraceSpan } from "./dts/tracing/trace-types.js";
