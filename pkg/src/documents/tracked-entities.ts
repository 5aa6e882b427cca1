// `advanced.getTrackedEntities`: the documents that a session tracks, and the ids that it knows to be absent.

import { idKey } from "../common/id-key.js";
import type { DocumentTracker } from "./document-tracker.js";
import type { EntityInfo } from "./entity-types.js";

/** A map by ids, which ignores their case. */
class ById extends Map<string, EntityInfo> {
  override get(id: string): EntityInfo | undefined {
    return super.get(id) ?? [...this.values()].find((info) => idKey(info.id) === idKey(id));
  }

  override has(id: string): boolean {
    return this.get(id) !== undefined;
  }
}

export function trackedEntities(tracker: DocumentTracker): Map<string, EntityInfo> {
  const tracked = new ById();
  for (const slot of tracker.slots()) {
    const id = tracker.idAt(slot);
    if (id) tracked.set(id, { id, entity: tracker.at(slot), isDeleted: tracker.absent.has(idKey(id)) });
  }
  for (const id of tracker.absent.spelled) {
    if (tracker.slot(id) < 0) tracked.set(id, { id, entity: undefined, isDeleted: true });
  }
  return tracked;
}
