// How a store is opened, and where ranges of numbers come from. Types alone.

import type { OfflineOption } from "../offline/offline-types.js";

/** Makes headers for a request; called synchronously before each request, including those of a closing page. */
export type HeadersSource = () => NonNullable<ConstructorParameters<typeof Headers>[0]>;

/** Options about certificates. */
export interface IAuthOptions {
  /** Client certificate, PEM text (with its key) or PFX bytes. Node, Deno and Bun only; elsewhere pass a {@link StoreOptions.fetch}. */
  certificate?: string | Uint8Array;
  /** Form of {@link certificate}; default `"pem"`. */
  type?: "pem" | "pfx";
  /** Password of the certificate's key. */
  password?: string;
  /** Certificate authority that signed the server's certificate, in PEM. */
  ca?: string | Uint8Array;
}

/** {@link IAuthOptions} of a store. */
export interface IStoreAuthOptions extends IAuthOptions {}
/** {@link IAuthOptions} of a request. */
export interface IRequestAuthOptions extends IAuthOptions {}

/**
 * Options of a store. The first four are those of npm `ravendb`'s third argument.
 */
export interface StoreOptions extends IAuthOptions {
  /** Headers for every request, such as an authorization of your gateway. Default: none. */
  headers?: HeadersSource;
  /** Sends the requests; default the global `fetch`. A Worker's mTLS or service binding: `env.RAVEN.fetch.bind(env.RAVEN)`. */
  fetch?: typeof fetch;
  /**
   * Opens the connection of `changes()` and `watch()`; default: the platform's `WebSocket`, which Node has from version 22 on. A class
   * is called with the address, no protocols, and `{ headers, cert, key, pfx, passphrase, ca }`, as that of the npm package `ws` takes
   * them; browsers' own class sends cookies alone.
   *
   * ```ts
   * import WebSocket from "ws";
   * const store = new DocumentStore("http://127.0.0.1:8080", "Shop", { webSocket: WebSocket });
   * ```
   */
  webSocket?: WebSocketClass;
  /**
   * Keeps a Worker alive for work that later requests profit from: a lease whose caller has gone away, a read of the topology.
   * Default: such work ends with its request, which loses numbers and nothing else.
   *
   * ```ts
   * import { waitUntil } from "cloudflare:workers";
   * const store = new DocumentStore(url, "Shop", { waitUntil });
   * ```
   */
  waitUntil?: (promise: Promise<unknown>) => void;
  /** Time limit in milliseconds of a request, and of a caller that waits for an id. Default 15,000. */
  timeout?: number;
  /**
   * How many numbers of a tag stay parked on the device (IndexedDB) for the next page: a number for all tags, or one by
   * tag. Further numbers are returned when the page closes. The option leases nothing, {@link HiLo.reserve} does. `0`: all
   * numbers are returned. `Infinity`: none are, for offline-first apps. Default: 8, and 8 more for each further number that the
   * device uses.
   *
   * ```ts
   * new DocumentStore("/raven", "Shop", { keep: { orders: 100, notes: 0 } });
   * ```
   */
  keep?: number | Record<string, number>;
  /**
   * How many numbers a range has: a whole number from 1 to 1,048,576 for all tags, or one by tag; more if more callers
   * wait at once. RavenDB's own routes (`source: "server"`) grant at least 32. Default: 32 at first, then by demand, up to
   * 1,048,576.
   *
   * ```ts
   * new DocumentStore("/raven", "Shop", { capacity: { orderLines: 1_000 } });
   * ```
   */
  capacity?: number | Record<string, number>;
  /**
   * Where ranges come from; `docs/sources.md` explains which to choose. Default `"server"`: the routes of RavenDB 4 and later.
   * `"document"`: the protocol of older clients. Anything else is `InvalidArgument` at `initialize()`.
   *
   * ```ts
   * new DocumentStore("/raven", "Shop", { source: "document" });
   * ```
   */
  source?: "server" | "document" | ServerSource | DocumentSource | ClassicSource | OwnSource;
  /**
   * Keeps changes on the device until the server has them: what `offline()` of `raven-edge/offline` returns. Default: none are kept.
   *
   * ```ts
   * new DocumentStore("/raven", "Shop", { keep: Infinity, offline: offline({ user: "ann" }) });
   * ```
   */
  offline?: OfflineOption;
}

/** A WebSocket, as far as it is used. */
export interface LiveSocket {
  send(text: string): void;
  close(): void;
  /** Ends the connection without the closing handshake, where that can be done. */
  terminate?(): void;
  addEventListener(type: "open" | "message" | "close" | "error", listener: (event: never) => void): void;
}

