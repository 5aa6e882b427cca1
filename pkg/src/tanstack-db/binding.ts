// What belongs to a collection of TanStack DB: its store, and where its rows are written.

import type { DocumentStore } from "../store/store-types.js";
import type { PendingChanges } from "./pending-changes.js";
import type { RowSource } from "./row-source.js";

export interface Binding {
  readonly store: DocumentStore;
  /** The collection of new documents. */
  readonly collection: string;
  readonly pending: PendingChanges;
  /** `undefined` while nobody subscribes to the collection. */
  source: RowSource | undefined;
}

/** The bindings of collections, by their `utils`. */
export const bindings = new WeakMap<object, Binding>();
