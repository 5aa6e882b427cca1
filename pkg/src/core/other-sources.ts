// Sources of ids beside the server's own leases. Pages load them when a store names one.

import {
  METADATA_CHANGE_VECTOR,
  METADATA_ID,
  METADATA_MEMBER,
  REPEAT_ANYWHERE,
  REPEAT_NEVER,
  SOURCE_CLASSIC,
  SOURCE_DOCUMENT,
} from "../../gen/protocol.js";
import { idKey } from "../common/id-key.js";
import { elementsOf, type JsonObject, membersOf, parsed } from "../common/json.js";
import type { NumberSource } from "../numbers/number-source.js";
import { encoded } from "../wire/query-string.js";
import { type CoreRequest, type CoreResponse, type Exchange, Failure, refused } from "./exchange.js";
import { type Ask, bad, exhausted, type Grant, isNodeTag, isPrefix, type Returned, sizeOf } from "./grant.js";
import { fenceOf, moveOf } from "./server-source.js";

/** Leases a range. `base`: the path of the database, with a slash at its end. */
export function leaseFrom(source: NumberSource, base: string, separator: string, ask: Ask): Exchange<Grant> {
  const { kind, detail, counters, releasable, scoped } = source;
  const capacity = kind === SOURCE_CLASSIC ? detail : undefined;
  return kind === SOURCE_DOCUMENT
    ? leaseFromDocument(base, counters, separator, ask)
    : leaseFromApp({ capacity, releasable, scoped, separator }, ask);
}

/** The document with the text between tag and number on this server: `{"ServerPrefix": "NorthServer/"}`. */
const SERVER_PREFIX = "Raven/ServerPrefixForHilo";

/** The only node that leases: the store's first address. */
const HOME = 0;

/**
 * The protocol of RavenDB's older clients: the client itself adds the capacity to `Max` of the counter document. The twin of
 * `src/source/document.rs`, which has the reasons for its rules. `base`: the path of the database, with a slash at its end; `counters`: what the
 * ids of counter documents begin with.
 */
export function* leaseFromDocument(
  base: string,
  counters: string,
  separator: string,
  ask: Ask,
): Exchange<Grant> {
  const id = counters + ask.tag;
  const path = `${base}docs?id=${encoded(id)}&id=${encoded(SERVER_PREFIX)}`;
  let again: Failure | undefined;
  for (;;) {
    const read = yield { method: "GET", path, repeat: REPEAT_ANYWHERE, node: HOME, again };
    const { command, ...range } = writeOf(read, id, separator, ask);
    // When time runs out this is an outage like any other: callers with time left go on waiting.
    again = new Failure("Timeout", "other clients leased first, each time");
    let written: CoreResponse;
    try {
      written = yield {
        method: "POST",
        // The nonce distinguishes the writes of two clients that have read the same: no proxy may coalesce them.
        path: `${base}bulk_docs?nonce=${ask.nonce}`,
        body: JSON.stringify({ Commands: [command] }),
        repeat: REPEAT_NEVER,
        node: HOME,
      };
    } catch (failure) {
      // It is unknown whether the range was written, so it must not be used.
      if (!(failure instanceof Failure && failure.isOutage)) throw failure;
      again = failure;
      continue;
    }
    if (written.status === 201) {
      const fence = fenceOfWrite(written);
      if (fence !== undefined)
        return { ...range, nodeTag: "", fence, at: "", incarnation: written.incarnation };
    } else if (written.status !== 409) throw refused(written);
  }
}

/** What the write of a lease sends after this was read, and what this client owns once it has succeeded. */
function writeOf(response: CoreResponse, id: string, separator: string, ask: Ask) {
  if (response.status !== 200) throw refused(response);
  const { Results } = parsed(response.text);
  if (Results === undefined) throw bad("Results");
  let counter: JsonObject | undefined;
  let fence: string | undefined;
  let prefix = ask.tag + separator;
  // Identified by id, not by position: a sharded database leaves out documents that do not exist.
  for (const document of elementsOf(Results)) {
    const metadata = document[METADATA_MEMBER];
    if (metadata === undefined) continue;
    const own = membersOf(metadata)[METADATA_ID];
    if (own === undefined) throw bad(METADATA_ID);
    if (idKey(String(own)) === idKey(SERVER_PREFIX)) {
      if (!isPrefix(document.ServerPrefix)) throw bad("ServerPrefix");
      prefix += document.ServerPrefix;
    } else {
      counter = document;
      fence = fenceOf(metadata);
      if (fence === undefined) throw bad(METADATA_CHANGE_VECTOR);
    }
  }
  const max = counter ? maxOf(counter.Max, response.text) : 0;
  const low = Math.max(max, ask.above) + 1;
  const high = low + sizeOf(ask) - 1;
  if (high > Number.MAX_SAFE_INTEGER) throw exhausted();
  // The script compares `Max` strictly, so it gets the same value: a string does not equal a number.
  const command = fence
    ? moveOf(id, fence, counter?.Max, high)
    : {
        Type: "PUT",
        Id: id,
        Document: { Max: high, "@metadata": { "@collection": "@hilo" } },
        // The document must not exist.
        ChangeVector: "",
      };
  return { command, low, high, prefix };
}

