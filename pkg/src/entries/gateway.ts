// The gateway as a Worker: reads the request, asks the core, sends what it makes, and answers what it says.

import { Gateway, initSync, type Ruling } from "../../gen/edge_gateway.js";
import wasm from "../../gen/edge_gateway_bg.wasm";
import { checkNames } from "../common/known-names.js";

initSync({ module: wasm });

/**
 * What may be done with a collection.
 *
 * | level | what it permits |
 * |---|---|
 * | `"create"` | to lease ids and to store documents that are not there yet; nothing can be read |
 * | `"read"` | to load documents, to ask whether they are there, and to list them by a prefix |
 * | `"write"` | everything: lease, create, read, change, delete |
 *
 * `"lease"`, `"change"` and `"delete"` are the single parts that have no level of their own. An array permits the sum.
 */
export type Level = "create" | "read" | "write" | "lease" | "change" | "delete";

/** A collection whose ids do not begin as those of RavenDB's clients do (`orders/` for `Orders`). */
export interface CollectionRule {
  allow: Level | readonly Level[];
  /** What its ids begin with; ends with the separator. */
  prefix?: string;
}

/** One thing that a request would do. A write without a change vector is two: it changes what is there, or creates it. */
export interface Operation {
  action: "lease" | "return" | "create" | "read" | "list" | "change" | "delete" | "topology";
  /** Absent for `topology`. */
  collection?: string;
  /** The documents, by their ids as the caller wrote them, in any case; none for leases, returns and listings. */
  ids: string[];
  /** What the ids of a listing begin with. */
  prefix?: string;
}

/** What a request would do. All of it is within the levels already. */
export interface Intent {
  operations: Operation[];
}

