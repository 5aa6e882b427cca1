// The first contact of a device with a database: a sharded one is refused before anything is queued.

import { RECEIPT_UNREAD } from "../../../gen/protocol.js";
import { isOffline } from "../../common/connection.js";
import { fail } from "../../common/error.js";
import { within } from "../../common/time.js";
import type { QueueState } from "../device/queue-state.js";
import { type QueueRequests, SHARDED } from "../sending/send-batch.js";

/** How long the first change of a page waits for the server, in milliseconds. */
const PATIENCE = 1_000;

export class FirstContact {
  readonly #state;
  readonly #requests;
  #hasAsked = false;

  constructor(state: QueueState, requests: QueueRequests) {
    this.#state = state;
    this.#requests = requests;
  }

  /**
   * Fails if the database is sharded. A device that has never reached the server asks it once; if there is no response in time, changes
   * are queued, and parked when the database turns out to be sharded.
   */
  async assertUnsharded(): Promise<void> {
    const memory = this.#state.memory ?? (await this.#state.refresh().catch(() => undefined));
    // Without a device, changes are sent as `saveChanges` sends them.
    if (!memory || memory.core.receipt() !== RECEIPT_UNREAD) return;
    if (!isOffline() && (!this.#hasAsked || this.#requests.isSharded)) {
      this.#hasAsked = true;
      await within(PATIENCE, this.#requests.receipt(memory.control.receipt)).catch(() => {});
    }
    if (this.#requests.isSharded) fail("Unsupported", SHARDED);
  }
}
