// How a store is opened. Types alone.

import type { ClassicSource, DocumentSource, OwnSource, ServerSource } from "../numbers/source-types.js";
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