/**
 * Reads `Max` of a document: a number or a string that contains one; a fraction is ignored. `null` and negative numbers count as 0, as
 * they do for the server. Exponents are refused.
 */
function maxOf(value: unknown, text: string): number {
  if (value === undefined || value === null) return 0;
  const written = typeof value === "number" ? String(value) : value;
  if (typeof written === "string") {
    if (written.startsWith("-")) return 0;
    const [, whole] = /^(\d+)(?:\.[\d./]*)?$/.exec(written) ?? [];
    const isExponent = typeof value === "number" && /"Max"\s*:\s*-?[\d.]+[eE]/.test(text);
    if (whole && !isExponent) return Number(whole);
  }
  throw bad("Max");
}

/** The fence in the response to the write; `undefined` if another client was faster. */
function fenceOfWrite({ text }: CoreResponse): string | undefined {
  const [result] = elementsOf(parsed(text).Results);
  if (!result) throw bad("Results");
  const { PatchStatus } = result;
  if (PatchStatus !== undefined && PatchStatus !== "Patched") return undefined;
  const fence = PatchStatus ? fenceOf(result, "ChangeVector", "LastModified") : fenceOf(result);
  if (fence === undefined) throw bad(METADATA_CHANGE_VECTOR);
  return fence;
}

/** Stands for the app, which is not a node of the server. */
const APP = 2 ** 32 - 1;

/** What is known of the function. `capacity`: how many numbers a Hi stands for; `undefined`: the function returns ranges. */
type AppFunction = Pick<NumberSource, "capacity" | "releasable" | "scoped"> & { separator: string };

/**
 * From a function of the app, which either leases ranges or returns the next Hi of the classic HiLo formula. Its results are checked like a
 * server's responses. The twin of `src/source/custom.rs`.
 */
export function* leaseFromApp(app: AppFunction, ask: Ask): Exchange<Grant> {
  const { tag, above } = ask;
  const body = JSON.stringify({ tag, size: sizeOf(ask), above });
  const { text } = yield { method: "POST", path: "lease", body, repeat: REPEAT_ANYWHERE, node: APP };
  let result: unknown;
  try {
    result = JSON.parse(text);
  } catch {
    // JSON had no form for what the app returned.
  }
  const { prefix = tag + app.separator, nodeTag = "" } = membersOf(result);
  const range = app.capacity === undefined ? rangeOf(result, above) : rangeOfHi(result, app.capacity, above);
  if (!isPrefix(prefix)) throw bad("prefix");
  if (!isNodeTag(nodeTag)) throw bad("nodeTag");
  return {
    ...range,
    prefix,
    nodeTag,
    // This is not a real fence: its presence says that the range can be returned, and its text is the node tag.
    fence: app.releasable ? nodeTag : undefined,
    at: "",
    // The app's counter does not depend on the database's incarnation. Without a scope nothing is parked.
    incarnation: app.scoped ? "" : undefined,
  };
}

/** The call that gives numbers back to the app, for the first of the returns only: each is a call of its own. */
export function releaseToApp([item]: Returned[]): CoreRequest {
  const { tag, last, high, fence } = item as Returned;
  const body = JSON.stringify({ tag, low: last + 1, high, nodeTag: fence });
  // A second delivery would return numbers that another client may have leased by then.
  return { method: "POST", path: "release", body, repeat: REPEAT_NEVER, node: APP };
}

/** A whole number above 0, or a string that contains one: SQL drivers return both. */
function positive(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isInteger(number) && (number as number) > 0 ? (number as number) : undefined;
}

function rangeOf(result: unknown, above: number): Pick<Grant, "low" | "high"> {
  const members = membersOf(result);
  const [low, high] = [positive(members.low), positive(members.high)];
  if (!low) throw bad("low");
  if (!high || high < low || high > Number.MAX_SAFE_INTEGER) throw bad("high");
  if (low <= above) throw bad("low");
  return { low, high };
}

/** The numbers are `(hi − 1) × capacity + 1` to `hi × capacity`. */
function rangeOfHi(result: unknown, capacity: number, above: number): Pick<Grant, "low" | "high"> {
  const { hi = result, capacity: theirs } = membersOf(result);
  if (theirs !== undefined && positive(theirs) !== capacity) throw bad("capacity");
  const high = (positive(hi) ?? 0) * capacity;
  const low = high - capacity + 1;
  if (high < 1 || high > Number.MAX_SAFE_INTEGER || low <= above) throw bad("hi");
  return { low, high };
}
