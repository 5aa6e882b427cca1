// Documents become entities of a session.

import { fold } from "../hot/fold.js";
import { idOf } from "../hot/values.js";
import { byIds } from "./listing.js";
import { load } from "./load.js";

/** Documents of these ids, all different, or of what the query says, become entities; gives them in the order of the answer. */
export async function fetchByIds(unit, parameters, type, ids) {
  const { route, body } = byIds(parameters, ids);
  const answers = await fetchAnswers(unit, route, body && JSON.stringify(body), [{ type }], 0, ids);
  return answers[0]?.entities ?? [];
}

/**
 * How each answer is read: `type` is the class of its documents, if the app names one; `untracked`: the session does not keep
 * them; `project` makes something else of parts of documents. `wait`: see `load`.
 */
export async function fetchAnswers(unit, route, body, readings, wait, wanted) {
  const { bodies, numbers } = await load(unit, route, body, readings.length, wait, wanted?.length);
  const told = [];
  unit.tracker.asWanted = false;
  const answers = bodies.map((body, at) => {
    try {
      if (body instanceof Error) throw body;
      return adopt(unit, body, readings[at] ?? {}, numbers, told, wanted);
    } catch (error) {
      if (route !== "multi_get") throw error;
      return { error };
    }
  });
  // What a listener does to an entity is a change.
  for (const event of told) unit.emit("afterConversionToEntity", event);
  return answers;
}

/** Entities of one answer, and what it says beside its documents. */
function adopt(unit, { Results, Includes, ...said }, reading, numbers, told, wanted) {
  const { tracker, shape } = unit;
  const listens = unit.heard("beforeConversionToEntity") || unit.heard("afterConversionToEntity");
  const converter = (type) =>
    listens ? (document) => convert(unit, document, type, told) : (document) => shape.entity(document, type);
  const made = converter(reading.type);
  const isTracked = !unit.noTracking && !reading.untracked;
  const entities = isTracked
    ? tracker.adopt(Results, made, numbers, wanted)
    : Results.map((document) => (idOf(document) ? made(document) : null));
  if (reading.project)
    Results.forEach((document, at) => {
      entities[at] ??= reading.project(document, told);
    });
  // Only for what was asked for the app may have named a class.
  if (isTracked && Includes) tracker.include(Object.values(Includes), converter(), numbers);
  return { entities, said };
}

/** The entity of a document, or what else is made of it; `told` gets what listeners are to hear. */
export function convert(unit, document, type, told, make = (document) => unit.shape.entity(document, type)) {
  const { session } = unit;
  const id = document["@metadata"]["@id"];
  if (unit.heard("beforeConversionToEntity")) {
    const event = { session, id, type, document };
    unit.emit("beforeConversionToEntity", event);
    document = event.document;
  }
  const entity = make(document);
  if (unit.heard("afterConversionToEntity")) told.push({ session, id, entity, document });
  return entity;
}

/** The entities of an answer that are not tracked. */
export function byKey(entities) {
  return new Map(entities.filter(Boolean).map((entity) => [fold(entity["@metadata"]["@id"]), entity]));
}
