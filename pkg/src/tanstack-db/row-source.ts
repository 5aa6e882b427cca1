// Where the rows of a collection come from.

import type { DocumentStore } from "../store/store-types.js";
import type { PendingDocument } from "./pending-changes.js";
import type { Rows } from "./rows.js";
import type { SyncedRows } from "./synced-rows.js";

export interface RowSource {
  /** Writes rows that this page has changed, with these keys. What is read before does not change them again. */
  show(read: () => Promise<Rows>, keys: readonly string[]): Promise<void>;
  /** Whether nothing has to be read to show what this page has just made of the documents with these keys. */
  shows(keys: readonly string[]): boolean;
  /** Pending changes of these documents have begun or ended. */
  pendingChanged(documents: readonly PendingDocument[]): void;
  /** Reads nothing more. */
  stop(): void;
}

export interface RowSourceOptions {
  store: DocumentStore;
  /** The collection of new documents. */
  collection: string;
  rows: SyncedRows;
  /** All rows are there. */
  ready(): void;
  /** Called with why reading fails, and with `undefined` when it goes well again. */
  failed(error: Error | undefined): void;
}
