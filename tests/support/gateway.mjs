// The gateway in real workerd, before a server of the tests, with a wire between them on which every request is seen.
import { fileURLToPath } from "node:url";
import { proxy } from "./proxy.mjs";
import { database, ravendb } from "./server.mjs";
import { workerd } from "./workerd.mjs";

const resolveDir = fileURLToPath(new URL(".", import.meta.url));
const alias = { "raven-edge/gateway": fileURLToPath(new URL("../../pkg/gateway.js", import.meta.url)) };

/** A secret for tests. */
export const SECRET = "a secret of the tests, 32 or more";

/**
 * A gateway: `url` is where it listens, `base` the database behind it, `wire` what it sends to the server. `options` is the
 * configuration beyond that, `functions` the text of those of its members that are code, `more` further options of miniflare.
 */
export async function gateway(
  t,
  { server = ravendb, base, options = {}, functions = "", env = {}, date = "2026-04-01", more } = {},
) {
  const name = base ?? (await database(t, server));
  const wire = await proxy(t, server.url);
  const config = { upstream: wire.url, database: name, secret: SECRET, ...options };
  const text = `
    import gateway from "raven-edge/gateway";
    export default gateway({ ...${JSON.stringify(config)}, ${functions} });`;
  const fetch = await workerd(t, { text, resolveDir, alias, compatibilityDate: date, bindings: env, more });
  return { url: fetch.url, base: name, wire };
}
