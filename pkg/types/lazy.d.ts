// What is asked for together, later.

import type { ConditionalLoadResult, SessionLoadStartingWithOptions } from "./advanced.js";
import type { DocumentType, EntitiesCollectionObject, Tracked } from "./entities.js";

/** A value that is not loaded yet. */
export interface Lazy<T> {
  /** Whether it is. */
  isValueCreated(): boolean;
  /**
   * It, after one request for everything that is pending; without one if the session has it; null if `clear` forgot it.
   * Rejects with its own error, or what its `onEval` throws or rejects with: it may be asynchronous.
   */
  getValue(): Promise<T>;
}

/**
 * Loads that wait.
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
  /** As {@link DocumentSession.load}; `onEval` is called with the value once it is there. */
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
  /** As {@link AdvancedSession.conditionalLoad}; its errors are those of `getValue`. */
  conditionalLoad<T extends object>(
    id: string,
    changeVector: string,
    type?: DocumentType<T>,
  ): Lazy<ConditionalLoadResult<T>>;
  /** As {@link AdvancedSession.loadStartingWith}, but by id. */
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
   * Sends all pending loads in one request; none when there are none. Rejects with the first error of one of them, once
   * all are settled; a request that fails on its way leaves them pending.
   */
  executeAllPendingLazyOperations(): Promise<void>;
}
