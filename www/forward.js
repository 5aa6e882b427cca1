// A plain forwarder to a RavenDB server, for use on loopback only. Bodies are streamed in both directions, and
// headers are forwarded in both directions (among them Refresh-Topology, Database-Cluster-Tx-Id and ETag).

/** The routes that an app needs. A page must not administer the server. */
const ROUTES = /^\/(databases\/|topology$|build\/version$)/;

/** A response in the form of RavenDB's own errors, which clients can read. */
export function failure(status, type, message, url) {
  return Response.json({ Url: url, Type: type, Message: message, Error: message }, { status });
}

/** Removes the gzip encoding that workerd requests even if the caller did not: it has no use on loopback. */
function plain(response) {
  const passed = new Response(response.body, response);
  if (passed.headers.has("Content-Encoding")) {
    passed.headers.delete("Content-Encoding");
    passed.headers.delete("Content-Length");
  }
  return passed;
}

export async function forward(request, server) {
  const { pathname, search } = new URL(request.url);
  const path = pathname.slice("/raven".length);
  if (!ROUTES.test(path)) {
    return failure(400, "RouteNotFoundException", `the demo does not forward ${path}`, path + search);
  }
  const headers = new Headers(request.headers);
  // RavenDB refuses a foreign Origin with an empty 403. `guard.js` has checked the origin already.
  headers.delete("Origin");
  const { method, body } = request;
  try {
    const url = server.replace(/\/+$/, "") + path + search;
    return plain(await fetch(url, { method, headers, body, redirect: "manual" }));
  } catch (error) {
    return failure(
      502,
      "ServerNotReachable",
      `RavenDB at ${server} cannot be reached: ${error.message}`,
      path + search,
    );
  }
}
