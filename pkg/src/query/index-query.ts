// The body of a request for a query.

import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { lower, upper } from "../common/member-case.js";
import { refuseInvalidDates } from "../documents/mapping/date-format.js";
import type { ProjectionBehavior } from "./query-options.js";

/** The sum of the milliseconds that the pattern finds in a body. */
export function waited(body: string, pattern: RegExp): number {
  let sum = 0;
  for (const [, millis] of body.matchAll(pattern)) sum += Number(millis);
  return sum;
}

/** A query in RQL with its parameters, for streams and for `PatchByQueryOperation`. */
export class IndexQuery {
  /** Values by the names that the query has for them, without `$`. */
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, a parameter is any value
  queryParameters: Record<string, any> | undefined;
  /** RQL, such as `from Orders where total > $least`. */
  declare query: string;
  /** Whether the server waits until its index is up to date, and for how many milliseconds at most. */
  declare waitForNonStaleResults?: boolean;
  declare waitForNonStaleResultsTimeout?: number;
  /** Whether neither client nor server use their caches. */
  declare disableCaching?: boolean;
  declare projectionBehavior?: ProjectionBehavior | undefined;
  /** Whether the app did not ask for statistics. It is not sent. */
  declare skipStatistics?: boolean;
  /** See {@link RawDocumentQuery.withTag}. */
  declare tag?: string | undefined;

  constructor(query: string) {
    this.query = query;
  }
}

/** An object with the text of a query, as the queries of a session are. */
interface WithBody {
  indexQuery?(): string | Promise<string>;
}

/** The members of an `IndexQuery`; those that npm `ravendb` does not send are not sent. */
type Members = { [Name in keyof IndexQuery]?: IndexQuery[Name] | null };

/** The text `{"Query":…,"QueryParameters":…}` of RQL, of an `IndexQuery`, or of an object with a method `indexQuery`. */
export async function bodyOf(
  query: (string & WithBody) | (Members & WithBody) | null | undefined,
): Promise<string> {
  if (typeof query?.indexQuery === "function") return query.indexQuery();
  return written(typeof query === "string" ? { query } : (query ?? {}));
}

/** The body of a query, of the members of an `IndexQuery`. */
export function written({
  query: text,
  queryParameters: parameters = null,
  skipStatistics: _,
  ...rest
}: Members): string {
  if (!isText(text)) fail("InvalidArgument", "this takes a query");
  const options = Object.fromEntries(Object.entries(rest).map(([name, value]) => [upper(name), value]));
  return JSON.stringify({ Query: text, QueryParameters: parameters, ...options }, refuseInvalidDates);
}

/** How the response to a query is read, as far as the server gets it. */
interface SentReading {
  projection: ProjectionBehavior | undefined;
  counts: boolean;
}

/**
 * Makes an `IndexQuery` of the body of a query.
 * @internal
 */
export function indexQueryOf(body: string, { projection, counts }: SentReading): IndexQuery {
  const query = new IndexQuery("");
  for (const [name, value] of Object.entries(JSON.parse(body))) Reflect.set(query, lower(name), value);
  query.projectionBehavior = projection;
  query.skipStatistics = !counts;
  return query;
}
