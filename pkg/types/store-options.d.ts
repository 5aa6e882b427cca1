// How a store is opened.

import type { ClassicSource, DocumentSource, OwnSource, ServerSource } from "./sources.js";

/** Makes headers for a request; called synchronously before every request, the last one included. */
export type HeadersSource = () => NonNullable<ConstructorParameters<typeof Headers>[0]>;

/**
 * Options of a store. The first four are those of npm `ravendb`'s third argument.
 */
export interface StoreOptions {
  /** Client certificate, PEM text (with its key) or PFX bytes. Node, Deno and Bun only; elsewhere give a {@link fetch}. */
  certificate?: string | Uint8Array;
  /** Form of {@link certificate}; default `"pem"`. */
  type?: "pem" | "pfx";
  /** Password of the certificate's key. */
  password?: string;
  /** Certificate authority that signed the server's certificate, in PEM. */
  ca?: string | Uint8Array;
  /** Headers for every request, such as an authorization of your gateway. Default: none. */
  headers?: HeadersSource;
  /** Sends the requests; default the global `fetch`. A Worker's mTLS or service binding: `env.RAVEN.fetch.bind(env.RAVEN)`. */
  fetch?: typeof fetch;
  /**
   * Keeps a Worker's request alive for what others profit from: a lease under way when its caller goes away, a read of the
   * topology. Default: such work ends with its request, which loses numbers and nothing else.
   *
   * ```ts
   * import { waitUntil } from "cloudflare:workers";
   * const store = new DocumentStore(url, "Shop", { waitUntil });
   * ```
   */
  waitUntil?: (promise: Promise<unknown>) => void;
  /** Time limit in milliseconds of a request, and of a caller who waits for an id. Default 15,000. */
  timeout?: number;
  /**
   * How many numbers of a tag stay parked on the device (IndexedDB) for the next page: a number for all tags, or one by
   * tag. What exceeds it goes back when the page goes; it leases nothing by itself, {@link HiLo.reserve} does. `0`: everything
   * goes back. `Infinity`: nothing does, for offline-first apps. Default: 8, and 8 more for every further number that the
   * device uses.
   *
   * ```ts
   * new DocumentStore("/raven", "Shop", { keep: { orders: 100, notes: 0 } });
   * ```
   */
  keep?: number | Record<string, number>;
  /**
   * How many numbers a range has: a whole number from 1 to 1,048,576 for all tags, or one by tag; more where more callers
   * wait at once. RavenDB's own routes (`source: "server"`) grant at least 32. Default: 32 at first, then as many as
   * demand wants, up to 1,048,576.
   *
   * ```ts
   * new DocumentStore("/raven", "Shop", { capacity: { orderLines: 1_000 } });
   * ```
   */
  capacity?: number | Record<string, number>;
  /**
   * Where ranges come from; `docs/sources.md` tells which to choose. Default `"server"`: the routes of RavenDB 4 and later.
   * `"document"`: the protocol of older clients. `InvalidArgument` at `initialize()` for what is none of these.
   *
   * ```ts
   * new DocumentStore("/raven", "Shop", { source: "document" });
   * ```
   */
  source?: "server" | "document" | ServerSource | DocumentSource | ClassicSource | OwnSource;
}
