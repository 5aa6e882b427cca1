// The lease hub as apps see it. Types alone.

import type { LogOption } from "../logging/log-types.js";
import type { ClassicSource, DocumentSource, OwnSource, ServerSource } from "../numbers/source-types.js";
import type { HeadersSource } from "../store/store-options-types.js";

/** What a hub uses of a Durable Object's stub. */
export interface HubStub {
  fetch(request: Request): Promise<Response>;
}

/** What a hub uses of a `DurableObjectNamespace`. */
export interface HubNamespace {
  idFromName(name: string): unknown;
  // `any`, because the type of ids is the platform's own.
  // biome-ignore lint/suspicious/noExplicitAny: a namespace takes its own ids only
  get(id: any): HubStub;
}

/** A RavenDB, and how it is reached. */
export interface HubUpstream {
  /** Its address, or those of several nodes: leases fail over, all other requests go to the first one. */
  url: string | string[];
  /** Sends the requests; default the global `fetch`. A certificate or service binding: `env.RAVEN.fetch.bind(env.RAVEN)`. */
  fetch?: typeof fetch;
  /** Headers for the hub's own requests. Those of clients are forwarded unchanged. */
  headers?: HeadersSource;
}

/** The first and the largest size of something that adapts: whole numbers from 1 to 1,048,576. */
export interface Span {
  first: number;
  largest: number;
}

/** Options of a hub. Invalid ones are refused with the code `InvalidArgument`. */
export interface HubOptions<Env> {
  /** The RavenDB behind it. */
  upstream: string | string[] | HubUpstream | ((env: Env) => string | string[] | HubUpstream);
  /** The binding of the class {@link LeaseHubWorker.LeaseHub}. */
  namespace: (env: Env) => HubNamespace;
  /** Where the large ranges come from, as for a store. Default `"server"`. */
  source?: "server" | "document" | ServerSource | DocumentSource | ClassicSource | OwnSource;
  /** The node tag of ids if the source has none: `H1` in `orders/1-H1`. No other source may use the same tag. */
  nodeTag?: string;
  /**
   * How many numbers a client gets: twice as many when it comes back within 30 seconds, half as many after a minute. A
   * client that ends without returning its numbers loses half of its last ones. A request for more than 32 gets as many as it
   * asks for. Default `{ first: 8, largest: 16 }`.
   */
  loans?: Partial<Span>;
  /**
   * How many numbers the hub requests: four times as many if the last ones were used up within a minute, a quarter if
   * they lasted ten. Default `{ first: 1024, largest: 65536 }`.
   */
  ranges?: Partial<Span>;
  /** After so many milliseconds without a loan the hub returns its numbers. Default 600,000; `Infinity`: never. */
  idle?: number;
  /** Time limit in milliseconds of a lease from the source. Default 15,000. */
  timeout?: number;
  /** What is logged: lines up to a level, or a function that gets them; default `"warn"`: failed and refused requests. */
  log?: LogOption<Env>;
}

/** A hub: export `fetch` and `LeaseHub` as the platform requires. */
export interface LeaseHubWorker<Env> {
  /**
   * Sends leases and fenced returns to the hubs, and forwards all other requests. A store in the same Worker can use it as its `fetch`:
   * `new DocumentStore("https://hub", "Shop", { fetch: (input, init) => shop.fetch(new Request(input, init), env) })`.
   */
  fetch(
    request: Request,
    env: Env,
    context?: { waitUntil(promise: Promise<unknown>): void },
  ): Promise<Response>;
  /** Returns a hub's numbers of a counter to the server, if they are still the end of the server's last range. */
  release(env: Env, database: string, tag: string): Promise<void>;
  /** Burns all numbers that a hub has or has lent: needed after its storage was restored to an earlier time. */
  burn(env: Env, database: string, tag: string): Promise<void>;
  /** The class to export for the binding; its migration is one of `new_sqlite_classes`. */
  LeaseHub: new (
    // biome-ignore lint/suspicious/noExplicitAny: the platform's own state
    ctx: any,
    env: Env,
  ) => { fetch(request: Request): Promise<Response>; alarm(): Promise<void> };
}
