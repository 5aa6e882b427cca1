// Which documents of a session have changed: `hasChanges`, `whatChanged`, `whatChangedFor`, and the documents that a save writes.

import type { DocumentTracker } from "./document-tracker.js";
import { added, deleted, differences } from "./field-changes.js";
import { put } from "./snapshots/put-member.js";

type Change = ReturnType<typeof added>;

/** The changes of all documents, by id. */
export function allChanges(tracker: DocumentTracker): Record<string, Change[]> {
  const all: Record<string, Change[]> = {};
  for (const slot of tracker.slots()) {
    const id = tracker.idAt(slot) ?? "";
    const changes = changesAt(tracker, slot);
    if (changes.length > 0) put(all, id, changes);
  }
  return all;
}

/** The changes of the document in a slot. */
export function changesAt(tracker: DocumentTracker, slot: number): Change[] {
  if (tracker.marks.isDeleted(slot)) return [deleted()];
  if (!tracker.isChanged(slot)) return [];
  const before = tracker.snapshots.before(slot);
  if (!before) return [added()];
  return differences(before, tracker.now(slot));
}

/** Whether a save would write or delete a document. */
export function hasChanges(tracker: DocumentTracker): boolean {
  const { marks } = tracker;
  return marks.deleted.length > 0 || tracker.some((slot) => tracker.isChanged(slot) && marks.writes(slot));
}

/** Slots of documents that the next save writes. */
export function changedSlots(tracker: DocumentTracker): number[] {
  const changed: number[] = [];
  for (let slot = 0; slot < tracker.next; slot++) {
    if (tracker.at(slot) === undefined) continue;
    if ((tracker.isNew(slot) || tracker.isChanged(slot)) && tracker.marks.writes(slot)) changed.push(slot);
  }
  return changed;
}
