// A store of ids alone, as apps see it (`raven-edge/hilo`). Types alone.

import type { DocumentConventions } from "../store/conventions.js";
import type { StoreEvents } from "../store/store-event-types.js";
import type { StoreOptions } from "../store/store-options-types.js";
import type { HiLo } from "./hilo-types.js";

/** The events of a store of ids by name, for {@link HiLoStore.on}. */
export type HiLoStoreEvents = Omit<StoreEvents, "sessionCreated">;

/** Conventions of ids; change them before {@link HiLoStore.initialize}. Defaults: `"/"`, `false`. */
export type HiLoConventions = Pick<DocumentConventions, "identityPartsSeparator" | "disableTopologyUpdates">;

/** The ids of a database. As `DocumentStore` of `raven-edge`, without sessions, commands and operations. */
export declare class HiLoStore {
  /**
   * @param urls Address of the server, or of several nodes; in a page a path such as `"/raven"`.
   * @param database Name of the database.
   */
  constructor(urls: string | string[], database: string, options?: StoreOptions);
  /** The addresses as they were given. */
  readonly urls: string[];
  /** The database's name. */
  readonly database: string;
  /** Time limit in milliseconds. */
  readonly timeout: number;
  readonly conventions: HiLoConventions;
  /**
   * Checks the configuration and begins to load the WebAssembly module; nothing is sent.
   * @throws {RavenEdgeError} `InvalidArgument`, or `Unsupported` for a certificate that this platform cannot read.
   */
  initialize(): this;
  /**
   * Resolves when the module is loaded. Needed only if the first id has to be synchronous.
   * @param tags Counters whose ids are needed synchronously (`take()`): up to eight parked numbers of each, and of those that
   * {@link hilo} has named before, come into memory, and `status().parked` is correct from then on. Without tags, a counter that is
   * named later looks for parked numbers when it is first asked, so that its first `take()` returns `undefined`. Nothing is leased.
   * @throws {RavenEdgeError} `InvalidTag` for a tag that RavenDB cannot lease safely, `InvalidOperation` for tags if no database is
   * named, `Timeout`, `LoadFailed`, `Disposed`.
   */
  ready(...tags: string[]): Promise<void>;
  /**
   * The ids of a counter, one object per tag and store. The case of tags does not matter.
   * @throws {RavenEdgeError} `InvalidOperation` before {@link initialize}, `InvalidTag` for a tag that is not a string.
   */
  hilo(tag: string): HiLo;
  /** Adds a listener, and returns the function that removes it. Listeners are called after the fact, in a microtask. */
  on<Name extends keyof HiLoStoreEvents>(
    event: Name,
    listener: (event: HiLoStoreEvents[Name]) => void,
  ): () => void;
  /** Returns unused numbers, and refuses work from then on. Never rejects for an unreachable server. */
  dispose(): Promise<void>;
  /** Returns the numbers that this instance holds in memory; it stays usable. */
  release(options?: { waitUntil?: (promise: Promise<unknown>) => void }): Promise<void>;
  /** `await using store = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}
