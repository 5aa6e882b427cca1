/**
 * `raven-edge` without queries, indexes, streams and patches: ids, and sessions that load by id, in a tenth fewer bytes.
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
 * It shares parked numbers with `raven-edge` on the same origin, and keeps the same law: an id is never issued twice.
 */

import type {
  AdvancedSession as AllOfAdvanced,
  DocumentSession as AllOfSession,
  DocumentStore as AllOfStore,
  SessionOptions,
  StoreOptions,
} from "./index.js";

export type * from "./index.js";
export {
  BatchPatchCommandData,
  CreateDatabaseOperation,
  DeleteCommandData,
  DeleteDatabasesOperation,
  DeleteDocumentCommand,
  DocumentConventions,
  GetCollectionStatisticsOperation,
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
  MultiDatabaseHiLoIdGenerator,
  NextIdentityForCommand,
  NextIdentityForOperation,
  PatchCommandData,
  PatchRequest,
  PutCommandDataBase,
  PutCommandDataWithJson,
  PutDocumentCommand,
  RavenEdgeError,
  SeedIdentityForCommand,
  SeedIdentityForOperation,
  version,
} from "./index.js";

/** What reads or writes many documents, or parts of them. */
type OfQueries =
  | "documentQuery"
  | "rawQuery"
  | "stream"
  | "patch"
  | "increment"
  | "patchArray"
  | "patchObject"
  | "addOrPatch"
  | "addOrIncrement"
  | "addOrPatchArray";

/** As that of `raven-edge`, without queries, streams and patches. */
export interface AdvancedSession extends Omit<AllOfAdvanced, OfQueries> {}

/** As that of `raven-edge`, without queries. */
export interface DocumentSession extends Omit<AllOfSession, "query" | "advanced"> {
  readonly advanced: AdvancedSession;
}

/** As that of `raven-edge`, with sessions that do not query. */
export interface DocumentStore
  extends Omit<AllOfStore, "initialize" | "openSession" | "executeIndex" | "executeIndexes"> {
  initialize(): this;
  openSession(options?: string | SessionOptions): DocumentSession;
}

/** As that of `raven-edge`. */
export const DocumentStore: new (
  urls: string | string[],
  database?: string,
  options?: StoreOptions | null,
) => DocumentStore;

export default DocumentStore;
