// Which fields of a session's documents have changed: `whatChanged`, `whatChangedFor`.

import { change, type DocumentsChanges, differences } from "./document-differences.js";
import { put } from "./snapshots/put-member.js";
import type { UnitOfWork } from "./unit-of-work.js";

/**
 * The changes of all documents, by id.
 * @internal
 */
export function allChanges(unitOfWork: UnitOfWork): Record<string, DocumentsChanges[]> {
  const all: Record<string, DocumentsChanges[]> = {};
  for (const slot of unitOfWork.slots()) {
    const id = unitOfWork.idAt(slot) ?? "";
    const changes = changesAt(unitOfWork, slot);
    if (changes.length > 0) put(all, id, changes);
  }
  return all;
}

/**
 * The changes of the document in a slot.
 * @internal
 */
export function changesAt(unitOfWork: UnitOfWork, slot: number): DocumentsChanges[] {
  if (unitOfWork.isDeleted(slot)) return [change("DocumentDeleted", undefined, "", "", undefined)];
  if (!unitOfWork.isChanged(slot)) return [];
  const before = unitOfWork.snapshots.before(slot);
  if (!before) return [change("DocumentAdded", null, null, null, null)];
  return differences(before, unitOfWork.now(slot));
}
