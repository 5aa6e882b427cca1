// Opens WebSockets with what each platform can send along. Browsers send cookies and nothing else.

import { fail } from "../common/error.js";
import type { LiveSocket } from "../store/store-options-types.js";
import { headersOf } from "../wire/headers.js";
import type { LiveStore } from "./live-store.js";

/** The platform's own class, which takes headers in place of protocols in Node, Deno and Bun. */
type OwnClass = new (url: string, given?: { headers: Record<string, string> }) => LiveSocket;

/**
 * Throws where no connection can be opened.
 * @internal
 */
export function assertSockets({ options, runtime }: LiveStore): void {
  if (options.webSocket) return;
  const reason = runtime.isolated
    ? "a Worker cannot keep a connection beyond a request: listen in pages, or"
    : options.certificate
      ? "the platform's WebSocket shows no client certificate:"
      : !globalThis.WebSocket && "this platform has no WebSocket:";
  if (reason)
    fail(
      "Unsupported",
      `${reason} give the store's option webSocket, such as the class of the npm package ws`,
    );
}

/**
 * Opens a connection.
 * @internal
 */
export function openSocket({ options, runtime }: LiveStore, address: string): LiveSocket {
  const headers = Object.fromEntries(headersOf(options.headers));
  const { webSocket: Given, certificate, type, password: passphrase, ca } = options;
  if (Given) {
    const pair = type === "pfx" ? { pfx: certificate } : { cert: certificate, key: certificate };
    return new Given(address, [], { headers, ...(certificate && { ...pair, passphrase, ca }) });
  }
  const Own = globalThis.WebSocket as OwnClass;
  // The runtimes that read certificates are those whose WebSocket sends headers.
  return runtime.connect ? new Own(address, { headers }) : new Own(address);
}

/**
 * What listeners of a socket get, by the kind of event.
 * @internal
 */
export interface SocketEvent {
  data?: unknown;
  message?: string;
  error?: unknown;
}
