// The options and utilities of a collection, as apps see them. Types alone.

import type { EntityType, IMetadataDictionary } from "../documents/entity-types.js";
import type { NamedQueryCall, Names } from "../named/named-definitions.js";
import type { ConflictEvent, QueuedChange, SetName } from "../offline/offline-types.js";
import type { DocumentStore } from "../store/store-types.js";

/** A document as a row: a plain object with its id. New rows need no metadata. */
export type RavenRow<T extends object = object> = Omit<T, "id" | "@metadata"> & {
  id: string;
  "@metadata"?: IMetadataDictionary;
};

/** Where the rows come from. */
export type RavenRows<Defined extends Names = Names> =
  /** A set of `offline({ sets })`: all of it is on this device. */
  | { set: SetName<Defined>; named?: undefined }
  /** The results of a query by its name, read again when documents of `collection` have changed. */
  | (NamedQueryCall<Defined> & { set?: undefined })
  /** All documents of `collection`: for trusted networks, or where the gateway lets the caller list it. */
  | { set?: undefined; named?: undefined };

/** Options of {@link ravenCollectionOptions}. */
export type RavenCollectionOptions<T extends object, Defined extends Names = Names> = RavenRows<Defined> & {
  store: DocumentStore<Defined>;
  /** The collection of the documents, by its name or class: of new ones, and of those whose changes are followed. */
  collection: string | EntityType<T>;
  /** Default: the set, the query with its parameters, or the collection. Two collections of TanStack DB need two ids. */
  id?: string;
  /** The shortest time between two reads of a query or collection, in milliseconds; default 500. */
  every?: number;
  /** Whether the rows are read before anybody subscribes. Default: `false`. */
  startSync?: boolean;
  /** For how long rows stay in memory without subscribers, in milliseconds; default 300,000. */
  gcTime?: number;
};

/** `collection.utils`. */
export interface RavenUtils {
  /** The changes of a document that wait on this device, oldest first; empty if it is saved. */
  pending(id: string): readonly QueuedChange[];
  /** The conflicts about documents of this collection. */
  conflicts(): Promise<ConflictEvent[]>;
  /**
   * Resolves the conflict about a document: with this device's version, with the server's, or with a row.
   * @throws {RavenEdgeError} `InvalidOperation` if there is none, or a row is given although the change has several documents in conflict:
   * use {@link conflicts} then.
   */
  resolve(id: string, choice: "mine" | "theirs" | object): Promise<void>;
  /** The change vector of a row; `undefined` if changes of it wait, or there is no such row. */
  versionOf(id: string): string | undefined;
  /** The id of a new document. It is final. */
  nextId(): Promise<string>;
  /**
   * Saves the mutations of a transaction, also of several collections of one store, in one session:
   * `createTransaction({ mutationFn: collection.utils.saveAll })`.
   */
  saveAll(context: SaveContext): Promise<void>;
  /** Why rows cannot be read now; `undefined` if they can. */
  readonly error: Error | undefined;
}

/** A mutation of TanStack DB, as far as it is used here. */
export interface RowMutation {
  readonly type: "insert" | "update" | "delete";
  /** The row before; of inserts an empty object. */
  readonly original: object;
  readonly modified: object;
  /** The members that were changed. */
  readonly changes: object;
  readonly collection: { readonly utils: object };
}

/** What TanStack DB gives to the functions that save mutations. */
export interface SaveContext {
  readonly transaction: { readonly mutations: readonly RowMutation[] };
}

/** What TanStack DB gives to the function `sync` of a collection. */
export interface RowSync<Row extends object> {
  begin(): void;
  write(message: { type: "insert" | "update"; value: Row } | { type: "delete"; key: string }): void;
  commit(): unknown;
  truncate(options?: { markReady?: boolean }): void;
  markReady(): void;
  markError(error?: unknown): void;
}

/** What {@link ravenCollectionOptions} returns, for `createCollection`. */
export interface RavenCollectionConfig<Row extends object, Schema = never> {
  id: string;
  schema?: Schema;
  getKey(row: Row): string;
  autoIndex: "eager";
  /** A class of TanStack DB, whose types are not imported. */
  defaultIndexType: never;
  startSync?: boolean;
  gcTime?: number;
  sync: { rowUpdateMode: "full"; sync(sync: RowSync<Row>): () => void };
  onInsert(context: SaveContext): Promise<void>;
  onUpdate(context: SaveContext): Promise<void>;
  onDelete(context: SaveContext): Promise<void>;
  utils: RavenUtils;
}

/** What a schema (Standard Schema) makes of rows. */
export type RowOfSchema<Schema> = Schema extends {
  "~standard": { readonly types?: { readonly output: infer Row } | undefined };
}
  ? Row & object
  : never;

/** A schema by the interface Standard Schema, as Zod, Valibot and ArkType have it. */
export interface RowSchema {
  readonly "~standard": object;
}
