// The database of a Worker's environment, by the names of RavenDB's own template for Workers.

import type { Upstream } from "./options-types.js";

/** Variables and bindings of a Worker, as RavenDB's template for Workers names them. */
export interface DatabaseEnv {
  /** The addresses of RavenDB's nodes, with commas between them. */
  readonly DB_URLS: string;
  readonly DB_NAME: string;
  /** The binding of a client certificate (`mtls_certificates`); without it requests show none. */
  readonly DB_CERT?: { fetch: NonNullable<Upstream["fetch"]> } | undefined;
}

/**
 * The options `upstream` and `database` of a gateway from `DB_URLS`, `DB_NAME` and `DB_CERT`. Of several addresses the first one is used: a
 * gateway talks to one node.
 *
 * ```ts
 * import { env } from "cloudflare:workers";
 *
 * export default gateway({ ...fromEnv(env), path: "/raven", secret: env.GATEWAY_SECRET, collections: { Orders: "write" } });
 * ```
 * @throws {TypeError} without an address or a name; the message names the variable.
 */
export function fromEnv(env: DatabaseEnv): { upstream: () => Upstream; database: string } {
  const { DB_URLS, DB_NAME, DB_CERT } = env;
  const [url = ""] = String(DB_URLS ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);
  if (!/^https?:\/\//.test(url)) throw new TypeError('DB_URLS: an address such as "https://ravendb.example"');
  if (typeof DB_NAME !== "string" || !DB_NAME) throw new TypeError("DB_NAME: the name of the database");
  // A binding's `fetch` needs its binding.
  const upstream: Upstream = DB_CERT ? { url, fetch: (request) => DB_CERT.fetch(request) } : { url };
  return { upstream: () => upstream, database: DB_NAME };
}
