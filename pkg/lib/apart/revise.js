// Entities follow the server.

import { put } from "../../hot/values.js";
import { convert } from "../entities.js";

/** An entity becomes what the server has under its id. */
export function revise(unit, slot, document) {
  const { tracker } = unit;
  const entity = tracker.at(slot);
  // Not the entity's own member of that name.
  const type = Object.getPrototypeOf(entity)?.constructor;
  const told = [];
  const fresh = convert(unit, document, type === Object ? undefined : type, told);
  const identity = unit.conventions.identityOf(entity);
  if (identity in fresh) fresh[identity] = tracker.idAt(slot);
  for (const key of Object.keys(entity)) if (!(key in fresh)) Reflect.deleteProperty(entity, key);
  // A frozen one stays as it is: what the server did cannot be undone by an exception.
  for (const [key, value] of Object.entries(fresh)) put(entity, key, value);
  tracker.stamps.read(slot, document["@metadata"]);
  tracker.snapshots.settle(slot, entity);
  tracker.forget(slot);
  for (const event of told) unit.emit("afterConversionToEntity", { ...event, entity });
}
