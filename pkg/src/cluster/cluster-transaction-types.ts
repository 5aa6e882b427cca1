// Compare-exchange values in a cluster-wide session as apps see them. Types alone; names are those of npm `ravendb`.

import type { Lazy } from "../loading/lazy-types.js";
import type {
  CompareExchangeResultClass,
  CompareExchangeValue,
} from "../operations/compare-exchange-value.js";

/** What needs no request; see {@link IClusterTransactionOperations}. */
export interface IClusterTransactionOperationsBase {
  /**
   * Deletes a value with the next `saveChanges`, if it has this index then; else the save fails with `Concurrency`.
   * @throws {RavenEdgeError} `InvalidArgument` for a blank key, or an index that is none; `InvalidOperation` if the session is to create
   * or delete the value.
   */
  deleteCompareExchangeValue(key: string, index: number): void;
  deleteCompareExchangeValue<T>(item: CompareExchangeValue<T>): void;
  /**
   * Creates a value with the next `saveChanges`, if its key is free then; else the save fails with `Concurrency`.
   * @returns The value, whose members may be changed until the save.
   * @throws {RavenEdgeError} `InvalidArgument` for a blank key; `InvalidOperation` if the session has a value with this key, or is to
   * delete it.
   */
  createCompareExchangeValue<T>(key: string, item: T): CompareExchangeValue<T>;
}

/** Values by key; `null` for each that does not exist. */
export type CompareExchangeValues<T> = Record<string, CompareExchangeValue<T> | null>;

/**
 * Compare-exchange values of a cluster-wide session. The session tracks them: one object for each key, and `saveChanges` sends those whose
 * `value` or `metadata` the app has changed, in one transaction with the documents.
 */
export interface IClusterTransactionOperations extends IClusterTransactionOperationsBase {
  /** A value, `null` if it does not exist. No request if the session knows it. */
  getCompareExchangeValue<T>(
    key: string,
    type?: CompareExchangeResultClass<T>,
  ): Promise<CompareExchangeValue<T> | null>;
  /** Values by their keys. No request if the session knows all. */
  getCompareExchangeValues<T>(
    keys: string[],
    type?: CompareExchangeResultClass<T>,
  ): Promise<CompareExchangeValues<T>>;
  /**
   * Values by the prefix of their keys; always a request. A value that the app has changed stays as it is.
   * @param start How many are skipped; default 0.
   * @param pageSize How many at most; default 25.
   */
  getCompareExchangeValues<T>(
    startsWith: string,
    type?: CompareExchangeResultClass<T>,
    start?: number,
    pageSize?: number,
  ): Promise<CompareExchangeValues<T>>;
  /** Reads that wait, and are sent as one request with other lazy ones. */
  lazily: ILazyClusterTransactionOperations;
}

/** See {@link IClusterTransactionOperations.lazily}. */
export interface ILazyClusterTransactionOperations {
  getCompareExchangeValue<T>(
    key: string,
    type?: CompareExchangeResultClass<T>,
  ): Lazy<CompareExchangeValue<T> | null>;
  getCompareExchangeValues<T>(
    keys: string[],
    type?: CompareExchangeResultClass<T>,
  ): Lazy<CompareExchangeValues<T>>;
}

/** Includes compare-exchange values in a load or query of a cluster-wide session. */
export interface ICompareExchangeValueIncludeBuilder<TBuilder> {
  /** The values whose keys are at a path: `getCompareExchangeValue` then needs no request. */
  includeCompareExchangeValue(path: string): TBuilder;
}
