// The first contact of a device with a database: a sharded one is refused before anything is queued.

import { RECEIPT_UNREAD } from "../../../gen/protocol.js";
import { isOffline } from "../../common/connection.js";
import { fail } from "../../common/error.js";
import { within } from "../../common/time.js";
import type { QueueState } from "../device/queue-state.js";
import { type QueueRequests, SHARDED } from "../sending/send-batch.js";

/** How long the first change of a page waits for the server, in milliseconds. */
const PATIENCE = 1_000;

/**
 * The check that fails if the database is sharded. A device that has never reached the server asks it once; if there is no response in
 * time, changes are queued, and parked when the database turns out to be sharded.
 */
export function firstContact(state: QueueState, requests: QueueRequests): () => Promise<void> {
  let hasAsked = false;
  return async () => {
    const memory = state.memory ?? (await state.refresh().catch(() => undefined));
    // Without a device, changes are sent as `saveChanges` sends them.
    if (!memory || memory.core.receipt() !== RECEIPT_UNREAD) return;
    if (!isOffline() && (!hasAsked || requests.isSharded)) {
      hasAsked = true;
      await within(PATIENCE, requests.receipt(memory.control.receipt)).catch(() => {});
    }
    if (requests.isSharded) fail("Unsupported", SHARDED);
  };
}
