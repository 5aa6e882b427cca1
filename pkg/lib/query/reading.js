// What the answer to a query becomes: documents, or parts of them, and what the server says beside them.

import { lower, upper } from "../camel.js";
import { convert } from "../entities.js";
import { fail } from "../error.js";
import { isObject } from "../given.js";
import { dateOf, instance } from "../types.js";

/** Where a part of a document has the notes on the classes of its values. */
export const NESTED = "__PROJECTED_NESTED_OBJECT_TYPES__";

/** Statistics that are times. */
const TIMES = ["indexTimestamp", "lastQueryTime"];

/** What the server says of an answer; filled when it is there. */
export class QueryStatistics {
  isStale;
  durationInMs;
  totalResults;
  skippedResults;
  scannedResults;
  timestamp;
  indexName;
  indexTimestamp;
  lastQueryTime;
  resultEtag;
  nodeTag;
}

/** Where the server's time went; filled when the answer is there. */
export class QueryTimings {
  durationInMs;
  timings;
}

export class Reading {
  /** The class of entities, if the app names one. */
  type;
  /** The fields that the app has chosen, in place of whole documents. */
  fields;
  untracked = false;
  /** Where the server takes these from, if the app says so. */
  projection;
  /** What a function of the app's own calls documents. */
  alias;
  /** Whether the app wants to know the statistics. */
  counts = false;
  /** Whether the server was to wait until its index is up to date. */
  waits = false;
  statistics = new QueryStatistics();
  timings = new QueryTimings();
  #unit;
  #found;
  #said;

  constructor(unit, type) {
    this.#unit = unit;
    this.type = type;
  }

  /** The same, with other fields or another class. */
  with(changes) {
    return Object.assign(new Reading(this.#unit, this.type), this, changes);
  }

  /** Takes what came back: entities, and the rest of the answer. */
  settle({ entities, said }) {
    this.#found = entities;
    this.#said = said;
    const { statistics } = this;
    for (const name of Object.keys(statistics)) statistics[name] = said[upper(name)];
    for (const name of TIMES) statistics[name] = time(said[upper(name)]);
    statistics.timestamp = statistics.indexTimestamp;
    if (said.Timings) Object.assign(this.timings, timings(said.Timings));
    if (this.waits && said.IsStale)
      fail("Timeout", "the index was not up to date in the time that was given");
  }

  entities() {
    return [...this.#found];
  }

  /** The answer as a whole. */
  result() {
    const { timestamp: _, ...statistics } = this.statistics;
    return { results: this.entities(), includedPaths: this.#said.IncludedPaths, ...statistics };
  }

  /** The app's part of a document, which is no entity; `told` gets what listeners are to hear. */
  project(document, told) {
    const { fields, type } = this;
    const isValue = fields?.length === 1 && !type && !isObject(document[fields[0]]);
    if (isValue) return this.#revived(document)[fields[0]] ?? null;
    return convert(this.#unit, document, type, told, (document) => {
      const shown = this.#revived(document);
      if (fields === undefined) return type ? instance(type, shown) : shown;
      const made = instance(type ?? Object);
      for (const name of fields) made[name] = shown[name];
      return made;
    });
  }

  #revived({ [NESTED]: nested, ...shown }) {
    if (nested) this.#unit.shape.revive(shown, nested);
    return shown;
  }
}

function time(text) {
  return text ? dateOf(text) : undefined;
}

function timings({ DurationInMs: durationInMs, Timings: parts }) {
  const inner = Object.entries(parts ?? {}).map(([name, part]) => [lower(name), timings(part)]);
  return Object.assign(new QueryTimings(), {
    durationInMs,
    timings: parts ? Object.fromEntries(inner) : undefined,
  });
}
