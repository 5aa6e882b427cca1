/**
 * Changes that wait on the device until the server has them: `session.queueChanges()` and `store.offline`. A module of its own;
 * without it nothing of this is loaded. `docs/offline.md` has the rules.
 *
 * ```ts
 * import { DocumentStore } from "raven-edge";
 * import { offline } from "raven-edge/offline";
 *
 * const store = new DocumentStore("/raven", "Shop", { keep: Infinity, offline: offline({ user: "ann" }) }).initialize();
 * ```
 */

export { offline } from "./dts/offline/offline.js";
export type {
  ChangeState,
  ConflictEvent,
  DocumentConflict,
  DocumentsOptions,
  MergeFunction,
  MergeRule,
  NamedPages,
  NeedsAuthEvent,
  OfflineDocument,
  OfflineOption,
  OfflineOptions,
  OfflineQueue,
  OfflineSet,
  OfflineStatus,
  QueuedAttachment,
  QueuedChange,
  QueuedCommand,
  QueuedCommandDetails,
  QueuedCounter,
  QueuedPatch,
  SetChange,
  SetDeclaration,
  SetDocuments,
  SetEvents,
  SetName,
  SetSettings,
  SetState,
} from "./dts/offline/offline-types.js";
