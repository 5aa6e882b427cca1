// The gateway in real workerd, in front of a test server, with a proxy in between that records every request.
import http from "node:http";
import { fileURLToPath } from "node:url";
import { after } from "./cleanup.mjs";
import { proxy } from "./proxy.mjs";
import { BESIDE, database, ravendb } from "./server.mjs";
import { workerd } from "./workerd.mjs";

const resolveDir = fileURLToPath(new URL(".", import.meta.url));
const entry = (name) => fileURLToPath(new URL(`../../pkg/dist/entries/${name}.js`, import.meta.url));
const alias = {
  "raven-edge/gateway": entry("gateway"),
  "raven-edge/gateway-live": entry("gateway-live"),
};

/** A secret for tests. */
export const SECRET = "a secret of the tests, 32 or more";

/**
 * A gateway: `url` is its address, `base` the database behind it, `wire` the proxy to the server. `options`: further
 * configuration; `functions`: the text of members that are functions, `global`: of what they share; `more`: further options of
 * miniflare.
 */
export async function gateway(
  t,
  {
    server = ravendb,
    base,
    options = {},
    functions = "",
    global = "",
    env = {},
    date = "2026-04-01",
    more,
  } = {},
) {
  const name = base ?? (await database(t, server));
  const wire = await proxy(t, server.url);
  // Refusals are what many tests want.
  const config = { upstream: wire.url, database: name, secret: SECRET, log: "error", ...options };
  const from = options.live === undefined ? "raven-edge/gateway" : "raven-edge/gateway-live";
  const text = `
    import gateway from "${from}";
    ${global}
    export default gateway({ ...${JSON.stringify(config)}, ${functions} });`;
  const fetch = await workerd(t, { text, resolveDir, alias, compatibilityDate: date, bindings: env, more });
  return { url: fetch.url, base: name, wire };
}

/** A Worker with gateways, from its text. */
export const gatewayOf = (t, text) =>
  workerd(t, { text, resolveDir, alias, compatibilityDate: "2026-04-01" });

/** The collections of the client's suites; all have `write`, because refusals are tested elsewhere. */
const COLLECTIONS = ["Orders", "Lines", "Customers", "Notes", "Users", "Other", "Others", "Spares"];

/**
 * A gateway in front of all databases of the real RavenDB, for suites that create their own. A suite's direct
 * requests (`send` in server.mjs) carry a header and go to RavenDB; all others go through the gateway.
 */
export async function gateways(t) {
  const collections = Object.fromEntries(COLLECTIONS.map((name) => [name, "write"]));
  const limits = { range: 1_048_576, ids: 20_000, commands: 20_000, body: 64 << 20 };
  const config = { upstream: ravendb.url, secret: SECRET, collections, limits, log: "error" };
  const text = `
    import gateway from "raven-edge/gateway";
    const known = new Map();
    export default {
      fetch(request, env) {
        const { pathname, searchParams } = new URL(request.url);
        const database = decodeURIComponent(/^\\/databases\\/([^/]+)/.exec(pathname)?.[1] ?? searchParams.get("name") ?? "none");
        if (!known.has(database)) known.set(database, gateway({ ...${JSON.stringify(config)}, database }));
        return known.get(database).fetch(request, env);
      },
    };`;
  const { url } = await gatewayOf(t, text);
  // A connection that was idle for a while is not used again: workerd may be closing it.
  const agent = new http.Agent({ keepAlive: true, timeout: 2_000 });
  const server = http.createServer((incoming, outgoing) => {
    const { [BESIDE]: beside, host: _, ...headers } = incoming.headers;
    const { hostname, port } = new URL(beside ? ravendb.url : url);
    const { method, url: path } = incoming;
    const sent = http.request({ agent, hostname, port, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode, response.headers);
      response.pipe(outgoing);
    });
    sent.on("error", () => outgoing.destroy());
    outgoing.on("close", () => sent.destroy());
    incoming.pipe(sent);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(t, () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { name: "gateway", url: `http://127.0.0.1:${server.address().port}` };
}
