// The answer to a save: what the server says of each command, in their order.

import { fold } from "../hot/fold.js";
import { fail, RavenEdgeError } from "./error.js";
import { here } from "./later.js";

/**
 * Takes over what the answer says of documents. `items`: the slot of each command, below 0 for what is none of the session's.
 * Gives all results, their text, the slots whose ids the server has made, and the error of an answer that is no JSON. Either the whole
 * answer fits the batch, or nothing of it is used.
 */
export function takeOver(unit, items, text) {
  const { tracker, sent } = unit;
  const { results, error } = read(text);
  if (results.length !== items.length || !items.every((slot, at) => isOf(unit, slot, results[at])))
    fail("BadAnswer", "the answer does not fit the request", {
      request: `POST ${unit.store.path("bulk_docs")}`,
    });
  const made = [];
  items.forEach((slot, at) => {
    if (isForeign(tracker, slot)) return;
    tracker.stamps.read(slot, results[at]);
    if (tracker.isNamed(slot)) return;
    tracker.name(slot, results[at]["@id"]);
    made.push(slot);
  });
  sent.accept();
  return { results, made, error, text };
}

function read(text) {
  try {
    return { results: resultsIn(text) };
  } catch (cause) {
    const error = new RavenEdgeError("BadAnswer", `what was patched is no JSON: ${cause.message}`, { cause });
    // Only a patch gives documents back.
    const results = here("session")?.mended(text) ?? [];
    return { results, error: Object.assign(error, { outcome: "saved" }) };
  }
}

export function resultsIn(text) {
  const { Results } = JSON.parse(text);
  return Array.isArray(Results) ? Results : [];
}

/** Whether a command is not about a document of the session: it may have been evicted meanwhile. */
function isForeign(tracker, slot) {
  return slot < 0 || tracker.at(slot) === undefined;
}

/** Whether a result is of the document in a slot. */
function isOf(unit, slot, result) {
  const { tracker } = unit;
  if (isForeign(tracker, slot)) return true;
  const { "@id": id, "@change-vector": vector } = result ?? {};
  if (typeof id !== "string" || typeof vector !== "string") return false;
  const sent = tracker.idAt(slot);
  if (tracker.isNamed(slot)) return id === sent || fold(id) === fold(sent);
  return unit.enter((core) => core.isMade(sent, id));
}
