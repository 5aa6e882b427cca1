// What the response to a query says besides its results.

import { fail, RavenEdgeError } from "../common/error.js";
import type { JsonObject } from "../common/json.js";
import { lower, upper } from "../common/member-case.js";
import type { ServerDocument } from "../documents/entity-types.js";
import { dateOf } from "../documents/mapping/date-format.js";
import { type QueryStatistics, QueryTimings, type Reading } from "../query/query-results.js";
import type { SessionState } from "../session/session-state.js";
import { bare } from "../wire/server-error.js";

/** Statistics that are times. */
const TIMES = ["indexTimestamp", "lastQueryTime"] as const;

/** Timings as the server sends them. */
interface SentTimings {
  DurationInMs: number;
  Timings?: Record<string, SentTimings> | null;
}

/** Fills statistics and timings from the members of a response. Fails if the app waits for an index that is still stale. */
export function fillStatistics(
  { statistics, timings: shown, waits }: Reading,
  rest: JsonObject,
  { mapper }: Pick<SessionState, "mapper">,
): void {
  for (const name of Object.keys(statistics) as (keyof QueryStatistics)[])
    statistics[name] = rest[upper(name)] as never;
  for (const name of TIMES) statistics[name] = time(rest[upper(name)]);
  statistics.timestamp = statistics.indexTimestamp;
  // Only with `raven-edge/offline`.
  if (rest.Pending)
    // They may be of other classes than the results.
    statistics.pending = (rest.Pending as ServerDocument[]).map((document) => mapper.entity(document));
  // Only of queries by name.
  if (rest.Collections) Object.assign(statistics, { collections: rest.Collections });
  if (rest.KeptAt) statistics.keptAt = dateOf(rest.KeptAt as string);
  if (rest.Timings) Object.assign(shown, timings(rest.Timings as SentTimings));
  if (waits && rest.IsStale) fail("Timeout", "the index was not up to date in time");
}

function time(text: unknown): Date | undefined {
  return text ? dateOf(text as string) : undefined;
}

function timings({ DurationInMs: durationInMs, Timings: parts }: SentTimings): QueryTimings {
  const inner = Object.entries(parts ?? {}).map(([name, part]) => [lower(name), timings(part)]);
  return Object.assign(new QueryTimings(), {
    durationInMs,
    timings: parts ? Object.fromEntries(inner) : undefined,
  });
}

/** The exception of RavenDB's clients for an index that does not exist; the server does not send a type. */
export const NO_INDEX = "Raven.Client.Exceptions.Documents.Indexes.IndexDoesNotExistException";

/** The error for a 404 without a text, which is RavenDB's response if an index does not exist. */
export function missingIndex(indexName: string | undefined): RavenEdgeError {
  const message = indexName ? `there is no index ${indexName}` : bare(404, "");
  return new RavenEdgeError("Server", message, { type: indexName && NO_INDEX, status: 404 });
}
