// The options of a hub, checked; and those of them that the core needs.

import { LIMIT_RANGE } from "../../gen/protocol.js";
import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { checkNames } from "../common/known-names.js";
import { checkTimeout, TIMEOUT } from "../common/time.js";
import type { LogOption } from "../logging/log-types.js";
import { isLogOption, LOG_OPTION } from "../logging/request-line.js";
import { type AppCalls, sourceOf } from "../numbers/number-source.js";
import type { HeadersSource } from "../store/store-options-types.js";
import type { HubNamespace, HubOptions, HubUpstream, Span } from "./hub-types.js";

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

/** Does not compile if `HubOptions` has an option that the list lacks. */
type AllOptions = keyof HubOptions<unknown> extends (typeof OPTIONS)[number] ? readonly string[] : never;

/** A RavenDB, checked. */
export interface Upstream {
  /** Without `/` at the end, each once. */
  readonly urls: [string, ...string[]];
  readonly headers: HeadersSource | undefined;
  readonly fetch: typeof fetch;
}

/** The options, checked. */
export interface HubSettings<Env> {
  namespace(env: Env): HubNamespace;
  readonly idle: number;
  readonly log: LogOption<Env> | undefined;
  /** Functions of the app that are called in place of requests, by the path of these. */
  readonly call: AppCalls | undefined;
  /** Throws for an invalid address. */
  upstream(env: Env): Upstream;
  /** The configuration of the core. */
  config(env: Env): object;
}

export function settingsOf<Env>(options: Partial<HubOptions<Env>> = {}): HubSettings<Env> {
  checkNames("option", options, OPTIONS satisfies AllOptions);
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
  const reach = (env: Env) => upstreamOf(typeof upstream === "function" ? upstream(env) : upstream);
  return {
    namespace,
    idle,
    log,
    call: source.call,
    upstream: reach,
    config: (env) => ({
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

/** `chosen`: a URL, several, or `{ url, fetch, headers }`. */
function upstreamOf(chosen: string | string[] | HubUpstream | undefined): Upstream {
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
    urls: [...new Set(urls)] as [string, ...string[]],
    headers,
    // Called as a plain function: the platform's `fetch` throws if it is called as a method.
    fetch: (...args) => fetch(...args),
  };
}
