// Counters in sessions, which are loaded when they are first used.

import type { RqlWriter, SendBatch } from "../capabilities/session-part.js";
import { type IncludeCall, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { quoted } from "../rql/names-and-parameters.js";
import type { Batch } from "../saving/batch.js";
import type { SessionState } from "../session/session-state.js";
import type { Parameter } from "../wire/query-string.js";
import { namesOf } from "./counter-cache.js";

/** What `GET docs` takes for all counters. */
const ALL = "@all_counters";

/** The parameters of a load. */
export function parameters(calls: readonly IncludeCall[]): Parameter[] {
  for (const [method, ...given] of calls) {
    const isAll = method === "includeAllCounters";
    if (given.length > (isAll ? 0 : 1))
      fail("InvalidArgument", "a load includes counters of its own documents: only a query takes a path");
    if (!isAll) assertNames(given[0]);
  }
  const all = calls.filter(([method]) => method === "includeAllCounters");
  if (all.length === 0) return namesOf(calls).map((name) => ["counter", name]);
  if (all.length < calls.length)
    fail("InvalidOperation", "includeAllCounters includes the other counters, too: call it alone");
  return [["counter", ALL]];
}

function assertNames(given: unknown): asserts given is string | string[] {
  if (![given].flat().every(isText)) fail("InvalidArgument", "a counter needs a name");
}

/** `counters('likes')`, `counters(customer, 'likes')`, `counters()`, `counters(customer)`. */
export function rql([method, first, second]: IncludeCall, { path }: RqlWriter): string[] {
  const isAll = method === "includeAllCounters";
  const [source, names] = isAll ? [first] : second === undefined ? [undefined, first] : [first, second];
  const from = source === undefined ? [] : [path(source as string)];
  if (isAll) return [`counters(${from})`];
  assertNames(names);
  return [names].flat().map((name) => `counters(${[...from, quoted(name)].join(", ")})`);
}

export { include, show } from "./counter-cache.js";
export { of } from "./session-counters.js";

/** Sends a batch with commands about counters. */
export function send(_: SessionState, { cluster }: Batch, send: SendBatch): Promise<string> {
  if (cluster) fail("InvalidOperation", "a cluster-wide transaction takes no counters");
  return send();
}
