// `conditionalLoad`: a document that the session reads only if it is not as the app knows it.

import { fold } from "../../hot/fold.js";
import { fail } from "../error.js";
import { isText } from "../given.js";
import { query } from "../listing.js";
import { fetchAll } from "./requests.js";

export class Conditional {
  /** A part of several requests; `undefined` for what the session knows. */
  request;
  #unit;
  #id;
  #changeVector;
  #type;

  constructor(unit, id, changeVector, given) {
    if (!isText(id)) fail("InvalidArgument", "conditionalLoad takes an id");
    if (!changeVector && !unit.knows(id))
      fail("InvalidArgument", `${id} is not loaded: conditionalLoad takes the change vector that you know`);
    const type = unit.conventions.classOf(given);
    this.#unit = unit;
    this.#id = id;
    this.#changeVector = changeVector;
    this.#type = type;
    if (unit.knows(id)) return;
    const headers = { "If-None-Match": `"${changeVector}"` };
    this.request = { query: query([["id", id]]), headers, reading: { type } };
  }

  /** The entity, if there is a newer one, and its change vector. */
  result(found) {
    const unit = this.#unit;
    if (found?.said.isKnown) return { entity: null, changeVector: this.#changeVector };
    if (unit.noTracking) {
      const entity = found.entities[0] ?? null;
      return { entity, changeVector: entity?.["@metadata"]["@change-vector"] ?? null };
    }
    if (found) unit.settleLoad([fold(this.#id)]);
    const entity = unit.find(this.#id, this.#type);
    return { entity, changeVector: unit.tracker.stamps.vector(unit.tracker.slotOf(entity)) ?? null };
  }
}

/** The same at once. */
export async function conditionalLoad(unit, id, changeVector, type) {
  const load = new Conditional(unit, id, changeVector, type);
  const [found] = load.request ? await fetchAll(unit, [load.request]) : [];
  if (found?.error) throw found.error;
  return load.result(found);
}
