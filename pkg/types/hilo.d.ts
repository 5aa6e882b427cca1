// Ids of one collection.

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
