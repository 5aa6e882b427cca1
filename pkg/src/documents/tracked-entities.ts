// `advanced.getTrackedEntities`: the documents that a session tracks, and the ids that it knows to be absent.

import { idKey } from "../common/id-key.js";
import type { EntityInfo } from "./entity-types.js";
import type { UnitOfWork } from "./unit-of-work.js";

/** A map by ids, which ignores their case. */
class ById extends Map<string, EntityInfo> {
  override get(id: string): EntityInfo | undefined {
    return super.get(id) ?? [...this.values()].find((info) => idKey(info.id) === idKey(id));
  }

  override has(id: string): boolean {
    return this.get(id) !== undefined;
  }
}

export function trackedEntities(unitOfWork: UnitOfWork): Map<string, EntityInfo> {
  const tracked = new ById();
  for (const slot of unitOfWork.slots()) {
    const id = unitOfWork.idAt(slot);
    if (id) tracked.set(id, { id, entity: unitOfWork.at(slot), isDeleted: unitOfWork.isAbsent(idKey(id)) });
  }
  for (const id of unitOfWork.absentIds) {
    if (unitOfWork.slot(id) < 0) tracked.set(id, { id, entity: undefined, isDeleted: true });
  }
  return tracked;
}
