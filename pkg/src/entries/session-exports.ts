// What every entry with sessions exports, beside its own store.

export {
  CopyAttachmentCommandData,
  DeleteAttachmentCommandData,
  MoveAttachmentCommandData,
  PutAttachmentCommandData,
  StoreAttachmentParameters,
} from "../attachments/attachment-commands.js";
export { RavenEdgeError } from "../common/error.js";
export { version } from "../common/version.js";
export {
  CounterBatch,
  CounterOperation,
  CountersBatchCommandData,
  DocumentCountersOperation,
} from "../counters/counter-commands.js";
export { CONSTANTS } from "../documents/constants.js";
export { HiLo } from "../numbers/hilo.js";
export { HiloIdGenerator, MultiDatabaseHiLoIdGenerator } from "../numbers/hilo-generators.js";
export {
  DeleteAttachmentOperation,
  GetAttachmentOperation,
  PutAttachmentOperation,
} from "../operations/attachment-operations.js";
export {
  CompareExchangeResult,
  CompareExchangeValue,
  DeleteCompareExchangeValueOperation,
  GetCompareExchangeValueOperation,
  GetCompareExchangeValuesOperation,
  PutCompareExchangeValueOperation,
} from "../operations/compare-exchange.js";
export { CounterBatchOperation, GetCountersOperation } from "../operations/counter-operations.js";
export {
  CreateDatabaseOperation,
  DeleteDatabasesOperation,
  GetBuildNumberOperation,
  GetDatabaseNamesOperation,
} from "../operations/databases.js";
export {
  DeleteDocumentCommand,
  GetDocumentsCommand,
  HeadDocumentCommand,
  PutDocumentCommand,
} from "../operations/document-commands.js";
export {
  GetIdentitiesOperation,
  NextIdentityForCommand,
  NextIdentityForOperation,
  SeedIdentityForCommand,
  SeedIdentityForOperation,
} from "../operations/identities.js";
export {
  GetCollectionStatisticsOperation,
  GetDetailedCollectionStatisticsOperation,
  GetDetailedStatisticsOperation,
  GetEssentialStatisticsOperation,
  GetStatisticsOperation,
} from "../operations/statistics.js";
export { BatchPatchCommandData, PatchCommandData, PatchRequest } from "../patching/patch-request.js";
export {
  ConfigureRevisionsForConflictsOperation,
  ConfigureRevisionsOperation,
  ConfigureRevisionsOperationResult,
  EnforceRevisionsConfigurationOperation,
  GetRevisionsOperation,
  RevisionsCollectionConfiguration,
  RevisionsConfiguration,
  RevisionsResult,
} from "../revisions/revision-operations.js";
export {
  DeleteCommandData,
  DeleteCompareExchangeCommandData,
  PutCommandDataBase,
  PutCommandDataWithJson,
  PutCompareExchangeCommandData,
} from "../saving/batch-commands.js";
export { DocumentSession } from "../session/advanced.js";
export {
  SessionAfterSaveChangesEventArgs,
  SessionBeforeDeleteEventArgs,
  SessionBeforeStoreEventArgs,
} from "../session/session-events.js";
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
} from "../store/classes-as-values.js";
export { DocumentConventions } from "../store/conventions.js";
export * from "../time-series/exports.js";
