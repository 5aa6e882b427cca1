// Queries of `docs`.

import { fail } from "./error.js";

/** RavenDB refuses request lines above 16 KB, and proxies often 8: beyond this the ids travel in a body. */
const LONGEST_QUERY = 4_000;

/** A value as a part of an address. */
function encoded(value) {
  try {
    return encodeURIComponent(value);
  } catch {
    fail("InvalidArgument", `half of a surrogate pair cannot be sent: ${JSON.stringify(value)}`);
  }
}

/** Parameters as `[name, value]` in a query; those without a value are left out. */
export function query(parameters) {
  return parameters
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join("&");
}

/** The request for documents by their ids (`null` and `undefined` are sent empty, as npm `ravendb` does), and by parameters as `query` makes them: `body` has the ids of a long one. */
export function byIds(parameters, ids = []) {
  let line = `?${parameters}`;
  for (const id of ids) {
    if (line.length >= LONGEST_QUERY) break;
    line += `${line === "?" ? "" : "&"}id=${encoded(id ?? "")}`;
  }
  if (line.length < LONGEST_QUERY) return { route: `docs${line}` };
  return { route: `docs?${parameters}`, body: { Ids: ids } };
}
