// Parameters in the address of a request.

import { fail } from "../common/error.js";

/** Characters. RavenDB refuses request lines above 16 KB, and proxies often 8: beyond this the ids travel in a body. */
const LONGEST_QUERY = 4_000;

/** A value as a part of an address. */
function encoded(value: unknown): string {
  try {
    return encodeURIComponent(value as string);
  } catch {
    fail("InvalidArgument", `half of a surrogate pair cannot be sent: ${JSON.stringify(value)}`);
  }
}

/** Parameters, given as `[name, value]`, as the text of a query; those without a value are left out. */
export function query(parameters: (readonly [name: string, value: unknown])[]): string {
  return parameters
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join("&");
}

/** A request for documents by their ids: in the address, or, if there are many, in a body. */
export interface DocumentsRequest {
  route: string;
  body?: { Ids: readonly (string | null | undefined)[] };
}

/**
 * The request for documents by their ids, with parameters as `query` makes them. `null` and `undefined` among the ids are sent
 * empty, as npm `ravendb` does.
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
