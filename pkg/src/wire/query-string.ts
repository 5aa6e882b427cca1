// Makes the query string of a request.

import { fail } from "../common/error.js";

/** Maximum characters; more ids are sent in a body. RavenDB refuses request lines above 16 KB, many proxies above 8 KB. */
const LONGEST_QUERY = 4_000;

/** A value, encoded for an address. */
function encoded(value: unknown): string {
  try {
    return encodeURIComponent(value as string);
  } catch {
    fail("InvalidArgument", `a lone surrogate cannot be sent: ${JSON.stringify(value)}`);
  }
}

/** The query string of parameters `[name, value]`, without those that have no value. */
export function query(parameters: (readonly [name: string, value: unknown])[]): string {
  return parameters
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join("&");
}

/** A request for documents by ids: in the address, or in a body if there are many. */
export interface DocumentsRequest {
  route: string;
  body?: { Ids: readonly (string | null | undefined)[] };
}

/**
 * The request for documents by ids. `parameters`: a query string from `query`. As in npm `ravendb`, `null` and `undefined` among the
 * ids are sent as empty ids.
 */
export function byIds(
  parameters: string,
  ids: readonly (string | null | undefined)[] = [],
): DocumentsRequest {
  let line = `?${parameters}`;
  for (const id of ids) {
    if (line.length >= LONGEST_QUERY) break;
    line += `${line === "?" ? "" : "&"}id=${encoded(id ?? "")}`;
  }
  if (line.length < LONGEST_QUERY) return { route: `docs${line}` };
  return { route: `docs?${parameters}`, body: { Ids: ids } };
}