/** The platform's `WebSocket` or a class like it, such as that of the npm package `ws`, which also takes headers and certificates. */
export type WebSocketClass = new (url: string, protocols?: string[], options?: object) => LiveSocket;

/** RavenDB 4 and later: `hilo/next` and a fenced return. Ids such as `orders/1-A`. */
export interface ServerSource {
  kind: "server";
  /** As {@link StoreOptions.capacity}, which takes precedence. */
  capacity?: number;
}

/**
 * The protocol of RavenDB's older clients: this client itself writes the counter documents. Ids such as `orders/1`, or
 * `orders/NorthServer/1` where the document `Raven/ServerPrefixForHilo` says `{"ServerPrefix": "NorthServer/"}`. It may share
 * its counters with clients of `"server"`. All leases go to the first address of the store: ids have no node tag, so all
 * clients of a database must name the same node first.
 *
 * ```ts
 * new DocumentStore("/raven", "Shop", { source: { kind: "document", spelling: "Replication/HiLo" } });
 * ```
 */
export interface DocumentSource {
  kind: "document";
  /** As {@link StoreOptions.capacity}, which takes precedence. */
  capacity?: number;
  /** What the ids of the counter documents begin with. Default `"Raven/Hilo"`; RavenDB ignores case. */
  spelling?: "Raven/Hilo" | "Raven/HiLo" | "Replication/HiLo";
}

/**
 * The original formula: a function returns the next Hi of a counter, and the numbers are `(hi - 1) * capacity + 1` to
 * `hi * capacity`. Ids such as `orders/1`. Unused numbers are not returned.
 *
 * ```ts
 * const next = async (tag: string) => (await sql`SELECT nextval('orders_hi') AS hi`)[0].hi;
 * new DocumentStore("/raven", "Shop", { source: { kind: "classic", next, capacity: 32 } });
 * ```
 */
export interface ClassicSource {
  kind: "classic";
  /**
   * The next Hi of a counter, from 1 on, never the same one twice. SQL drivers return large numbers as text, which is taken,
   * too. If the result has a `capacity`, it is compared with {@link capacity}. A rejected promise is an outage: the call is
   * repeated while a caller waits. An invalid result is an error `BadAnswer` that names the field.
   */
  next: (tag: string) => Hi | Promise<Hi>;
  /** How many numbers a Hi stands for, from 1 to 1,048,576: the same for all clients and for ever. */
  capacity: number;
  /** As {@link OwnSource.scope}. */
  scope?: string;
}

/** The result of {@link ClassicSource.next}. */
export type Hi = number | string | { hi: number | string; capacity?: number | string };

/**
 * Ranges that the app itself grants.
 *
 * ```ts
 * const source: OwnSource = {
 *   lease: async (tag, size, above) => (await fetch(`/ids/${tag}?size=${size}&above=${above}`)).json(),
 * };
 * new DocumentStore("/raven", "Shop", { source });
 * ```
 */
export interface OwnSource {
  kind?: undefined;
  /**
   * Grants a range of about `size` numbers, which may be more or fewer. No other client gets any of them, and all of them are
   * above `above` (0, or the highest number that this client knows of, if the last range overlapped what it has issued or
   * holds). A rejected promise is an outage: the call is repeated while a caller waits. An invalid result is an error
   * `BadAnswer` that names the field.
   */
  lease: (tag: string, size: number, above: number) => LeasedRange | Promise<LeasedRange>;
  /**
   * Takes back unused numbers: called at most once for each, never again after a failure, never for one that was or could
   * be handed out. When a page goes away, it is called synchronously and its promise is not awaited. Default: unused numbers
   * are lost, or parked if there is a {@link scope}.
   */
  release?: (range: ReleasedRange) => unknown;
  /**
   * A name for the backend that grants the ranges. Numbers are parked on the device under it, and stores of the same
   * origin, server, database and scope share them. Default: none, and nothing is parked.
   */
  scope?: string;
}

/** A range that an app grants. */
export interface LeasedRange {
  /** The lowest number, at least 1. */
  low: number;
  /** The highest number, at least `low` and at most 2^53 - 1. */
  high: number;
  /** What follows the number in an id, after a `-`: up to 16 letters and digits. Default: nothing. */
  nodeTag?: string;
  /** What precedes the number in an id; it must not end in a digit. Default: the tag and the separator, `orders/`. */
  prefix?: string;
}

/** Unused numbers of a range that an app granted. */
export interface ReleasedRange {
  /** Name of the counter. */
  tag: string;
  /** The lowest number. */
  low: number;
  /** The highest number, which is that of the range as it was granted. */
  high: number;
  /** The node tag of the range; empty when there was none. */
  nodeTag: string;
}
