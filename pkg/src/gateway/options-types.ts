// The configuration of a gateway, and its handler. Types alone.

import type { HubNamespace } from "../hub/hub-options.js";
import type { LogOption } from "../logging/request-line.js";

/**
 * The rights to a collection.
 *
 * | level | what it permits |
 * |---|---|
 * | `"create"` | to lease ids and to store documents that do not exist yet; nothing can be read |
 * | `"read"` | to load documents, to check whether they exist, and to list them by a prefix |
 * | `"write"` | everything: lease, create, read, change, delete |
 * | `"attach"` | to store, delete, rename, move and copy attachments of documents that exist, or that the same save stores |
 * | `"readAttachments"` | to read attachments; moving and copying one needs it for the source |
 *
 * `"lease"`, `"change"` and `"delete"` permit one action each. An array permits the actions of all its levels.
 */
export type Level =
  | "create"
  | "read"
  | "write"
  | "lease"
  | "change"
  | "delete"
  | "attach"
  | "readAttachments";

/** A value of a condition or a claim. Values of different types are never equal. */
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

/** The rights to a collection, with conditions and the prefix of its ids. */
export interface CollectionRule {
  allow: Level | readonly Level[];
  /**
   * Conditions by member path, such as `{ customerId: "$name", "team.id": { in: "$teams" } }`: the rights apply only to documents for
   * which all of them hold. For a change they must hold for the stored and the new document. Stored documents are read and judged
   * before a write, which RavenDB then applies only if they have not changed.
   */
  rows?: Record<string, RowCondition>;
  /** The prefix of its ids; ends with the separator. */
  prefix?: string;
  /** Which attachments its documents may get. Needs the level `"attach"`. */
  attachments?: AttachmentRule;
}

/** Limits of the attachments of a collection. */
export interface AttachmentRule {
  /** Maximum bytes of one attachment, 1 to 4,294,967,295; default: only `limits.upload` counts. */
  maxBytes?: number;
  /** Content types that callers may state, such as `["image/*", "application/pdf"]`; default: any. The content is not examined. */
  contentTypes?: readonly string[];
}

/** An action of a request. A write without a change vector has two: it may change a document, or create it. */
export interface Operation {
  action:
    | "lease"
    | "watch"
    | "return"
    | "create"
    | "read"
    | "list"
    | "change"
    | "delete"
    | "query"
    | "patch"
    | "attach"
    | "readAttachments"
    | "topology";
  /** Absent for `topology` and `query`, and for a `watch` when a connection begins. */
  collection?: string;
  /** The name of a named query or patch, and its parameters with their defaults. */
  name?: string;
  parameters?: Record<string, unknown>;
  /** The ids of the documents as the caller wrote them, in any case; none for leases, returns and listings. */
  ids: string[];
  /** The prefix of a listing or watch. */
  prefix?: string;
  /** The name of the attachment that is read, stored, deleted, moved or copied. */
  attachment?: string;
}

/** The actions of a request, as `authorize` gets them: the levels have permitted all of them already. */
export interface Intent {
  operations: Operation[];
}

/** A parameter of a named query or patch. It is required, unless it has a `default`, or `required` is `false`: then it is `null`. */
export type QueryParameter = { default?: unknown; required?: boolean } & ParameterType;

/** The type of a parameter, and its limits. */
export type ParameterType =
  /** Characters; default: 0 to 256. */
  | { type: "string"; minLength?: number; maxLength?: number }
  | { type: "number" | "integer"; min?: number; max?: number }
  | { type: "boolean" }
  /** A text such as `2026-11-23T12:00:00.000Z`. */
  | { type: "date" }
  /** Maximum bytes as JSON; default 1,024. */
  | { type: "object"; maxBytes?: number }
  | { type: "enum"; values: readonly Comparable[] }
  /** Maximum number of items; default 100. */
  | { type: "array"; of: ParameterType; maxItems?: number };

