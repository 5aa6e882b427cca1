/**
 * The lease hub: a SQLite Durable Object that leases large ranges of numbers and lends small ones to isolates and browsers
 * through RavenDB's own lease routes, so that thousands of short-lived clients cost RavenDB one request for many thousand
 * ids. `docs/hub.md` tells when to use it.
 *
 * ```ts
 * import { hub } from "raven-edge/hub";
 *
 * const shop = hub({
 *   upstream: (env: Env) => env.RAVENDB_URL,
 *   namespace: (env: Env) => env.HUB,
 * });
 * export const LeaseHub = shop.LeaseHub;
 * export default { fetch: shop.fetch };
 *
 * interface Env {
 *   RAVENDB_URL: string;
 *   HUB: HubNamespace;
 * }
 * ```
 */

import type { ClassicSource, DocumentSource, HeadersSource, OwnSource, ServerSource } from "./index.js";

/** What a hub uses of a Durable Object's stub. */
export interface HubStub {
  fetch(request: Request): Promise<Response>;
}

/** What a hub uses of a `DurableObjectNamespace`. */
export interface HubNamespace {
  idFromName(name: string): unknown;
  // The platform's own id type stays the platform's.
  // biome-ignore lint/suspicious/noExplicitAny: a namespace takes its own ids only
  get(id: any): HubStub;
}

/** A RavenDB, and how it is reached. */
export interface HubUpstream {
  /** Its address, or those of several nodes: leases fail over, everything else goes to the first one. */
  url: string | string[];
  /** Sends the requests; default the global `fetch`. A certificate or service binding: `env.RAVEN.fetch.bind(env.RAVEN)`. */
  fetch?: typeof fetch;
  /** Headers for the hub's own requests. Those of clients go on as they came. */
  headers?: HeadersSource;
}

/** Two sizes between which something moves: whole numbers from 1 to 1,048,576. */
export interface Span {
  first: number;
  largest: number;
}

/** Options of a hub. What cannot be meant is refused with the code `InvalidArgument`. */
export interface HubOptions<Env> {
  /** The RavenDB behind it. */
  upstream: string | string[] | HubUpstream | ((env: Env) => string | string[] | HubUpstream);
  /** The binding of the class {@link LeaseHubWorker.LeaseHub}. */
  namespace: (env: Env) => HubNamespace;
  /** Where the large ranges come from, as for a store. Default `"server"`. */
  source?: "server" | "document" | ServerSource | DocumentSource | ClassicSource | OwnSource;
  /** What stands behind the number where the source has no node tags: `orders/1-H1`. No other source may use the same. */
  nodeTag?: string;
  /**
   * How many numbers a client gets: twice as many when it comes back within 30 seconds, half as many after a minute. A
   * client that dies takes half of its last ones along. Who waits for more than 32 gets as many. Default
   * `{ first: 8, largest: 16 }`.
   */
  loans?: Partial<Span>;
  /**
   * How many numbers the hub asks for: four times as many where the last ones were gone within a minute, a quarter where
   * they lasted ten. Default `{ first: 1024, largest: 65536 }`.
   */
  ranges?: Partial<Span>;
  /** After so many milliseconds without a loan the hub gives back what it holds. Default 600,000; `Infinity`: never. */
  idle?: number;
  /** Time limit in milliseconds of a lease from the source. Default 15,000. */
  timeout?: number;
}

/** A hub: put `fetch` and `LeaseHub` where the platform looks for them. */
export interface LeaseHubWorker<Env> {
  /**
   * Answers leases and fenced returns out of the hubs, and forwards everything else. It is also the `fetch` of a store in the
   * same Worker: `new DocumentStore("https://hub", "Shop", { fetch: (input, init) => shop.fetch(new Request(input, init), env) })`.
   */
  fetch(
    request: Request,
    env: Env,
    context?: { waitUntil(promise: Promise<unknown>): void },
  ): Promise<Response>;
  /** Gives back what a hub holds of a counter, if that is still the server's last range. */
  release(env: Env, database: string, tag: string): Promise<void>;
  /** Burns all that a hub holds and has lent: needed after its storage was set back to an earlier time. */
  burn(env: Env, database: string, tag: string): Promise<void>;
  /** The class to export for the binding; its migration is one of `new_sqlite_classes`. */
  LeaseHub: new (
    // biome-ignore lint/suspicious/noExplicitAny: the platform's own state
    ctx: any,
    env: Env,
  ) => { fetch(request: Request): Promise<Response>; alarm(): Promise<void> };
}

/** Makes a hub. */
export function hub<Env = unknown>(options: HubOptions<Env>): LeaseHubWorker<Env>;