/** Where RavenDB is. */
export interface Upstream {
  url: string;
  /** How it is reached: a certificate or service binding, `env.RAVEN.fetch.bind(env.RAVEN)`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** How much one request may ask for. */
export interface Limits {
  /** Numbers of a lease, 32 to 1,048,576; default 1,024. */
  range?: number;
  /** Bytes of a body; default 1 MiB. */
  body?: number;
  /** Commands of a batch; default 256. */
  commands?: number;
  /** Ids of a request; default 1,024. */
  ids?: number;
  /** Documents of a listing; default 256. */
  page?: number;
  /** Lazy loads in one request; default 32. */
  requests?: number;
}

/** The part of Cloudflare's rate limiting binding that is used. */
export interface RateLimiter {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

export interface GatewayOptions<Env = unknown> {
  /** RavenDB's address; or a function, where address or `fetch` come from the environment. */
  upstream: string | ((env: Env) => Upstream);
  /** The one database that there is for callers. */
  database: string;
  /** Where the gateway is mounted, such as `"/raven"`; default: at the root. */
  path?: string;
  /** What may be done, by collection. Others do not exist for callers. */
  collections: Record<string, Level | readonly Level[] | CollectionRule>;
  /**
   * Seals the proofs that ranges were leased here: at least 32 random characters. Several: the first one seals, all are
   * good, so that one can be replaced.
   */
  secret: string | readonly string[] | ((env: Env) => string | readonly string[]);
  /**
   * Who may do what, beyond the levels. `true` permits. A text that is not empty permits, too, and says who the caller is: then a range can
   * be given back by that caller alone. Anything else refuses. The body of `request` has been read. Where an answer has
   * included documents, it is asked a second time, about reading those.
   */
  authorize?: (request: Request, intent: Intent) => boolean | string | Promise<boolean | string>;
  /** Pages of these origins may call, beside the gateway's own: `["https://app.example"]`. */
  origins?: readonly string[];
  /** Whether those may send cookies; default: no. */
  credentials?: boolean;
  /** Further headers that those may send, for `authorize`: `["Authorization"]`. */
  headers?: readonly string[];
  limits?: Limits;
  /** A limit per client, by the platform's binding, refused requests included. `key` says who it is; default: the address. */
  rateLimit?: { limiter: (env: Env) => RateLimiter; key?: (request: Request) => string };
  /** The store's `identityPartsSeparator`; default `"/"`. */
  separator?: string;
}

/** A Worker's handler. Who calls it hands the platform's `context` on: a request whose caller goes away is then ended in order. */
export interface GatewayHandler<Env = unknown> {
  fetch(
    request: Request,
    env: Env,
    context?: { waitUntil(promise: Promise<unknown>): void },
  ): Promise<Response>;
}

/** Makes the Worker. A configuration that makes no sense throws at once, with the name of the field. */
export default function gateway<Env = unknown>(options: GatewayOptions<Env>): GatewayHandler<Env> {
  // What is a function, or a secret, stays out of the core's configuration.
  const { upstream, secret, authorize, rateLimit, ...config } = checked(options);
  const core = new Gateway(config);
  // What is known already is checked already.
  if (typeof upstream === "string") reached(upstream);
  if (typeof secret === "string" || Array.isArray(secret)) secrets(secret);

  return {
    fetch(request, env, context) {
      const answer = answered(request, env);
      // Where the caller goes away the platform would never go on with this, and the ruling would stay in the core's memory.
      context?.waitUntil(answer.catch(() => {}));
      return answer;
    },
  };

  async function answered(request: Request, env: Env): Promise<Response> {
    const ruling = core.rule(request.method, request.url, [...request.headers]);
    try {
      if (ruling.isOpen) await run(ruling, request, env);
      const head = ruling.head() as ResponseInit;
      const bytes = ruling.body() as Uint8Array<ArrayBuffer>;
      // Answers of these statuses must not have a body, not even an empty one.
      const empty = bytes.length === 0 || request.method === "HEAD";
      return new Response(empty ? null : bytes, head);
    } finally {
      ruling.free();
    }
  }

  async function run(ruling: Ruling, request: Request, env: Env): Promise<void> {
    // Before anything that costs: a flood need not be of requests that make sense.
    try {
      if (!(await isWithinRate(rateLimit, request, env)))
        return ruling.refuse("RateLimited", "too many requests; wait a moment");
    } catch (error) {
      return misconfigured(ruling, error);
    }
    ruling.judge(await read(request, core.bodyLimit));
    if (ruling.operations() === undefined) return;
    const identity = await permitted(ruling, request);
    if (identity === undefined) return;
    let sent: Request | undefined;
    let send: (request: Request) => Promise<Response>;
    try {
      const { url, fetch: own = fetch } = reached(typeof upstream === "function" ? upstream(env) : upstream);
      const words = secrets(typeof secret === "function" ? secret(env) : secret);
      sent = ruling.bind(url, words, identity === true ? undefined : identity);
      send = own;
    } catch (error) {
      return misconfigured(ruling, error);
    }
    if (sent === undefined) return;
    try {
      const answer = await send(sent);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      ruling.receive(answer.status, [...answer.headers], bytes);
    } catch (error) {
      log(error);
      ruling.refuse("UpstreamUnreachable", "RavenDB cannot be reached");
    }
    // Which documents are included the answer tells, and only that.
    if (ruling.operations() !== undefined) await permitted(ruling, request);
  }

  /** What `authorize` says of the caller, `true` without one; refuses and gives nothing where it does. */
  async function permitted(ruling: Ruling, request: Request): Promise<string | true | undefined> {
    if (!authorize) return true;
    try {
      const identity = await authorize(request, { operations: ruling.operations() as Operation[] });
      // An empty text names nobody.
      if (identity === true || (typeof identity === "string" && identity !== "")) return identity;
    } catch (error) {
      log(error);
    }
    ruling.refuse("NotAuthorized", "the caller may not do this");
    return undefined;
  }
}

function misconfigured(ruling: Ruling, error: unknown): void {
  log(error);
  ruling.refuse("Misconfigured", "the gateway is not configured; its log says more");
}

function log(error: unknown): void {
  console.error(`raven-edge gateway: ${(error as Error | undefined)?.message ?? error}`);
}

const OPTIONS = [
  "upstream",
  "database",
  "path",
  "collections",
  "secret",
  "authorize",
  "origins",
  "credentials",
  "headers",
  "limits",
  "rateLimit",
  "separator",
] as const;

/** Does not compile if `GatewayOptions` has an option that the list lacks. */
type AllOptions = keyof GatewayOptions extends (typeof OPTIONS)[number] ? readonly string[] : never;

/** The configuration, with its functions in their places. */
function checked<Env>(options: GatewayOptions<Env>): GatewayOptions<Env> {
  if (typeof options !== "object" || options === null)
    throw new TypeError("the gateway needs a configuration");
  checkNames("option", options, OPTIONS satisfies AllOptions);
  const { upstream, secret, authorize, rateLimit } = options;
  const either = (value: unknown, kinds: string[]) =>
    kinds.includes(Array.isArray(value) ? "array" : typeof value);
  const rules: [isFine: boolean, message: string][] = [
    [either(upstream, ["string", "function"]), "upstream: an address, or a function of env"],
    [either(secret, ["string", "array", "function"]), "secret: a text, several, or a function of env"],
    [either(authorize, ["undefined", "function"]), "authorize: a function"],
    [
      rateLimit === undefined || either(rateLimit?.limiter, ["function"]),
      "rateLimit.limiter: a function of env",
    ],
    [either(rateLimit?.key, ["undefined", "function"]), "rateLimit.key: a function of the request"],
  ];
  const wrong = rules.find(([isFine]) => !isFine);
  if (wrong) throw new TypeError(wrong[1]);
  return options;
}

function reached(upstream: string | Upstream): Upstream {
  const { url, fetch }: Partial<Upstream> =
    typeof upstream === "string" ? { url: upstream } : (upstream ?? {});
  if (typeof url !== "string" || !/^https?:\/\/[^?#@ ]+$/.test(url)) {
    throw new TypeError('upstream: an address such as "https://ravendb.example"');
  }
  return fetch ? { url, fetch } : { url };
}

function secrets(secret: string | readonly string[]): string[] {
  const all = [secret].flat();
  if (all.length === 0 || all.some((one) => typeof one !== "string" || one.length < 32)) {
    throw new TypeError("secret: at least 32 random characters");
  }
  return all;
}

/** At most one byte more than the limit: the core sees that it is too much. */
async function read(request: Request, limit: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
    if (length > limit) {
      reader.cancel().catch(() => {});
      break;
    }
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

async function isWithinRate<Env>(
  rateLimit: GatewayOptions<Env>["rateLimit"],
  request: Request,
  env: Env,
): Promise<boolean> {
  if (!rateLimit) return true;
  const { limiter, key = (of: Request) => of.headers.get("CF-Connecting-IP") ?? "" } = rateLimit;
  const { success } = await limiter(env).limit({ key: key(request) });
  return success;
}
