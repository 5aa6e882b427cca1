// What the Worker's log says, and the caller does not learn.

import type { Ruling } from "../../gen/edge_gateway.js";

export function misconfigured(ruling: Ruling, error: unknown): undefined {
  log(error);
  ruling.refuse("Misconfigured", "the gateway is not configured; its log says more");
}

/** Logs what RavenDB says about a request that it refuses, such as a wrong RQL: the caller learns only the type. */
export function logRefusal(status: number, response: Uint8Array): void {
  // A conflict is the caller's, and a document that does not exist has no message.
  if (status < 400 || status === 409) return;
  const text = new TextDecoder().decode(response);
  let said: unknown;
  try {
    said = JSON.parse(text).Message;
  } catch {
    // Not from RavenDB.
    said = text;
  }
  if (said) log(`RavenDB responded ${status}: ${String(said).slice(0, MAX_LOGGED)}`);
}

/** Characters of RavenDB's message that are logged. */
const MAX_LOGGED = 1_000;

export function log(error: unknown): void {
  console.error(`raven-edge gateway: ${(error as Error | undefined)?.message ?? error}`);
}
