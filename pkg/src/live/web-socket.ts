// Opens WebSockets with what each platform can send along. Browsers send cookies and nothing else. A WebSocket does not say why a connection
// fails, so ordinary requests ask which node to use, and why that fails.

import { fail, type RavenEdgeError } from "../common/error.js";
import { addressOf } from "../store/check-options.js";
import type { LiveSocket } from "../store/store-options-types.js";
import { ask } from "../wire/command-request.js";
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

interface Node {
  Url: string | null;
  ClusterTag: string;
  ServerRole: string;
}

/** How RavenDB and the gateway refuse an ordinary request of the route of changes: the database is there, and the caller may listen. */
const NO_SOCKET = "System.InvalidOperationException";

/**
 * Chooses the node of each attempt to connect; `tag`: the only node to use. The returned function gives the address for the next attempt.
 * `failures`: attempts that failed in a row. After a failure the server is asked whether changes are available and which nodes there
 * are, and the next node is used.
 */
export function nodeChooser(
  store: LiveStore,
  tag: string | undefined,
): (failures: number) => Promise<string> {
  let urls = tag ? [] : store.urls;
  return async (failures) => {
    if (failures > 0) await assertAvailable(store);
    if (failures > 0 || urls.length === 0) urls = await nodesOf(store, tag);
    return urls[failures % urls.length] as string;
  };
}

/**
 * Resolves if changes can be listened to.
 * @throws {RavenEdgeError} the reason that a WebSocket does not report: no server, no database, no right.
 */
async function assertAvailable(store: LiveStore): Promise<void> {
  try {
    await ask(store, { route: "changes" });
  } catch (error) {
    if ((error as RavenEdgeError).type !== NO_SOCKET) throw error;
  }
}

/** The addresses of the nodes, those of the app last; with `tag` only the address of this node. */
async function nodesOf(store: LiveStore, tag: string | undefined): Promise<string[]> {
  if (store.conventions.disableTopologyUpdates && !tag) return store.urls;
  const { text } = await ask(store, { route: `/topology?name=${encodeURIComponent(store.database)}` });
  const { Nodes } = JSON.parse(text) as { Nodes: Node[] };
  // A page reaches its own origin alone, and a node that is just being added has no address.
  const origin = globalThis.document?.location.origin;
  const reached = Nodes.filter(({ Url }) => Url && (!origin || new URL(Url).origin === origin));
  if (tag) {
    const node = reached.find(({ ClusterTag }) => ClusterTag === tag);
    return [
      node?.Url ?? fail("InvalidArgument", `the database has no node "${tag}" that can be reached from here`),
    ];
  }
  const members = reached.filter(({ ServerRole }) => ServerRole === "Member");
  return [...new Set([...members.map(({ Url }) => Url as string), ...store.urls])];
}

/** The address of the changes at a node. */
export function changesAddress(store: LiveStore, url: string): string {
  const { href } = addressOf(url);
  return href.replace(/^http/, "ws").replace(/\/+$/, "") + store.path("changes");
}
