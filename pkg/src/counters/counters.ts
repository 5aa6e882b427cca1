// Counters, which are loaded when they are first used.

import type { SendBatch } from "../capabilities/session-part.js";
import { fail } from "../common/error.js";
import type { Batch } from "../saving/batch.js";
import type { SessionState } from "../session/session-state.js";

export { include, show } from "./counter-cache.js";
export { parameters, rql } from "./counter-includes.js";
export { of } from "./session-counters.js";

/** Sends a batch with commands about counters. */
export function send(_: SessionState, { cluster }: Batch, send: SendBatch): Promise<string> {
  if (cluster) fail("InvalidOperation", "a cluster-wide transaction takes no counters");
  return send();
}
