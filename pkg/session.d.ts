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
  BatchPatchCommandData,
  CompareExchangeResult,
  CompareExchangeValue,
  CopyAttachmentCommandData,
  CreateDatabaseOperation,
  DeleteAttachmentCommandData,
  DeleteAttachmentOperation,
  DeleteCommandData,
  DeleteCompareExchangeCommandData,
  DeleteCompareExchangeValueOperation,
  DeleteDatabasesOperation,
  DeleteDocumentCommand,
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
  GetStatisticsOperation,
  HeadDocumentCommand,
  HiLo,
  HiloIdGenerator,
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
  SeedIdentityForCommand,
  SeedIdentityForOperation,
  StoreAttachmentParameters,
  version,
} from "./index.js";
