// Sends a batch with commands of capabilities.

import type { Batch } from "../saving/batch.js";
import type { SessionState } from "../session/session-state.js";
import { partsOf } from "./part-names.js";
import type { SendBatch } from "./session-part.js";

/** `send` sends it, by default its text. Each capability of the batch may send another body. */
export async function sendBatch(state: SessionState, batch: Batch, send: SendBatch): Promise<string> {
  let all = send;
  // Loaded before anything is sent: they also read the response.
  for (const part of await partsOf(batch.commands.map(({ type }) => type))) {
    const inner = all;
    if (part.send) all = () => part.send?.(state, batch, inner) ?? inner();
  }
  return all();
}
