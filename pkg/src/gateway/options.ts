// The configuration of a gateway, and its handler.

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

/** A value that rows and claims compare: values of different types are never equal. */
export type Comparable = string | number | boolean | null;

/**
 * A condition on a member of a document. A text that begins with `$` names a claim, such as `"$name"`; `"$$x"` is the text `$x`.
 *
 * | condition | holds if the member |
 * |---|---|
 * | a value or claim | equals it |
 * | `{ in: [...] }` or `{ in: "$claim" }` | equals one of the values; the claim is a list |
 * | `{ contains: ... }` | is an array with this value in it |
 *
 * A missing member or claim, or one of another type, satisfies no condition.
 */
export type RowCondition = Comparable | { in: string | readonly Comparable[] } | { contains: Comparable };

/** What callers may do with a collection, in full. */
export interface CollectionRule {
  allow: Level | readonly Level[];
  /**
   * With which documents: conditions by member path, such as `{ customerId: "$name", "team.id": { in: "$teams" } }`. All must
   * hold: for a document that is read, for a new one, and for both the stored and the new one of a change. Stored documents are
   * read and judged before a write, which RavenDB then applies only if they have not changed.
   */
  rows?: Record<string, RowCondition>;
  /** What its ids begin with; ends with the separator. */
  prefix?: string;
}

/** One thing that a request would do. A write without a change vector is two: it changes what is there, or creates it. */
export interface Operation {
  action: "lease" | "return" | "create" | "read" | "list" | "change" | "delete" | "query" | "topology";
  /** Absent for `topology` and `query`. */
  collection?: string;
  /** The name of a named query, and its parameters with their defaults. */
  name?: string;
  parameters?: Record<string, unknown>;
  /** The documents, by their ids as the caller wrote them, in any case; none for leases, returns and listings. */
  ids: string[];
  /** What the ids of a listing begin with. */
  prefix?: string;
}

/** What a request would do. All of it is within the levels already. */
export interface Intent {
  operations: Operation[];
}

/** A parameter of a named query. Without `default` it must be given, unless `required` is false: then it is `null`. */
export type QueryParameter = { default?: unknown; required?: boolean } & ParameterType;

/** The type of a parameter, and its bounds. */
export type ParameterType =
  /** Characters; default: 0 to 256. */
  | { type: "string"; minLength?: number; maxLength?: number }
  | { type: "number" | "integer"; min?: number; max?: number }
  | { type: "boolean" }
  /** Such as `2026-11-23T12:00:00.000Z`. */
  | { type: "date" }
  /** Bytes of its JSON; default: 1,024 at most. */
  | { type: "object"; maxBytes?: number }
  | { type: "enum"; values: readonly Comparable[] }
  /** Items; default: 100 at most. */
  | { type: "array"; of: ParameterType; maxItems?: number };

/** A query whose text stays in the Worker. Each document that it finds is judged by level and rows. */
export interface NamedQuery {
  /**
   * RQL that finds documents, such as `from Orders where customerId = $name and total >= $from include customerId`. A name behind
   * `$` is a parameter or a claim. `select`, `load`, `group by`, `limit` and the like are refused when the Worker starts.
   */
  query: string;
  parameters?: Record<string, QueryParameter>;
  /** Results of a page: if the caller says nothing, and at most (1 to 1,024); default 25. */
  page?: { default?: number; max?: number };
  /** The members that callers get; default: whole documents. */
  projection?: readonly string[];
  /** Whether callers are told how many results RavenDB found, hidden ones included; default: no. */
  total?: boolean;
  /** How long RavenDB waits until the index has seen all writes, in milliseconds, 1 to 30,000; default: not at all. */
  wait?: number;
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
  /** Ids times include paths of a request; default 1,024. */
  includes?: number;
  /** Documents of a listing; default 256. */
  page?: number;
  /** Lazy loads in one request; default 32. */
  requests?: number;
  /** Milliseconds for `authorize`, and for the rate limiter; default 10,000. */
  authorizeMs?: number;
  /** Milliseconds until RavenDB has answered; default 30,000. */
  upstreamMs?: number;
}

/** The part of a Worker's context that is used. */
export interface GatewayContext {
  waitUntil(promise: Promise<unknown>): void;
}

/** A caller: its name, and the claims that {@link GatewayOptions.claims} declares. */
export interface Identity {
  /** Who it is: a range can be given back by that caller alone. */
  name: string;
  [claim: string]: Comparable | readonly Comparable[] | undefined;
}

/** What `authorize` says: see {@link GatewayOptions}. */
export type Authorization = boolean | string | Identity | null;

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
  /** The names of the claims that `authorize` may return, such as `["name", "teams"]`; `name` is the caller's own. */
  claims?: readonly string[];
  /** Named queries; `POST …/queries/named/{name}` with `{ Parameters, PageSize, Skip, Next }`. */
  queries?: Record<string, NamedQuery>;
  /** What may be done, by collection. Others do not exist for callers. */
  collections: Record<string, Level | readonly Level[] | CollectionRule>;
  /**
   * Seals the proofs that ranges were leased here: at least 32 random characters. Several: the first one seals, all are
   * good, so that one can be replaced.
   */
  secret: string | readonly string[] | ((env: Env) => string | readonly string[]);
  /**
   * Who may do what, beyond the levels.
   *
   * | result | |
   * |---|---|
   * | `true` | permitted |
   * | a text that is not empty | permitted, and says who the caller is: a range can be given back by that caller alone |
   * | an object with a `name` | the same with the caller's claims, for rows and queries |
   * | `null` | nobody is signed in: 401, the client's `Unauthorized` |
   * | anything else, an exception, or none within `limits.authorizeMs` | refused: 403 |
   *
   * The body of `request` has been read. Where a response has included documents, it is called a second time, about
   * reading those.
   */
  authorize?: (
    request: Request,
    intent: Intent,
    env: Env,
    context: GatewayContext,
  ) => Authorization | Promise<Authorization>;
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
  fetch(request: Request, env: Env, context?: GatewayContext): Promise<Response>;
}
