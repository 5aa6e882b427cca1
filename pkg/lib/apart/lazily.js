// Loads that travel in one request: what each asks for, and what it makes of the answer.

import { fold } from "../../hot/fold.js";
import { byKey } from "../entities.js";
import { RavenEdgeError } from "../error.js";
import { query } from "../listing.js";
import { fetchAll } from "./requests.js";
import { listing, loadable } from "./starting-with.js";

const NOTHING = { entities: [] };

/** Documents by their ids. */
export class LazyLoad {
  /** A part of several requests; `undefined` for what the session knows. */
  request;
  #unit;
  #several;
  #ids;
  #type;
  #missing;

  constructor(unit, several, ids, type, includes) {
    this.#unit = unit;
    this.#several = several;
    this.#ids = ids;
    this.#type = type;
    this.#missing = ids.filter((id) => includes.length > 0 || !unit.knows(id));
    if (this.#missing.length === 0) return;
    const named = [...this.#missing.map((id) => ["id", id]), ...includes.map((path) => ["include", path])];
    this.request = { query: query(named), reading: { type } };
  }

  result({ entities } = NOTHING) {
    const unit = this.#unit;
    const ids = this.#ids;
    const untracked = unit.noTracking && byKey(entities);
    // Of the others nothing was said: one that was known may have been evicted meanwhile.
    if (!untracked) unit.settleLoad(this.#missing);
    const found = (id) => (untracked ? (untracked.get(fold(id)) ?? null) : unit.find(id, this.#type));
    if (!this.#several) return ids.length > 0 ? found(ids[0]) : null;
    return Object.fromEntries(ids.map((id) => [id, found(id)]));
  }
}

/** Documents by the beginning of their ids. */
export class LazyListing {
  request;
  #unit;

  constructor(unit, prefix, options, type) {
    this.#unit = unit;
    this.request = { query: listing(prefix, options), reading: { type } };
  }

  result({ entities } = NOTHING) {
    const unit = this.#unit;
    // What the session has may not show its metadata.
    const id = (entity) => unit.tracker.idOf(entity) ?? entity["@metadata"]["@id"];
    return Object.fromEntries(loadable(unit, entities).map((entity) => [id(entity), entity]));
  }
}

/** Sends what waits, in one request, and settles it. */
export async function send(unit, lazies) {
  const requests = [];
  for (const lazy of lazies) requests.push(await lazy.request().catch((error) => ({ error })));
  const asked = requests.filter((request) => request && !request.error);
  const answers = asked.length > 0 ? await fetchAll(unit, asked).catch((error) => unread(error, asked)) : [];
  lazies.forEach((lazy, at) => {
    const request = requests[at];
    lazy.settle(request?.error ? request : answers[asked.indexOf(request)]);
  });
  for (const lazy of lazies) lazy.told = lazy.tell();
}

/** An answer that came and cannot be read would come again: only what failed on its way is worth another request. */
function unread(error, asked) {
  if (error instanceof RavenEdgeError && error.code !== "BadAnswer") throw error;
  return asked.map(() => ({ error }));
}
