// Gives an entity the values that the server has.

import { classOf } from "../common/value-kinds.js";
import type { Entity, ServerDocument } from "../documents/entity-types.js";
import { put } from "../documents/snapshots/put-member.js";
import type { SessionState } from "../session/session-state.js";
import { type ConversionEvent, convert } from "./conversion-events.js";

/** Gives the entity in a slot the members of a document, and removes others. `literals`: its numbers that JavaScript cannot hold. */
export function revise(
  state: SessionState,
  slot: number,
  document: ServerDocument,
  literals?: string[],
): void {
  const { unitOfWork } = state;
  const entity: Entity = unitOfWork.at(slot);
  const events: ConversionEvent[] = [];
  const fresh = convert(state, document, classOf(entity), events);
  const identity = state.mapper.identityOf(entity);
  if (identity && identity in fresh) fresh[identity] = unitOfWork.idAt(slot);
  for (const key of Object.keys(entity)) if (!Object.hasOwn(fresh, key)) Reflect.deleteProperty(entity, key);
  // A frozen entity stays as it is: throwing would not undo what the server did.
  for (const [key, value] of Object.entries(fresh)) put(entity, key, value);
  unitOfWork.loadedAgain(slot, document["@metadata"], literals);
  for (const event of events) state.emit("afterConversionToEntity", { ...event, entity });
}
