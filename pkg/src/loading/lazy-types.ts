// Lazy loads as apps see them. Only types.

import type { DocumentType, EntitiesCollectionObject, Tracked } from "../documents/entity-types.js";
import type { ConditionalLoadResult, SessionLoadStartingWithOptions } from "../session/session-options.js";

/** The value of a lazy load or query: requested when it is needed, together with all that are pending. */
export interface Lazy<T> {
  /** Whether it is loaded. */
  isValueCreated(): boolean;
  /**
   * The value, after one request for all pending lazy loads and queries; without a request if the session has it; `null` if `clear`
   * removed it. Rejects with the error of this load or query, or with what its `onEval` throws or rejects with.
   */
  getValue(): Promise<T>;
}

/**
 * Loads that are sent later: all pending lazy loads and queries are one request.
 *
 * ```ts
 * const order = session.advanced.lazily.load("orders/1-A", Order);
 * const logs = session.advanced.lazily.loadStartingWith<Log>("logs/2026-03-");
 * console.log(await order.getValue(), await logs.getValue());   // one request
 * ```
 */
export interface LazySessionOperations {
  /** As {@link DocumentSession.include}. */
  include(path: string): LazySessionOperations;
  /** As {@link DocumentSession.load}; `onEval` is called with the loaded value. */
  load<T extends object>(
    id: string,
    type: DocumentType<T>,
    onEval?: (value: T | null) => void,
  ): Lazy<T | null>;
  load<T extends object>(
    id: string,
    type?: undefined,
    onEval?: (value: Tracked<T> | null) => void,
  ): Lazy<Tracked<T> | null>;
  load<T extends object>(
    ids: string[],
    type: DocumentType<T>,
    onEval?: (value: EntitiesCollectionObject<T>) => void,
  ): Lazy<EntitiesCollectionObject<T>>;
  load<T extends object>(
    ids: string[],
    type?: undefined,
    onEval?: (value: EntitiesCollectionObject<Tracked<T>>) => void,
  ): Lazy<EntitiesCollectionObject<Tracked<T>>>;
  /** As {@link AdvancedSession.conditionalLoad}; `getValue` rejects with its errors. */
  conditionalLoad<T extends object>(
    id: string,
    changeVector: string,
    type?: DocumentType<T>,
  ): Lazy<ConditionalLoadResult<T>>;
  /** As {@link AdvancedSession.loadStartingWith}, but the result is an object with the documents by id. */
  loadStartingWith<T extends object>(
    prefix: string,
    options: SessionLoadStartingWithOptions<T> & { documentType: DocumentType<T> },
    onEval?: (value: EntitiesCollectionObject<T>) => void,
  ): Lazy<EntitiesCollectionObject<T>>;
  loadStartingWith<T extends object>(
    prefix: string,
    options?: SessionLoadStartingWithOptions<T>,
    onEval?: (value: EntitiesCollectionObject<Tracked<T>>) => void,
  ): Lazy<EntitiesCollectionObject<Tracked<T>>>;
}

/** `session.advanced.eagerly`. */
export interface EagerSessionOperations {
  /**
   * Sends all pending lazy loads and queries in one request; if none is pending, it sends none. If some fail, it rejects
   * with the error of the first one, after all have ended. If the request itself fails, they stay pending.
   */
  executeAllPendingLazyOperations(): Promise<void>;
}
