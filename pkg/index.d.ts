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

export type * from "./dts/attachments/attachment-types.js";
export type * from "./dts/bulk-insert/bulk-insert-types.js";
export type * from "./dts/cluster/cluster-transaction-types.js";
export type * from "./dts/counters/counter-types.js";
export type { ChangeType, DocumentsChanges } from "./dts/documents/document-differences.js";
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
export * from "./dts/entries/query-classes.js";
export * from "./dts/entries/session-classes.js";
export type { IndexStore } from "./dts/indexes/index-tasks.js";
export {
  AbstractGenericIndexCreationTask,
  AbstractIndexCreationTaskBase,
} from "./dts/indexes/index-tasks.js";
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
  WatchCallback,
  WatchOptions,
  WatchState,
  WatchStateOf,
} from "./dts/live/live-types.js";
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
export { HiLo, type HiLoStatus, type IHiLoIdGenerator, type NextId } from "./dts/numbers/hilo-types.js";
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
  DocumentQuery,
  type FieldOf,
  GroupByDocumentQuery,
  type IDocumentQuery,
  type QueryClauses,
} from "./dts/query/document-query-types.js";
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
export type * from "./dts/revisions/revision-types.js";
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
  ConditionalLoadResult,
  EntityToJson,
  IncludeBuilder,
  IncludeBuilder as IIncludeBuilder,
  IndexBatchOptions,
  LoadOptions,
  OfflineReading,
  OptimisticConcurrencyMode,
  ReplicationBatchOptions,
  ServerNode,
  SessionInfo,
  SessionLoadStartingWithOptions,
  SessionOptions,
  StartingWithOptions,
  StoreDocumentOptions,
  TransactionMode,
  WritableTarget,
} from "./dts/session/session-options.js";
// The class, not the interface of the same name that is among the types of bulk inserts.
export { BulkInsertOnProgressEventArgs } from "./dts/store/classes-as-values.js";
export type { IdConvention } from "./dts/store/convention-settings.js";
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
  ClassicSource,
  DocumentSource,
  HeadersSource,
  Hi,
  IAuthOptions,
  IRequestAuthOptions,
  IStoreAuthOptions,
  LeasedRange,
  LiveSocket,
  OwnSource,
  ReleasedRange,
  ServerSource,
  StoreOptions,
  WebSocketClass,
} from "./dts/store/store-options-types.js";
export type { Absent, AbsentOfStore, HttpCache } from "./dts/store/store-types.js";
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
export type * from "./dts/time-series/operations/time-series-types.js";
export type * from "./dts/time-series/operations/time-series-types.js";
export type { TimeSeriesOperations } from "./dts/time-series/store-types.js";
export type { TraceHandle, TraceListener, TraceSpan } from "./dts/tracing/trace-types.js";
