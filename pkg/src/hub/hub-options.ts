// The options of a hub: as apps give them, checked, and those of them that the core needs.

import { LIMIT_RANGE } from "../../gen/protocol.js";
import { type AllNames, checkNames, isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { checkTimeout, TIMEOUT } from "../common/time.js";
import { isLogOption, LOG_OPTION, type LogOption } from "../logging/request-line.js";
import { sourceOf } from "../numbers/number-source.js";
import type {
  ClassicSource,
  DocumentSource,
  HeadersSource,
  OwnSource,
  ServerSource,
} from "../store/store-options-types.js";

/** After so many milliseconds without a loan, unused numbers are returned. */
const IDLE = 600_000;
/** How many numbers a client gets at first and at most, if it does not ask for a number. */
const LOANS: Span = { first: 8, largest: 16 };
/** How many numbers the source is asked for at first and at most. */
const RANGES: Span = { first: 1_024, largest: 65_536 };

const OPTIONS = [
  "upstream",
  "namespace",
  "source",
  "nodeTag",
  "loans",
  "ranges",
  "idle",
  "timeout",
  "log",
] as const;

/**
 * The options, checked.
 * @internal
 */
export type HubSettings<Env> = ReturnType<typeof settingsOf<Env>>;

/** @internal */
export function settingsOf<Env>(options: Partial<HubOptions<Env>> = {}) {
  checkNames("option", options, OPTIONS satisfies AllNames<HubOptions<Env>, typeof OPTIONS>);
  const { upstream, namespace, nodeTag, timeout = TIMEOUT, idle = IDLE, log } = options;
  const source = sourceOf(options.source);
  if (typeof namespace !== "function")
    fail("InvalidArgument", "namespace: (env) => the Durable Objects' namespace");
  if (nodeTag !== undefined && !/^[A-Za-z0-9]{1,16}$/.test(nodeTag))
    fail("InvalidArgument", "nodeTag has 1 to 16 letters and digits");
  checkTimeout(timeout);
  if (!isLogOption(log)) fail("InvalidArgument", LOG_OPTION);
  if (!(idle > 0)) fail("InvalidArgument", "idle is a number of milliseconds above 0, or Infinity");
  const [loans, ranges] = [span("loans", LOANS, options), span("ranges", RANGES, options)];
  /** Throws for an invalid address. */
  const reach = (env: Env) => upstreamOf(typeof upstream === "function" ? upstream(env) : upstream);
  return {
    namespace,
    idle,
    log,
    /** Functions of the app that are called in place of requests, by the path of these. */
    call: source.call,
    upstream: reach,
    /** The configuration of the core. */
    config: (env: Env) => ({
      kind: source.kind,
      detail: source.detail,
      scoped: source.scoped,
      identity: JSON.stringify([source.name, ...source.id, nodeTag]),
      urls: reach(env).urls,
      nodeTag,
      // The core counts whole milliseconds.
      timeout: Math.ceil(timeout),
      loans,
      most: ranges.first,
      ranges,
    }),
  };
}

function span(
  name: "loans" | "ranges",
  normal: Span,
  options: { readonly [name in "loans" | "ranges"]?: Partial<Span> },
): Span {
  checkNames(`option of ${name}`, options[name], ["first", "largest"]);
  const { first, largest } = { ...normal, ...options[name] };
  for (const size of [first, largest])
    if (!(Number.isInteger(size) && size >= 1 && size <= LIMIT_RANGE && first <= largest))
      fail("InvalidArgument", `${name}: { first, largest }, whole numbers from 1 to ${LIMIT_RANGE}`);
  return { first, largest };
}

/** A RavenDB, checked. `chosen`: a URL, several, or `{ url, fetch, headers }`. */
function upstreamOf(chosen: string | string[] | HubUpstream | undefined) {
  // A `URL` object is an address, too.
  if (isObject(chosen) && "url" in chosen)
    checkNames("option of upstream", chosen, ["url", "fetch", "headers"]);
  const {
    url = chosen as string | string[],
    fetch = globalThis.fetch,
    headers,
  } = (chosen ?? {}) as Partial<HubUpstream>;
  const urls = (Array.isArray(url) ? url : [url]).map((address) => String(address).replace(/\/+$/, ""));
  for (const address of urls)
    if (!URL.canParse(address)) fail("InvalidArgument", `upstream: "${address}" is not a URL`);
  return {
    /** Without `/` at the end, each once. */
    urls: [...new Set(urls)] as [string, ...string[]],
    headers,
    // Called as a plain function: the platform's `fetch` throws if it is called as a method.
    fetch: (...given: Parameters<typeof fetch>) => fetch(...given),
  };
}

/** What a hub uses of a Durable Object's stub. */
export interface HubStub {
  fetch(request: Request): Promise<Response>;
}

/** What a hub uses of a `DurableObjectNamespace`. */
export interface HubNamespace {
  idFromName(name: string): unknown;
  // `any`, because the type of ids is the platform's own.
  // biome-ignore lint/suspicious/noExplicitAny: a namespace takes its own ids only
  get(id: any): HubStub;
}

/** A RavenDB, and how it is reached. */
export interface HubUpstream {
  /** Its address, or those of several nodes: leases fail over, all other requests go to the first one. */
  url: string | string[];
  /** Sends the requests; default the global `fetch`. A certificate or service binding: `env.RAVEN.fetch.bind(env.RAVEN)`. */
  fetch?: typeof fetch;
  /** Headers for the hub's own requests. Those of clients are forwarded unchanged. */
  headers?: HeadersSource;
}

/** The first and the largest size of something that adapts: whole numbers from 1 to 1,048,576. */
export interface Span {
  first: number;
  largest: number;
}

/** Options of a hub. Invalid ones are refused with the code `InvalidArgument`. */
export interface HubOptions<Env> {
  /** The RavenDB behind it. */
  upstream: string | string[] | HubUpstream | ((env: Env) => string | string[] | HubUpstream);
  /** The binding of the class {@link LeaseHubWorker.LeaseHub}. */
  namespace: (env: Env) => HubNamespace;
  /** Where the large ranges come from, as for a store. Default `"server"`. */
  source?: "server" | "document" | ServerSource | DocumentSource | ClassicSource | OwnSource;
  /** The node tag of ids if the source has none: `H1` in `orders/1-H1`. No other source may use the same tag. */
  nodeTag?: string;
  /**
   * How many numbers a client gets: twice as many when it comes back within 30 seconds, half as many after a minute. A
   * client that ends without returning its numbers loses half of its last ones. A request for more than 32 gets as many as it
   * asks for. Default `{ first: 8, largest: 16 }`.
   */
  loans?: Partial<Span>;
  /**
   * How many numbers the hub requests: four times as many if the last ones were used up within a minute, a quarter if
   * they lasted ten. Default `{ first: 1024, largest: 65536 }`.
   */
  ranges?: Partial<Span>;
  /** After so many milliseconds without a loan the hub returns its numbers. Default 600,000; `Infinity`: never. */
  idle?: number;
  /** Time limit in milliseconds of a lease from the source. Default 15,000. */
  timeout?: number;
  /** What is logged: lines up to a level, or a function that gets them; default `"warn"`: failed and refused requests. */
  log?: LogOption<Env>;
}

/** A hub: export `fetch` and `LeaseHub` as the platform requires. */
export interface LeaseHubWorker<Env> {
  /**
   * Sends leases and fenced returns to the hubs, and forwards all other requests. A store in the same Worker can use it as its `fetch`:
   * `new DocumentStore("https://hub", "Shop", { fetch: (input, init) => shop.fetch(new Request(input, init), env) })`.
   */
  fetch(
    request: Request,
    env: Env,
    context?: { waitUntil(promise: Promise<unknown>): void },
  ): Promise<Response>;
  /** Returns a hub's numbers of a counter to the server, if they are still the end of the server's last range. */
  release(env: Env, database: string, tag: string): Promise<void>;
  /** Burns all numbers that a hub has or has lent: needed after its storage was restored to an earlier time. */
  burn(env: Env, database: string, tag: string): Promise<void>;
  /** The class to export for the binding; its migration is one of `new_sqlite_classes`. */
  LeaseHub: new (
    // biome-ignore lint/suspicious/noExplicitAny: the platform's own state
    ctx: any,
    env: Env,
  ) => { fetch(request: Request): Promise<Response>; alarm(): Promise<void> };
}
