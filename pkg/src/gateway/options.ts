// A gateway's options: its database by a Worker's environment, and the parts that the core does not get (functions and secrets), checked.

import { type AllNames, checkNames } from "../common/arguments.js";
import { isLogOption, LOG_OPTION } from "../logging/request-line.js";
import type { GatewayOptions, Upstream } from "./options-types.js";

const OPTIONS = [
  "upstream",
  "database",
  "path",
  "claims",
  "queries",
  "patches",
  "sets",
  "collections",
  "secret",
  "authorize",
  "origins",
  "credentials",
  "headers",
  "limits",
  "rateLimit",
  "live",
  "log",
  "separator",
] as const;

/** The configuration, after its functions were checked. */
export function checked<Env>(options: GatewayOptions<Env>): GatewayOptions<Env> {
  if (typeof options !== "object" || options === null)
    throw new TypeError("the gateway needs a configuration");
  checkNames("option", options, OPTIONS satisfies AllNames<GatewayOptions, typeof OPTIONS>);
  const { upstream, secret, authorize, claims, rateLimit, log } = options;
  const either = (value: unknown, kinds: string[]) =>
    kinds.includes(Array.isArray(value) ? "array" : typeof value);
  const rules: [isFine: boolean, message: string][] = [
    [either(upstream, ["string", "function"]), "upstream: an address, or a function of env"],
    [either(secret, ["string", "array", "function"]), "secret: a text, several, or a function of env"],
    [either(authorize, ["undefined", "function"]), "authorize: a function"],
    // Else every row that names a claim would hide all documents.
    [authorize !== undefined || !claims?.length, "claims: without `authorize` no caller has any"],
    [either(rateLimit?.key, ["undefined", "function"]), "rateLimit.key: a function of the request"],
    [isLogOption(log), LOG_OPTION],
    ...limiters(options),
    ...connections(options),
  ];
  const wrong = rules.find(([isFine]) => !isFine);
  if (wrong) throw new TypeError(wrong[1]);
  return options;
}

/** The checks of connections for changes. */
function connections<Env>({ live }: GatewayOptions<Env>): [boolean, string][] {
  if (live === undefined || typeof live === "boolean") return [];
  if (typeof live !== "object" || live === null) return [[false, "live: true, or { reauthorize, hub }"]];
  checkNames("live", live, ["reauthorize", "hub"]);
  const { reauthorize = 1, hub } = live;
  return [
    [reauthorize >= 1 && reauthorize <= 86_400, "live.reauthorize: 1 to 86,400 seconds"],
    [hub === undefined || typeof hub === "function", "live.hub: a function of env"],
  ];
}

/** The checks of rate limits: each is a function, and each name is that of a query or patch. */
function limiters<Env>({ rateLimit, queries, sets, patches }: GatewayOptions<Env>): [boolean, string][] {
  if (rateLimit === undefined) return [];
  checkNames("rateLimit", rateLimit, ["limiter", "key", "queries", "patches"]);
  const { limiter } = rateLimit;
  const isOnlyForNames = limiter === undefined && (rateLimit.queries ?? rateLimit.patches) !== undefined;
  const rules: [boolean, string][] = [
    [isOnlyForNames || typeof limiter === "function", "rateLimit.limiter: a function of env"],
  ];
  for (const [kind, known] of [
    ["queries", { ...queries, ...sets }],
    ["patches", patches],
  ] as const) {
    for (const [name, of] of Object.entries(rateLimit[kind] ?? {})) {
      rules.push([
        Object.hasOwn(known ?? {}, name),
        `rateLimit.${kind}.${name}: there is no such name in \`${kind}\``,
      ]);
      rules.push([typeof of === "function", `rateLimit.${kind}.${name}: a function of env`]);
    }
  }
  return rules;
}

export function reached(upstream: string | Upstream): Upstream {
  const { url, fetch }: Partial<Upstream> =
    typeof upstream === "string" ? { url: upstream } : (upstream ?? {});
  if (typeof url !== "string" || !/^https?:\/\/[^?#@ ]+$/.test(url)) {
    throw new TypeError('upstream: an address such as "https://ravendb.example"');
  }
  return fetch ? { url, fetch } : { url };
}

export function secrets(secret: string | readonly string[]): string[] {
  const all = [secret].flat();
  if (all.length === 0 || all.some((one) => typeof one !== "string" || one.length < 32)) {
    throw new TypeError("secret: at least 32 random characters");
  }
  return all;
}

/** The replacer for `JSON.stringify`: refuses values that JSON does not have. The functions were removed before. */
export function plain(name: string, value: unknown): unknown {
  if (!["string", "number", "boolean", "object", "undefined"].includes(typeof value))
    throw new TypeError(`${name}: a ${typeof value} is not valid here`);
  return value;
}

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
