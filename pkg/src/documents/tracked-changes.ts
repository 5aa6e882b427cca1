// What has changed in the documents of a session: `whatChanged`, `whatChangedFor`.

import { added, deleted, differences } from "./changes.js";
import type { Tracker } from "./identity-map.js";

type Change = ReturnType<typeof added>;

/** The changes of all documents, by id. */
export function allChanges(tracker: Tracker): Record<string, Change[]> {
  const all: Record<string, Change[]> = {};
  for (const slot of tracker.slots()) {
    const id = tracker.idAt(slot) ?? "";
    const changes = changesAt(tracker, slot);
    if (changes.length > 0) all[id] = changes;
  }
  return all;
}

/** The changes of the document in a slot. */
export function changesAt(tracker: Tracker, slot: number): Change[] {
  if (tracker.marks.isDeleted(slot)) return [deleted()];
  if (!tracker.isChanged(slot)) return [];
  const before = tracker.snapshots.before(slot);
  if (!before) return [added()];
  return differences(before, tracker.now(slot));
}