/** A query whose text only the Worker knows. Each result is judged by levels and rows. */
export interface NamedQuery {
  /**
   * RQL that finds documents, such as `from Orders where customerId = $name and total >= $from include customerId`. `$name` is a
   * parameter or a claim. `select`, `load`, `group by`, `limit` and the like are refused when the Worker starts.
   */
  query: string;
  parameters?: Record<string, QueryParameter>;
  /** The number of results of a page: the default and the maximum, 1 to 1,024; default 25. */
  page?: { default?: number; max?: number };
  /** The members that callers get; default: whole documents. */
  projection?: readonly string[];
  /** Whether the response has RavenDB's number of results, which includes hidden ones; default `false`. */
  total?: boolean;
  /**
   * The collections that it reads, which responses name, so that a page knows what to watch. Default: the one behind `from`; for an
   * index none.
   */
  collections?: readonly string[];
  /** Milliseconds that RavenDB waits until the index has seen all writes, 1 to 30,000; default: no wait. */
  wait?: number;
  /**
   * Whether callers may compare all its results with what they have: `POST …/queries/named/{name}/sync`; default `false`. Refused at
   * start for a query with `projection`, `include`, `filter_limit`, `now()`, `today()`, `random()` or `vector.search`.
   */
  set?: boolean;
}

/**
 * A change of one document, by a script that stays in the Worker. Callers who satisfy the rows of the collection may apply it,
 * whatever the levels of the collection are.
 */
export interface NamedPatch {
  /** One of the gateway's `collections`. */
  collection: string;
  /**
   * RavenDB's JavaScript, such as `this.lines.push($line)`. A name behind `$` or `args.` is a parameter or a claim, also in texts and
   * comments.
   */
  script: string;
  parameters?: Record<string, QueryParameter>;
}

