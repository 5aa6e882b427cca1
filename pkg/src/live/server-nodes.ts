// Which addresses to connect to, and why that fails: a WebSocket does not say it, so ordinary requests ask.

import { fail, type RavenEdgeError } from "../common/error.js";
import { addressOf } from "../store/check-options.js";
import { ask } from "../wire/command-request.js";
import type { LiveStore } from "./live-store.js";

interface Node {
  Url: string | null;
  ClusterTag: string;
  ServerRole: string;
}

/** How RavenDB and the gateway refuse an ordinary request of the route of changes: the database is there, and the caller may listen. */
const NO_SOCKET = "System.InvalidOperationException";

/**
 * Resolves if changes can be listened to.
 * @throws {RavenEdgeError} the reason that a WebSocket does not tell: no server, no database, no right.
 */
export async function assertAvailable(store: LiveStore): Promise<void> {
  try {
    await ask(store, { route: "changes" });
  } catch (error) {
    if ((error as RavenEdgeError).type !== NO_SOCKET) throw error;
  }
}

/** The addresses of the nodes, those of the app last; with `tag` that of this node alone. */
export async function nodesOf(store: LiveStore, tag: string | undefined): Promise<string[]> {
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
