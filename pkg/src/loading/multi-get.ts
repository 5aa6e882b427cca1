// Sends several requests as one (`multi_get`).

import { waited } from "../query/index-query.js";
import type { SessionState } from "../session/session-state.js";
import { fetchResponses, type PartialRequest } from "./track-documents.js";

/** Finds how long queries let the server wait, in bodies that are texts here. Texts of the app have one more `\` before each quote. */
const WAITS = /,\\"WaitForNonStaleResultsTimeout\\":(\d+)/g;

/** Sends several requests in one; resolves with their entities, and with `{ error }` for each that failed. */
export async function fetchAll(state: SessionState, requests: PartialRequest[]) {
  const all = requests.map(({ query, headers = {}, route = "docs", body }) => ({
    Url: state.store.path(route),
    Query: query ? `?${query}` : "",
    Method: body ? "POST" : "GET",
    Headers: headers,
    Content: body,
  }));
  const readings = requests.map(({ reading }) => reading);
  const body = JSON.stringify({ Requests: all });
  return fetchResponses(state, "multi_get", body, readings, waited(body, WAITS));
}
