// The demo's Worker. It serves the page's files, and RavenDB's routes under /raven/ on the same origin, because
// RavenDB refuses pages of other origins. /raven/ leads to a RavenDB (env.RAVENDB_URL) or to the authority in this
// Worker; /hub/ does the same with leases from a hub; /gateway/ does the same for untrusted callers, and /mine/ for callers who
// are signed in: the page "my orders".

import { AuthorityObject, authorityFor } from "raven-edge/authority";
import gateway from "raven-edge/gateway";
import { hub } from "raven-edge/hub";
import { failure, forward } from "./forward.js";
import { isForeign } from "./guard.js";
import { mine } from "./mine.js";
import { signIn } from "./sign-in.js";

const shop = hub({
  namespace: (env) => env.HUB,
  upstream: (env) => ({
    url: env.RAVENDB_URL ?? "https://authority",
    fetch: (input, init) => server(new Request(input, init), env),
  }),
});
const { LeaseHub } = shop;

const upstream = (env) => ({
  url: env.RAVENDB_URL ?? "https://authority",
  fetch: (request) => server(request, env),
});

let gateways;

/**
 * Creates the gateways with the first request, because only requests bring the environment, which names the database.
 */
function gatewayOf(path, { DATABASE: database = "Shop" }) {
  const collections = { Orders: ["create", "read"] };
  const secret = (env) => env.GATEWAY_SECRET;
  gateways ??= {
    gateway: gateway({ path: "/gateway", database, collections, upstream, secret }),
    mine: mine(database, upstream),
  };
  return gateways[path];
}

export { AuthorityObject, LeaseHub };

/** What the page needs to know. */
function about({ RAVENDB_URL, DATABASE = "Shop" }) {
  return { name: RAVENDB_URL ? "RavenDB" : "authority", database: DATABASE };
}

/** RavenDB, or the authority instead. */
function server(request, env) {
  return env.RAVENDB_URL ? fetch(request) : authorityFor(env.AUTHORITY, request.url).fetch(request);
}

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
  fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (isForeign(request, env)) return new Response(null, { status: 403 });
    if (pathname === "/server") return Response.json(about(env));
    if (pathname === "/sign-in" && request.method === "POST") return signIn(request, env);
    const [, path] = /^\/(gateway|mine)\//.exec(pathname) ?? [];
    if (path) return gatewayOf(path, env).fetch(request, env, context);
    if (!/^\/(raven|hub)\//.test(pathname)) return file(request, env);
    // Both trust all callers.
    if (env.PUBLIC && env.RAVENDB_URL)
      return failure(403, "GatewayNeeded", "a public demo offers RavenDB through /gateway only", pathname);
    if (pathname.startsWith("/hub/")) return shop.fetch(request, env, context);
    if (env.RAVENDB_URL) return forward(request, env.RAVENDB_URL);
    return authorityFor(env.AUTHORITY, request.url).fetch(request);
  },
};
