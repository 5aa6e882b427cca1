/**
 * RavenDB document ids alone: the counters of `raven-edge` without its sessions, in about half of its bytes.
 *
 * ```ts
 * import { HiLoStore } from "raven-edge/hilo";
 *
 * const store = new HiLoStore("/raven", "Shop").initialize();
 * const id = await store.hilo("orders").next();      // "orders/1-A"
 * await store.dispose();                             // unused numbers go back
 * ```
 *
 * It shares parked numbers with `raven-edge` on the same origin, and keeps the same law: an id is never issued twice.
 */

import type { DocumentConventions, HiLo, StoreEvents, StoreOptions } from "./index.js";

export type {
  BeforeRequestEventArgs,
  ClassicSource,
  DocumentSource,
  ErrorCode,
  FailedRequestEventArgs,
  HeadersSource,
  Hi,
  HiLoStatus,
  LeasedRange,
  LeaseEvent,
  OwnSource,
  RegressionEvent,
  ReleasedRange,
  ReturnEvent,
  ServerSource,
  StorageEvent,
  StoreOptions,
  SucceedRequestEventArgs,
} from "./index.js";
export { HiLo, RavenEdgeError, version } from "./index.js";

/** The events of a store of ids by name, for {@link HiLoStore.on}. */
export type HiLoStoreEvents = Omit<StoreEvents, "sessionCreated">;

/** What can be said of names; change it before {@link HiLoStore.initialize}. Defaults: `"/"`, `false`. */
export type HiLoConventions = Pick<DocumentConventions, "identityPartsSeparator" | "disableTopologyUpdates">;

/** The ids of a database. As `DocumentStore` of `raven-edge`, without sessions, commands and operations. */
export class HiLoStore {
  /**
   * @param urls Address of the server, or of several nodes; in a page a path such as `"/raven"`.
   * @param database Name of the database.
   */
  constructor(urls: string | string[], database: string, options?: StoreOptions);
  /** The addresses given. */
  readonly urls: string[];
  /** The database's name. */
  readonly database: string;
  /** Time limit in milliseconds. */
  readonly timeout: number;
  readonly conventions: HiLoConventions;
  /**
   * Checks the configuration and begins to load the WebAssembly module; nothing is sent.
   * @throws {RavenEdgeError} `InvalidArgument`, or `Unsupported` for a certificate where there is none to read.
   */
  initialize(): this;
  /**
   * Resolves once the module is there. Only needed where the first id has to come synchronously.
   * @param tags Counters whose ids are wanted synchronously (`take()`): of each, and of those named by `hilo()` before, up to eight
   * parked numbers come into memory, and `status().parked` is true from here on. Without tags, a counter that is named later looks
   * for parked numbers when it is first asked, so that its first `take()` gives `undefined`. Nothing is leased.
   * @throws {RavenEdgeError} `InvalidTag` for a tag that RavenDB cannot lease safely, `InvalidOperation` for tags where no database is
   * named, `Timeout`, `LoadFailed`, `Disposed`.
   */
  ready(...tags: string[]): Promise<void>;
  /**
   * The ids of a counter, one per tag and store, whatever its case.
   * @throws {RavenEdgeError} `InvalidOperation` before {@link initialize}, `InvalidTag` for what is no string.
   */
  hilo(tag: string): HiLo;
  /** Listens to an event; gives the function that stops it. Listeners are called after the fact, in a microtask. */
  on<Name extends keyof HiLoStoreEvents>(
    event: Name,
    listener: (event: HiLoStoreEvents[Name]) => void,
  ): () => void;
  /** Gives back what is unused and refuses work from then on. Never rejects for an unreachable server. */
  dispose(): Promise<void>;
  /** Gives back what this instance holds in memory; it stays usable. */
  release(options?: { waitUntil?: (promise: Promise<unknown>) => void }): Promise<void>;
  /** `await using store = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}
