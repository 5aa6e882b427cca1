// A plain forwarder to a RavenDB server, for use on loopback. Bodies stream both ways, headers pass both ways
// (Refresh-Topology, Database-Cluster-Tx-Id and ETag among them).

/** What an app needs; the administration of the server is no business of a page. */
const ROUTES = /^\/(databases\/|topology$|build\/version$)/;

/** An answer in the form of RavenDB's own errors, which is what a client knows how to read. */
export function failure(status, type, message, url) {
  return Response.json({ Url: url, Type: type, Message: message, Error: message }, { status });
}

/** workerd asks for gzip even where the caller did not; on loopback nobody needs it. */
function plain(answer) {
  const passed = new Response(answer.body, answer);
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
  // RavenDB answers a foreign Origin with an empty 403; whose page this is was checked before.
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
