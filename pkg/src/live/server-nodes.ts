// Which node to connect to, and why that fails: a WebSocket does not say it, so ordinary requests ask.

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

/** Chooses the node of each attempt to connect. */
export class ServerNodes {
  #store: LiveStore;
  #tag: string | undefined;
  #urls: string[];

  /** `tag`: the only node to use. */
  constructor(store: LiveStore, tag: string | undefined) {
    this.#store = store;
    this.#tag = tag;
    this.#urls = tag ? [] : store.urls;
  }

  /**
   * The address of the node for the next attempt. `failures`: attempts that failed in a row. After a failure the server is asked
   * whether changes are available and which nodes there are, and the next node is used.
   */
  async next(failures: number): Promise<string> {
    if (failures > 0) await assertAvailable(this.#store);
    if (failures > 0 || this.#urls.length === 0) this.#urls = await nodesOf(this.#store, this.#tag);
    return this.#urls[failures % this.#urls.length] as string;
  }
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
