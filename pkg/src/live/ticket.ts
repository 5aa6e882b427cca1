// A browser sends no headers of the app with a WebSocket: they go to the gateway before, for a ticket in the address.

import type { RavenEdgeError } from "../common/error.js";
import { ask } from "../wire/command-request.js";
import type { LiveStore } from "./live-store.js";

/** The query of the address; empty where headers can be sent, or need not be. */
export async function ticketOf(store: LiveStore): Promise<string> {
  const { options, runtime } = store;
  if (!options.headers || options.webSocket || runtime.connect) return "";
  try {
    const { text } = await ask(store, { method: "POST", route: "changes/ticket", safe: true });
    return `?ticket=${encodeURIComponent(JSON.parse(text).Ticket)}`;
  } catch (error) {
    // RavenDB itself, behind a proxy, knows no tickets.
    if (!/RouteNotFound/.test((error as RavenEdgeError).type ?? "")) throw error;
    return "";
  }
}
