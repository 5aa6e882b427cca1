// What the Worker's log says, and the caller does not learn.

import type { Ruling } from "../../gen/edge_gateway.js";

export function misconfigured(ruling: Ruling, error: unknown): undefined {
  log(error);
  ruling.refuse("Misconfigured", "the gateway is not configured; its log says more");
}

export function log(error: unknown): void {
  console.error(`raven-edge gateway: ${(error as Error | undefined)?.message ?? error}`);
}
