// What has changed in a session.

export type { ChangeType, DocumentsChanges } from "../dts/documents/changes.js";
