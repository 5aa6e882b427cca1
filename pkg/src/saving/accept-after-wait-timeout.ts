// A batch that was saved, though waiting for replicas or indexes took too long.

import type { SessionState } from "../session/session-state.js";
import type { Batch } from "./batch.js";
import type { FoundDocuments } from "./fail.js";
import { says } from "./sent-documents.js";

/**
 * The server has saved, but its response has no results: `found` was read afterwards, from a response of this `text`. `others`: slots
 * of the documents of the deferred commands.
 */
export function saved(
  state: SessionState,
  batch: Batch,
  others: number[],
  [found, text]: readonly [found: FoundDocuments, text?: string],
): void {
  const { unitOfWork } = state;
  const { slots, commands, documents } = batch;
  const picked = documents.pick(slots);
  for (const [slot, document] of found) {
    // If another client has written the document meanwhile, its change vector does not belong to what the session knows.
    if (unitOfWork.at(slot) !== undefined && says(picked.get(slot), document))
      unitOfWork.saved(slot, document["@metadata"]);
  }
  documents.accept();
  const results = commands.map(({ type, id }, at) => {
    const document = found.get(others[at] as number);
    const {
      "@id": Id = id,
      "@change-vector": ChangeVector,
      "@last-modified": LastModified,
    } = document?.["@metadata"] ?? {};
    return { Type: type, PatchStatus: type, Id, ModifiedDocument: document, ChangeVector, LastModified };
  });
  batch.finish({ results, text: text ?? "" });
  // The ids that the server has made are not known: these entities are saved, and leave the session.
  for (const slot of slots) if (!unitOfWork.isNamed(slot)) unitOfWork.savedDeletion(slot);
}
