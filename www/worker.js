// The demo's Worker: the page's files, and RavenDB's routes under /raven/ on the same origin, because RavenDB
// answers no page of another one. Behind /raven/ is a RavenDB (env.RAVENDB_URL) or the authority in this Worker.

import { AuthorityObject, authorityFor } from "raven-edge/authority";
import { forward } from "./forward.js";
import { isForeign } from "./guard.js";

export { AuthorityObject };

const SECURITY = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

async function file(request, env) {
  const found = await env.ASSETS.fetch(request);
  const response = new Response(found.body, found);
  for (const [name, value] of Object.entries(SECURITY)) response.headers.set(name, value);
  return response;
}

export default {
  fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (isForeign(request)) return new Response(null, { status: 403 });
    if (pathname === "/server") return Response.json({ name: env.RAVENDB_URL ? "RavenDB" : "authority" });
    if (!pathname.startsWith("/raven/")) return file(request, env);
    if (env.RAVENDB_URL) return forward(request, env.RAVENDB_URL);
    return authorityFor(env.AUTHORITY, request.url).fetch(request);
  },
};
