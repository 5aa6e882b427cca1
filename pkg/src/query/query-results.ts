// Results of a query: documents or parts of them, statistics and timings.

import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { JsonObject } from "../common/json.js";
import type { ObjectTypeDescriptor, ServerDocument } from "../documents/entity-types.js";
import { instance, type Notes } from "../documents/mapping/nested-types.js";
import { put } from "../documents/snapshots/put-member.js";
import type { FetchedEntities } from "../loading/track-documents.js";
import { type ConversionEvent, convert } from "../loading/track-documents.js";
import type { SessionState } from "../session/session-state.js";
import type { ProjectionBehavior } from "./query-options.js";

/** The member of a projection that names the classes of its values. */
export const NESTED = "__PROJECTED_NESTED_OBJECT_TYPES__";

/** Statistics of a query; set when the response is there. */
export class QueryStatistics {
  isStale: boolean | undefined;
  durationInMs: number | undefined;
  totalResults: number | undefined;
  skippedResults: number | undefined;
  scannedResults: number | undefined;
  timestamp: Date | undefined;
  indexName: string | undefined;
  indexTimestamp: Date | undefined;
  lastQueryTime: Date | undefined;
  resultEtag: number | null | undefined;
  nodeTag: string | undefined;
  declare pending?: object[];
  declare keptAt?: Date;
}

/** How long the parts of a query took, in milliseconds; set when the response is there. */
export class QueryTimings {
  durationInMs: number | undefined;
  timings: Record<string, QueryTimings> | undefined;
}

/** The members of a `Reading` that a derived query sets anew. */
export interface ReadingChanges {
  type?: ObjectTypeDescriptor | undefined;
  fields?: string[] | undefined;
  alias?: string | null | undefined;
  projection?: ProjectionBehavior | undefined;
}

/** A class that reads a projection itself, as those of time series do. */
interface ProjectionClass {
  ofProjection(document: JsonObject): JsonObject;
}

/** How the response to a query is read, and its results. */
export class Reading {
  /** The class of entities, if the app names one. */
  type: ObjectTypeDescriptor | undefined;
  /** The fields that the app has selected; `undefined`: whole documents. */
  fields: string[] | undefined;
  untracked = false;
  /** Where the server takes the fields from; `undefined`: its default. */
  projection: ProjectionBehavior | undefined;
  /** The name of documents in a custom function of the app. */
  alias: string | null | undefined;
  /** Whether the app has asked for the statistics. */
  counts = false;
  /** Whether the server was to wait until its index is up to date. */
  waits = false;
  statistics = new QueryStatistics();
  timings = new QueryTimings();
  /** Further functions that get the members of the response other than its results. */
  declare receivers?: ((rest: JsonObject) => void)[];
  /** The name of the query for logs and monitoring of the server. */
  declare tag?: string;
  #state;
  #found: unknown[] | undefined;
  /** Whether results are facets or suggestions, which are no documents. */
  #isAggregated = false;
  #rest: JsonObject | undefined;

  constructor(state: SessionState, type: ObjectTypeDescriptor | undefined) {
    this.#state = state;
    this.type = type;
  }

  /** This reading with other fields or another class. */
  with(changes: ReadingChanges): Reading {
    return Object.assign(new Reading(this.#state, this.type), this, changes);
  }

  /** Takes the response: entities, and its other members. */
  accept({ entities, rest }: Pick<FetchedEntities, "entities" | "rest">): void {
    this.#found = entities;
    this.#rest = rest;
  }

  entities(): unknown[] {
    if (this.#isAggregated)
      fail("InvalidOperation", "the results are facets or suggestions: call executeAggregation()");
    // Called after `accept`.
    return [...(this.#found as unknown[])];
  }

  /** The response as a whole. */
  result() {
    const { timestamp: _, ...statistics } = this.statistics;
    return {
      results: [...(this.#found as unknown[])],
      includedPaths: (this.#rest as JsonObject).IncludedPaths,
      ...statistics,
    };
  }

  /** Converts a projection, which is no entity; adds to `events` what listeners get. */
  project(document: ServerDocument, events: ConversionEvent[]): unknown {
    if (!document["@metadata"]) {
      this.#isAggregated = true;
      return document;
    }
    const { fields, type } = this;
    const isValue = fields?.length === 1 && !type && !isObject(document[fields[0] as string]);
    if (isValue) return this.#revived(document)[fields[0] as string] ?? null;
    return convert(this.#state, document, type, events, (document) => {
      const shown = this.#revived(document);
      const read = (type as Partial<ProjectionClass> | undefined)?.ofProjection;
      if (read) return read(shown);
      if (fields === undefined) return type ? instance(type, shown) : shown;
      const made = instance(type ?? Object);
      for (const name of fields)
        if (!put(made, name, shown[name])) throw new TypeError(`its class does not let "${name}" be set`);
      return made;
    });
  }

  #revived({ [NESTED]: nested, ...shown }: ServerDocument): JsonObject {
    if (nested) this.#state.mapper.revive(shown, nested as Notes);
    return shown;
  }
}
