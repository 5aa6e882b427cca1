// Ids of one collection.

import type { ObjectTypeDescriptor } from "./entities.js";
import type { DocumentStore } from "./store.js";

/** What is at hand of a tag. */
export interface HiLoStatus {
  /** Numbers in memory. */
  atHand: number;
  /** Numbers parked on the device, as the last look saw it; 0 before the first look, and where nothing can be parked. */
  parked: number;
  /** The numbers in memory, in the order in which they come; `atHand` says how many. */
  held: { low: number; high: number }[];
  /** Whether a lease is on its way. */
  leasing: boolean;
  /** Lowest number of the lease that the next id comes from; absent before the first lease. */
  low?: number;
  /** Highest number of that lease. */
  high?: number;
  /** Node tag of that lease. */
  nodeTag?: string;
  /** Under which its rest can go back, an opaque text; absent when it cannot. */
  fence?: string;
}

/**
 * Ids alone.
 *
 * ```ts
 * const ids = store.hilo("orders");
 * const id = ids.take() ?? (await ids.next());
 * ```
 */
export class HiLo {
  private constructor();
  /** Name of the counter. */
  readonly tag: string;
  /**
   * The next id, synchronously; `undefined` when memory has none. Then as many are fetched from the device or leased as were
   * asked for in vain: `take() ?? await next()`.
   */
  take(): string | undefined;
  /**
   * The next id.
   * @throws {RavenEdgeError} `Timeout` after the store's time limit, `Disposed`, `InvalidTag`, or what the server said.
   */
  next(): Promise<string>;
  /**
   * Resolves when that many numbers, 0 to 1,048,576, outlive what comes: in a page they are parked on the device, whatever
   * `keep` says, and {@link next} brings them into memory; where nothing can be parked they are in memory. 0 lifts it.
   *
   * ```ts
   * await store.hilo("orders").reserve(1_000);   // before the connection goes
   * ```
   * @throws {RavenEdgeError} as {@link next} does, `InvalidArgument` for another count.
   */
  reserve(count: number): Promise<void>;
  /** What is at hand, for a user interface. */
  status(): HiLoStatus;
}

/** Numbers and ids by the name of a database, as npm `ravendb` has them: {@link DocumentStore.hiLoIdGenerator}. */
export interface IHiLoIdGenerator {
  /**
   * The next number of a collection, of that of a class, or of that of an entity. The numbers are those of
   * {@link DocumentStore.hilo}.
   * @param database Default (`null`, `undefined`): that of the store.
   * @throws {RavenEdgeError} as {@link HiLo.next}.
   */
  generateNextIdFor(
    database: string | null | undefined,
    target: string | ObjectTypeDescriptor | object,
  ): Promise<number>;
  /** The next id of an entity; `null` for one without collection, whose id the server makes. */
  generateDocumentId(database: string | null | undefined, entity: object): Promise<string>;
}

/** The numbers of a store's databases. */
export class MultiDatabaseHiLoIdGenerator implements IHiLoIdGenerator {
  constructor(store: DocumentStore);
  generateNextIdFor(
    database: string | null | undefined,
    target: string | ObjectTypeDescriptor | object,
  ): Promise<number>;
  generateDocumentId(database: string | null | undefined, entity: object): Promise<string>;
  /** As {@link DocumentStore.release}. */
  returnUnusedRange(): Promise<void>;
}

/** A number, and the tag of the node that granted it; `""` where the source has none. */
export interface NextId {
  id: number;
  serverTag: string;
}

/** The numbers of one tag; they are those of {@link DocumentStore.hilo}. */
export class HiloIdGenerator {
  /**
   * @param database Default (`null`, `undefined`): that of the store.
   * @param identityPartsSeparator That of the conventions.
   * @throws {RavenEdgeError} `InvalidArgument` for another separator than that of the conventions.
   */
  constructor(tag: string, store: DocumentStore, database?: string | null, identityPartsSeparator?: string);
  getNextId(): Promise<NextId>;
  /** The next id; the entity is not looked at. */
  generateDocumentId(entity?: object): Promise<string>;
  /** What memory has of this tag goes back. */
  returnUnusedRange(): Promise<void>;
}
