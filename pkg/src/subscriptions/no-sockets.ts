// Replaces TCP on platforms that have none.

import { fail } from "../common/error.js";
import type { Socket } from "./sockets.js";

export async function open(): Promise<Socket> {
  return fail(
    "Unsupported",
    "a subscription worker needs TCP, which this platform has not: receive batches in Node, Deno, Bun or a Cloudflare Worker, or follow changes with store.changes() or store.watch()",
  );
}
