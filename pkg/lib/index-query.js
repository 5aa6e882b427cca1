// The body that says a query to the server, from whatever says it to us.

import { upper } from "./camel.js";
import { fail } from "./error.js";
import { isText } from "./given.js";

/** What RavenDB's clients call it when there is no such index: the server has no name for it. */
export const NO_INDEX = "Raven.Client.Exceptions.Documents.Indexes.IndexDoesNotExistException";

/** The sum of the milliseconds that the pattern finds in a body. */
export function waited(body, pattern) {
  let sum = 0;
  for (const [, millis] of body.matchAll(pattern)) sum += Number(millis);
  return sum;
}

/** A query in RQL with its parameters. */
export class IndexQuery {
  queryParameters;

  constructor(query) {
    this.query = query;
  }
}

/**
 * The text `{"Query":…,"QueryParameters":…}` of RQL, of an `IndexQuery`, or of what has a method `indexQuery` that gives
 * it: a session's queries do.
 */
export async function bodyOf(query) {
  if (typeof query?.indexQuery === "function") return query.indexQuery();
  return written(typeof query === "string" ? { query } : (query ?? {}));
}

/** The same of the members of an `IndexQuery`. What npm `ravendb` does not send is not sent. */
export function written({ query: text, queryParameters: parameters = null, skipStatistics: _, ...rest }) {
  if (!isText(text)) fail("InvalidArgument", "this takes a query");
  const options = Object.fromEntries(Object.entries(rest).map(([name, value]) => [upper(name), value]));
  return JSON.stringify({ Query: text, QueryParameters: parameters, ...options });
}
