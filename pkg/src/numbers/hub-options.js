// The options of a hub, checked; what of them Rust wants to know.

import { LIMIT_RANGE } from "../../gen/protocol.js";
import { fail } from "../common/error.js";
import { checkTimeout, TIMEOUT } from "../common/timeout.js";
import { sourceOf } from "./number-source.js";

/** After so many milliseconds without a loan, what is unused goes back. */
const IDLE = 600_000;
/** What a client gets at first and at most, where it does not name a number. */
const LOANS = { first: 8, largest: 16 };
/** What the source is asked for at first and at most. */
const RANGES = { first: 1_024, largest: 65_536 };

export function settle(options = {}) {
  const { upstream, namespace, nodeTag, timeout = TIMEOUT, idle = IDLE } = options;
  const source = sourceOf(options.source);
  if (typeof namespace !== "function")
    fail("InvalidArgument", "namespace: (env) => the Durable Objects' namespace");
  if (nodeTag !== undefined && !/^[A-Za-z0-9]{1,16}$/.test(nodeTag))
    fail("InvalidArgument", "nodeTag has 1 to 16 letters and digits");
  checkTimeout(timeout);
  if (!(idle > 0)) fail("InvalidArgument", "idle is a number of milliseconds above 0, or Infinity");
  const [loans, ranges] = [span("loans", LOANS, options), span("ranges", RANGES, options)];
  const reach = (env) => upstreamOf(typeof upstream === "function" ? upstream(env) : upstream);
  return {
    namespace,
    idle,
    call: source.call,
    upstream: reach,
    config: (env) => ({
      kind: source.kind,
      detail: source.detail ?? 0,
      scoped: source.scoped,
      identity: JSON.stringify([source.name, ...source.id, nodeTag]),
      urls: reach(env).urls,
      nodeTag,
      // Rust counts whole milliseconds.
      timeout: Math.ceil(timeout),
      loans,
      most: ranges.first,
      ranges,
    }),
  };
}

function span(name, normal, options) {
  const { first, largest } = { ...normal, ...options[name] };
  for (const size of [first, largest])
    if (!(Number.isInteger(size) && size >= 1 && size <= LIMIT_RANGE && first <= largest))
      fail("InvalidArgument", `${name}: { first, largest }, whole numbers from 1 to ${LIMIT_RANGE}`);
  return { first, largest };
}

/** A URL, several, or `{ url, fetch, headers }`. */
function upstreamOf(chosen) {
  const { url = chosen, fetch = globalThis.fetch, headers } = chosen ?? {};
  const urls = (Array.isArray(url) ? url : [url]).map((address) => String(address).replace(/\/+$/, ""));
  for (const address of urls)
    if (!URL.canParse(address)) fail("InvalidArgument", `upstream: "${address}" is not a URL`);
  // Called as a function of its own: the platform's refuses to be somebody's method.
  return { urls: [...new Set(urls)], headers, fetch: (...args) => fetch(...args) };
}
