// What every entry with sessions exports, beside its own store.

export { version } from "../gen/version.js";
export { HiloIdGenerator, MultiDatabaseHiLoIdGenerator } from "./apart/hilo-generators.js";
export { DeleteCommandData, PutCommandDataBase, PutCommandDataWithJson } from "./batch.js";
export {
  DeleteDocumentCommand,
  GetDocumentsCommand,
  HeadDocumentCommand,
  PutDocumentCommand,
} from "./commands.js";
export { DocumentConventions } from "./conventions.js";
export { CreateDatabaseOperation, DeleteDatabasesOperation, GetDatabaseNamesOperation } from "./databases.js";
export { DocumentSession } from "./document-session.js";
export { RavenEdgeError } from "./error.js";
export { HiLo } from "./hilo.js";
export {
  GetIdentitiesOperation,
  NextIdentityForCommand,
  NextIdentityForOperation,
  SeedIdentityForCommand,
  SeedIdentityForOperation,
} from "./identities.js";
export { BatchPatchCommandData, PatchCommandData, PatchRequest } from "./patch.js";
export {
  GetCollectionStatisticsOperation,
  GetDetailedCollectionStatisticsOperation,
  GetDetailedStatisticsOperation,
  GetEssentialStatisticsOperation,
  GetStatisticsOperation,
} from "./statistics.js";
