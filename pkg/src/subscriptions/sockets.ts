// How a platform opens a TCP connection. This module is the one of platforms that have none.

import { fail } from "../common/error.js";
import type { IAuthOptions } from "../store/store-options-types.js";

/** A TCP connection. */
export interface Socket {
  write(text: string): void;
  close(): void;
}

/** What a connection reports. */
export interface SocketListener {
  received(bytes: Uint8Array): void;
  /** It has ended, or has failed: may be called again, and after `close`. */
  ended(error?: unknown): void;
}

/** Where to connect. */
export interface SocketAddress {
  host: string;
  port: number;
  /** The certificate that the server must show, DER in base64; absent: the connection is not encrypted. */
  certificate?: string | undefined;
}

/** A platform that opens TCP connections. */
export interface Sockets {
  open(address: SocketAddress, own: IAuthOptions, listener: SocketListener): Promise<Socket>;
}

export async function open(): Promise<Socket> {
  return fail(
    "Unsupported",
    "a subscription worker needs TCP, which this platform has not: receive batches in Node, Deno, Bun or a Cloudflare Worker, or follow changes with store.changes() or store.watch()",
  );
}
