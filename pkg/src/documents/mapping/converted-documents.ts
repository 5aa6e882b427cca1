// Listeners of `afterConversionToDocument`: they may replace the documents that entities become.

import { isObject } from "../../common/arguments.js";
import { fail } from "../../common/error.js";
import type { SessionState } from "../../session/session-state.js";
import type { Entity } from "../entity-types.js";
import { same } from "../snapshots/equal-values.js";
import { META } from "../snapshots/snapshot-values.js";
import type { Kept, OwnMetadata } from "../snapshots/snapshots.js";

/** A document that listeners have made. */
export interface ConvertedDocument {
  document: Entity;
  /** The snapshot of the entity, if listeners have changed the entity, too. */
  was: Entity | undefined;
  metadata: OwnMetadata | undefined;
}

/** Lets listeners replace the document of the entity in a slot. `kept`, `own`: the snapshot that was made for the save. */
export function converted(
  state: SessionState,
  slot: number,
  given: Entity,
  kept: Kept,
  own: OwnMetadata | undefined,
): ConvertedDocument {
  const { unitOfWork, session } = state;
  const { snapshots } = unitOfWork;
  const made: { value: object } = { value: JSON.parse(JSON.stringify(given)) };
  const [id, entity] = [unitOfWork.idAt(slot) ?? null, unitOfWork.at(slot)];
  state.emit("afterConversionToDocument", { session, id, entity, document: made });
  const document: unknown = made.value;
  if (!isObject(document) || Array.isArray(document))
    fail("InvalidArgument", "an entity is not an object in JSON; a listener has replaced it by a value");
  const now = JSON.parse(snapshots.text(entity)) as Entity;
  return {
    document,
    was: agreed(snapshots.read(kept), now, document),
    metadata: agreed(own, snapshots.metadata(entity[META]), document[META] as Entity) ?? own,
  };
}

/** `was` with what listeners have changed in an entity (`now`) as in its document (`sent`): it is sent, and no change any more. */
function agreed(was: Entity = {}, now: Entity = {}, sent: Entity = {}): Entity | undefined {
  const changed = Object.keys({ ...was, ...now }).filter(
    (name) => !same(now[name], was[name]) && same(now[name], sent[name]),
  );
  if (changed.length > 0) return { ...was, ...Object.fromEntries(changed.map((name) => [name, now[name]])) };
}
