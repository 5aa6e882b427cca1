// Several requests in one (`multi_get`).

import { fetchAnswers } from "../entities.js";

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
  return fetchAnswers(unit, "multi_get", JSON.stringify({ Requests: all }), readings);
}
