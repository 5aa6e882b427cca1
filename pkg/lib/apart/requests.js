// Several requests in one (`multi_get`).

import { fetchAnswers } from "../entities.js";
import { waited } from "../index-query.js";

/** For how long queries let the server wait, which are texts here. Texts of the app have one `\` more before each quote. */
const WAITS = /,\\"WaitForNonStaleResultsTimeout\\":(\d+)/g;

/**
 * Several requests in one: `{ query, headers }` of documents or `{ route, body }`, and how to read the answer; gives `{ error }` for one
 * that failed.
 */
export async function fetchAll(unit, requests) {
  const all = requests.map(({ query, headers = {}, route = "docs", body }) => ({
    Url: unit.store.path(route),
    Query: query ? `?${query}` : "",
    Method: body ? "POST" : "GET",
    Headers: headers,
    Content: body,
  }));
  const readings = requests.map(({ reading }) => reading);
  const body = JSON.stringify({ Requests: all });
  return fetchAnswers(unit, "multi_get", body, readings, waited(body, WAITS));
}
