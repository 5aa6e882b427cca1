// The error for an index that does not exist.

import { RavenEdgeError } from "../common/error.js";
import { bare } from "../wire/server-error.js";

/** The exception of RavenDB's clients for an index that does not exist; the server does not send a type. */
export const NO_INDEX = "Raven.Client.Exceptions.Documents.Indexes.IndexDoesNotExistException";

/** The error for a 404 without a text, which is RavenDB's response if an index does not exist. */
export function missingIndex(indexName: string | undefined): RavenEdgeError {
  const message = indexName ? `there is no index ${indexName}` : bare(404, "");
  return new RavenEdgeError("Server", message, { type: indexName && NO_INDEX, status: 404 });
}
