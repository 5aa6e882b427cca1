// Documents by the beginning of their ids.

import { fold } from "../../hot/fold.js";
import { fetchByIds } from "../entities.js";
import { fail } from "../error.js";
import { optionsOf } from "../given.js";
import { query } from "../listing.js";

/** A listing by prefix: all documents, if the app does not say how many. */
export function listing(startsWith, { matches, exclude, start, pageSize, startAfter } = {}) {
  if (typeof startsWith !== "string") fail("InvalidArgument", "loadStartingWith takes the beginning of ids");
  return query(Object.entries({ startsWith, matches, exclude, start, pageSize, startAfter }));
}

/** Those of them that `load` would give: none that is to be deleted, or was not there before. */
export function loadable({ tracker }, entities) {
  return entities.filter((entity) => entity && !tracker.missing.has(fold(tracker.idOf(entity) ?? "")));
}

export async function loadStartingWith(unit, prefix, given) {
  const options = optionsOf(given);
  const type = unit.conventions.classOf(options.documentType);
  return loadable(unit, await fetchByIds(unit, listing(prefix, options), type));
}
