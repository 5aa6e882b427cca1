// Ids of one collection, as apps see them. Types alone.

import type { ObjectTypeDescriptor } from "../documents/entity-types.js";

/** The numbers that a counter has. */
export interface HiLoStatus {
  /** Numbers in memory. */
  atHand: number;
  /** Numbers parked on the device when it was last read; 0 before the first read, and where nothing can be parked. */
  parked: number;
  /** The numbers in memory, in the order in which they are issued; {@link atHand} is their count. */
  held: { low: number; high: number }[];
  /** Whether a lease is under way. */
  leasing: boolean;
  /** Lowest number of the lease that the next id comes from; absent before the first lease. */
  low?: number;
  /** Highest number of that lease. */
  high?: number;
  /** Node tag of that lease. */
  nodeTag?: string;
  /** An opaque text that the client sends when it returns unused numbers of that lease; absent if they cannot be returned. */
  fence?: string;
}

/**
 * Ids without documents.
 *
 * ```ts
 * const ids = store.hilo("orders");
 * const id = ids.take() ?? (await ids.next());
 * ```
 */
export declare class HiLo {
  private constructor();
  /** Name of the counter. */
  readonly tag: string;
  /**
   * The next id, synchronously; `undefined` if memory has none: a number on the device that is lower is never skipped. In that case as
   * many numbers as were requested in vain are read from the device or leased: `take() ?? await next()`. From the first call on, one
   * number is in memory ahead of need; if it is unused when the page is left, it can be a gap.
   */
  take(): string | undefined;
  /**
   * The next id.
   * @throws {RavenEdgeError} `Timeout` after the store's time limit, `Disposed`, `InvalidTag`, or the error of the server.
   */
  next(): Promise<string>;
  /**
   * Resolves when that many numbers, 0 to 1,048,576, are reserved for a time without a connection: in a page they are parked on the
   * device, whatever `keep` says, and {@link next} brings them into memory; where nothing can be parked they are in memory. 0 ends
   * the reservation.
   *
   * ```ts
   * await store.hilo("orders").reserve(1_000);   // before the connection is lost
   * ```
   * @throws {RavenEdgeError} as {@link next}; `InvalidArgument` for another count.
   */
  reserve(count: number): Promise<void>;
  /** The numbers in memory and on the device, for a user interface. */
  status(): HiLoStatus;
}

/** Numbers and ids by the name of a database, as in npm `ravendb`: {@link DocumentStore.hiLoIdGenerator}. */
export interface IHiLoIdGenerator {
  /**
   * The next number of a collection, of the collection of a class, or of that of an entity. The numbers are those of
   * {@link DocumentStore.hilo}.
   * @param database Default (`null`, `undefined`): that of the store.
   * @throws {RavenEdgeError} as {@link HiLo.next}.
   */
  generateNextIdFor(
    database: string | null | undefined,
    target: string | ObjectTypeDescriptor | object,
  ): Promise<number>;
  /**
   * The next id of an entity; `null` (not in the type, as in npm `ravendb`) for an entity without a collection, whose id the server
   * makes.
   */
  generateDocumentId(database: string | null | undefined, entity: object): Promise<string>;
}

/** A number, and the tag of the node that granted it; `""` if the source has none. */
export interface NextId {
  id: number;
  serverTag: string;
}
