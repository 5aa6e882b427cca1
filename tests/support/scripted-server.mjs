// A server whose responses the test determines.
import http from "node:http";
import { after } from "./cleanup.mjs";
import { whole } from "./request-body.mjs";

export const GRANT = {
  Prefix: "orders/",
  Low: 1,
  High: 32,
  LastSize: 32,
  ServerTag: "A",
  LastRangeAt: "2026-11-21T01:30:36.7546027Z",
};

/** The response to a lease that also reads the fence (`docs/leases.md`), in the form of `multi_get`. */
export function leased(
  grant,
  {
    status = 201,
    vector = "A:1-lY9rEB60dUKMGmDCZdqKnA",
    modified = grant?.LastRangeAt,
    max = grant?.High,
    second,
  } = {},
) {
  const document = {
    Max: max,
    "@metadata": {
      "@collection": "@hilo",
      "@id": "Raven/Hilo/orders",
      "@change-vector": vector,
      "@last-modified": modified,
    },
  };
  return JSON.stringify({
    Results: [
      { Result: grant, StatusCode: status, Headers: {} },
      second ?? { Result: { Results: [document], Includes: {} }, StatusCode: 200, Headers: {} },
    ],
  });
}

/** Responds to each request with the result of `rule`: `{ status, body, headers }`; records all requests. */
export async function scriptedServer(t, rule) {
  const requests = [];
  const server = http.createServer(async (request, response) => {
    const sent = await whole(request);
    const url = new URL(request.url, "http://x");
    const seen = {
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      body: sent,
      headers: request.headers,
    };
    requests.push(seen);
    const { status = 200, body = "", headers = {} } = await rule(seen, requests.length);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(t, () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${server.address().port}`, requests };
}
