// A batch that was saved, though waiting for replicas or indexes took too long.

import type { SessionState } from "../session/session-state.js";
import { says } from "../wire/outgoing-batch.js";
import { type ReadDocuments, slotOf } from "./find-outcome.js";
import { finish, type SentBatch } from "./finish-save.js";

/**
 * The server has saved, but its response has no results: `found` was read afterwards, from a response of this `text`. `others`: slots
 * of the documents of the deferred commands.
 */
export function saved(
  state: SessionState,
  { slots, deleted, commands }: SentBatch,
  others: number[],
  [found, text]: ReadDocuments,
): void {
  const { tracker, sent, underWay } = state;
  const picked = sent.pick(slots);
  for (const document of found) {
    const slot = slotOf(state, document);
    // If another client has written the document meanwhile, its change vector does not belong to what the session knows.
    if (slot >= 0 && says(picked.get(slot), document)) tracker.versions.read(slot, document["@metadata"]);
  }
  sent.accept();
  const results = underWay.map(({ type, id }, at) => {
    const document = found.find((each) => slotOf(state, each) === others[at]);
    const {
      "@id": Id = id,
      "@change-vector": ChangeVector,
      "@last-modified": LastModified,
    } = document?.["@metadata"] ?? {};
    return { Type: type, PatchStatus: type, Id, ModifiedDocument: document, ChangeVector, LastModified };
  });
  finish(state, slots, deleted, commands, [], results, text);
  // The ids that the server has made are not known: these entities are saved, and leave the session.
  for (const slot of slots) if (!tracker.isNamed(slot)) tracker.drop(slot);
}
