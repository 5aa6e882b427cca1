// Makes the request for documents by ids.

import { encoded } from "./query-string.js";

/** Maximum characters; more ids are sent in a body. RavenDB refuses request lines above 16 KB, many proxies above 8 KB. */
const LONGEST_QUERY = 4_000;

/**
 * The request for documents by ids: in the address, or in a body if there are many. `parameters`: a query string from `query`. As in npm
 * `ravendb`, `null` and `undefined` among the ids are sent as empty ids.
 */
export function byIds(parameters: string, ids: readonly (string | null | undefined)[] = []) {
  let line = `?${parameters}`;
  for (const id of ids) {
    if (line.length >= LONGEST_QUERY) break;
    line += `${line === "?" ? "" : "&"}id=${encoded(id ?? "")}`;
  }
  if (line.length < LONGEST_QUERY) return { route: `docs${line}` };
  return { route: `docs?${parameters}`, body: { Ids: ids } };
}