/** The address of RavenDB. */
export interface Upstream {
  url: string;
  /** Sends the requests; for a certificate or service binding `env.RAVEN.fetch.bind(env.RAVEN)`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** The part of a Worker's context that is used. */
export interface GatewayContext {
  waitUntil(promise: Promise<unknown>): void;
}

/** A caller: its name, and the claims that {@link GatewayOptions.claims} declares. */
export interface Identity {
  /** Identifies the caller: only this caller can return the ranges that it leased. */
  name: string;
  [claim: string]: Comparable | readonly Comparable[] | undefined;
}

/** The result of `authorize`: see {@link GatewayOptions}. */
export type Authorization = boolean | string | Identity | null;

/** Options of connections for changes. */
export interface LiveOptions<Env = unknown> {
  /**
   * `authorize` is asked when a connection begins, about each watch, and again about all of them after so many seconds, 1 to 86,400;
   * default 300.
   */
  reauthorize?: number;
  /**
   * The binding of the class `ChangesHub` of `raven-edge/changes-hub`: all listeners share one connection to RavenDB. Default: one for
   * each listener.
   */
  hub?: (env: Env) => HubNamespace;
}

export interface GatewayOptions<Env = unknown> {
  /** RavenDB's address, or a function that takes it, or a `fetch`, from the environment. */
  upstream: string | ((env: Env) => Upstream);
  /** The only database that callers can reach. */
  database: string;
  /** The path of the gateway, such as `"/raven"`; default: the root. */
  path?: string;
  /** The names of the claims that `authorize` may return, such as `["name", "teams"]`; `name` is the name of the caller. */
  claims?: readonly string[];
  /** Named queries; `POST …/queries/named/{name}` with `{ Parameters, PageSize, Skip, Next }`. */
  queries?: Record<string, NamedQuery>;
  /** Sets of whole collections, under names that no query has: `{ items: { collection: "Items" } }`. They are named queries, too. */
  sets?: Record<string, { collection: string }>;
  /** Named patches; in `bulk_docs` as `{ Type: "PATCH", Id, Named, Parameters, ChangeVector, ReturnDocument }`. */
  patches?: Record<string, NamedPatch>;
  /** The rights by collection. Other collections do not exist for callers. */
  collections: Record<string, Level | readonly Level[] | CollectionRule>;
  /**
   * Seals the tokens that prove leases: at least 32 random characters. In a list the first seals and all are accepted, so that a secret
   * can be replaced.
   */
  secret: string | readonly string[] | ((env: Env) => string | readonly string[]);
  /**
   * Permits or refuses a request that the levels permit.
   *
   * | result | |
   * |---|---|
   * | `true` | permitted |
   * | a text that is not empty | permitted; the text identifies the caller: only this caller can return the ranges that it leased |
   * | an object with a `name` | the same with the caller's claims, for rows and queries |
   * | `null` | nobody is signed in: 401, the client's `Unauthorized` |
   * | any other value, an exception, or no value within `limits.authorizeMs` | refused: 403 |
   *
   * The body of `request` has been read. If the response has included documents, it is called a second time, with a `read` of these.
   */
  authorize?: (
    request: Request,
    intent: Intent,
    env: Env,
    context: GatewayContext,
  ) => Authorization | Promise<Authorization>;
  /** Origins whose pages may call besides the gateway's own, such as `["https://app.example"]`. */
  origins?: readonly string[];
  /** Whether pages of these origins may send cookies; default `false`. */
  credentials?: boolean;
  /** Further headers that pages of these origins may send, for `authorize`: `["Authorization"]`. */
  headers?: readonly string[];
  limits?: Limits;
  /**
   * Whether callers may listen to changes of collections with the right `read`. Where rows judge a collection, a listener hears the
   * collection's name and no id. Default: `false`.
   */
  live?: boolean | LiveOptions<Env>;
  /** Limits of how often clients may ask. */
  rateLimit?: RateLimits<Env>;
  /** What is logged: lines up to a level, or a function that gets them; default `"warn"`: failed and refused requests. */
  log?: LogOption<Env>;
  /** The store's `identityPartsSeparator`; default `"/"`. */
  separator?: string;
}

/** A Worker's handler. Pass on the platform's `context`, so that a request is completed if its caller disconnects. */
export interface GatewayHandler<Env = unknown> {
  fetch(request: Request, env: Env, context?: GatewayContext): Promise<Response>;
}

/** Limits of one request. */
export interface Limits {
  /** Maximum numbers of a lease, 32 to 1,048,576; default 1,024. */
  range?: number;
  /** Maximum bytes of a body; default 1 MiB. */
  body?: number;
  /** Maximum bytes of a request that stores attachments, 1,024 to 4,294,967,295; default 64 MiB. They are not held in memory. */
  upload?: number;
  /** Maximum commands of a batch; default 256. */
  commands?: number;
  /** Maximum ids of a request; default 1,024. */
  ids?: number;
  /** Maximum of ids times include paths of a request; default 1,024. */
  includes?: number;
  /** Maximum documents of a listing; default 256. */
  page?: number;
  /** Maximum lazy loads in one request; default 32. */
  requests?: number;
  /** Results of a named query that are looked at for one page, 1 to 65,536; default: four times the page. */
  scanned?: number;
  /** Maximum documents of a set that its caller may see, 1 to 1,000,000; default 20,000. */
  set?: number;
  /** Bytes of a response of RavenDB, and of one document of a stream, 64 KiB to 128 MiB; default 32 MiB. */
  response?: number;
  /** Milliseconds for `authorize`, and for the rate limiter; default 10,000. */
  authorizeMs?: number;
  /** Milliseconds until RavenDB has responded; in a stream for each piece, until the caller has read it. Default 30,000. */
  upstreamMs?: number;
}

/** The part of Cloudflare's rate limiting binding that is used. */
export interface RateLimiter {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** Limits of how often clients may ask, by the platform's binding. */
export interface RateLimits<Env = unknown> {
  /** For all requests of a client, refused requests included. */
  limiter?: (env: Env) => RateLimiter;
  /** The key of a client; default: its address, and for limiters by name the caller's name if `authorize` returns one. */
  key?: (request: Request) => string;
  /** For single named queries: each counts by itself, after `authorize`, and pages, streams and comparisons count alike. */
  queries?: Record<string, (env: Env) => RateLimiter>;
  /** For single named patches, counted as `queries`. */
  patches?: Record<string, (env: Env) => RateLimiter>;
}

/** What both entries have as their default: a type, because a CommonJS declaration has no default that an ES module can import. */
export type MakeGateway = <Env = unknown>(options: GatewayOptions<Env>) => GatewayHandler<Env>;
