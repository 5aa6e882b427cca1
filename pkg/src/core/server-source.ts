// RavenDB's own leases: requests, and the checks of their responses. The twin of `src/source/server`, which hub, gateway and simulation
// use; vectors that Rust writes hold the two together (`tests/twin`).
//
// A lease is one `POST multi_get` of `[GET hilo/next, GET docs?id=Raven/Hilo/<tag>]`: the second part reads the fence without a further
// request. If `multi_get` is not available (an old proxy, a restrictive gateway), the lease falls back to `GET hilo/next`, whose ranges
// have no fence and are never returned.

import {
  LIMIT_RANGE,
  METADATA_CHANGE_VECTOR,
  METADATA_ID,
  METADATA_LAST_MODIFIED,
  METADATA_MEMBER,
  PREFIX_HILO,
  REPEAT_ANYWHERE,
  REPEAT_SAME_NODE,
} from "../../gen/protocol.js";
import { idKey } from "../common/id-key.js";
import { elementsOf, type JsonObject, membersOf, parsed, textOf, wholeNumbers } from "../common/json.js";
import { encoded } from "../wire/query-string.js";
import { type CoreRequest, type CoreResponse, type Exchange, type Failure, refused } from "./exchange.js";
import { type Ask, bad, exhausted, type Grant, isNodeTag, type Returned } from "./grant.js";

/**
 * The script that changes `Max` of a counter from `high` to `last` under a fence.
 *
 * It writes `Max` only while the document is in the state that the fence describes, so every further delivery of the same request
 * results in `NotModified`. The change vector alone is not enough: after an old data folder was restored, another client's lease
 * produces the same change vector again, but at another time.
 */
const MOVE_SCRIPT =
  "const m = getMetadata(this); if (m['@change-vector'] + ' ' + m['@last-modified'] === args.fence && this.Max === args.high) this.Max = args.last";

/** The command that changes a counter under a fence. `high`: `Max` as the document has it. */
export function moveOf(id: string, fence: string, high: unknown, last: number): JsonObject {
  const Patch = { Script: MOVE_SCRIPT, Values: { fence, high, last } };
  return { Id: id, ChangeVector: null, Patch, Type: "PATCH" };
}

/** The query of `GET hilo/next`, with its question mark. */
function leaseQuery(ask: Ask, separator: string): string {
  const { tag, exact, last, above, proof, incarnation, nonce } = ask;
  let query = `?tag=${encoded(tag)}`;
  // Without `lastRangeAt` the server uses this size instead of doubling or halving it.
  if (exact) query += `&lastBatchSize=${Math.min(exact, LIMIT_RANGE)}`;
  else if (last) query += `&lastBatchSize=${last.size}&lastRangeAt=${encoded(last.at)}`;
  query += `&identityPartsSeparator=${encoded(separator)}`;
  if (above) query += `&lastMax=${above}`;
  if (above && proof !== undefined) query += `&proof=${encoded(proof)}`;
  if (incarnation !== undefined) query += `&incarnation=${encoded(incarnation)}`;
  return `${query}&nonce=${nonce}`;
}

/** The request that leases a range and reads its fence. */
export function leaseWithFence(base: string, ask: Ask, separator: string): CoreRequest {
  const requests = [
    {
      Url: `${base}hilo/next`,
      Query: leaseQuery(ask, separator),
      Method: "GET",
      // A sharded RavenDB 7.2 compresses the response of its shard and puts the compressed bytes into the JSON of `multi_get`.
      Headers: { "Accept-Encoding": "identity" },
    },
    { Url: `${base}docs`, Query: `?id=${encoded(PREFIX_HILO + ask.tag)}`, Method: "GET" },
  ];
  const body = JSON.stringify({ Requests: requests });
  return {
    method: "POST",
    path: `${base}multi_get?nonce=${ask.nonce}`,
    body,
    repeat: REPEAT_ANYWHERE,
    node: -1,
    // A first lease. Nonce and incarnation make no difference.
    early: ask.exact || ask.last || ask.above ? undefined : ask.tag,
  };
}

/** Whether the response means that the route `multi_get` does not exist, as opposed to an error of the lease itself. */
function isMissingRoute({ status, text }: CoreResponse): boolean {
  const type = parsed(text).Type;
  const isTyped = typeof type === "string";
  if (status === 400) return !isTyped || type.endsWith("RouteNotFoundException");
  // An empty 403 is RavenDB's refusal of a foreign origin, which applies to all routes.
  return status === 403 ? isTyped : status === 404 || status === 405 || status === 501;
}

/** Leases a range. `base`: the path of the database, with a slash at its end. */
export function* leaseFromServer(base: string, separator: string, ask: Ask): Exchange<Grant> {
  let again: Failure | undefined;
  for (;;) {
    const response = yield { ...leaseWithFence(base, ask, separator), again };
    if (response.status === 200) {
      const leased = leasedWithFence(response, ask, separator);
      if ("low" in leased) return leased;
      // The core does not see an outage inside of a `multi_get` response. Without a pause the lease would be retried at once, without
      // end.
      again = leased;
    } else {
      if (!isMissingRoute(response)) throw refused(response);
      const path = `${base}hilo/next${leaseQuery(ask, separator)}`;
      const plain = yield { method: "GET", path, repeat: REPEAT_ANYWHERE, node: -1 };
      if (plain.status !== 201) throw refused(plain);
      return granted(parsed(plain.text), plain, ask, separator);
    }
  }
}

/** The grant in the response to the `multi_get` of lease and fence, or an outage inside of it. */
function leasedWithFence(response: CoreResponse, ask: Ask, separator: string): Grant | Failure {
  const whole = wholeNumbers(response.text);
  const [lease, read] = elementsOf(parsed(response.text).Results);
  if (!lease) throw bad("Results");
  const status = whole(lease, "StatusCode");
  if (status === undefined) throw bad("StatusCode");
  if (status !== 201) {
    const text = lease.Result === undefined ? "" : JSON.stringify(lease.Result);
    const failure = refused({ status: status < 1_000 ? status : 0, text });
    if (failure.isOutage) return failure;
    throw failure;
  }
  const grant = granted(membersOf(lease.Result), response, ask, separator);
  // Its `Max` must still be as the lease left it.
  const [counter] = elementsOf(membersOf(read?.Result).Results);
  if (counter && whole(counter, "Max") === grant.high) grant.fence = fenceOf(counter[METADATA_MEMBER]);
  return grant;
}

/** The grant in the response to `hilo/next`. Nothing of a response that differs from RavenDB's is used. */
function granted(body: JsonObject, response: CoreResponse, ask: Ask, separator: string): Grant {
  const whole = wholeNumbers(response.text);
  const number = (name: string): number => {
    const value = whole(body, name);
    if (value === undefined) throw bad(name);
    return value;
  };
  const text = (name: string): string => {
    const value = body[name];
    if (typeof value !== "string") throw bad(name);
    return value;
  };
  const [low, high, size] = [number("Low"), number("High"), number("LastSize")];
  if (high > Number.MAX_SAFE_INTEGER) throw exhausted();
  if (low < 1 || low > high) throw bad("Low");
  if (high - low + 1 !== size) throw bad("LastSize");
  if (low <= ask.above) throw bad("Low");
  const prefix = text("Prefix");
  // A response with another prefix belongs to another request.
  if (prefix !== ask.tag + separator) throw bad("Prefix");
  const nodeTag = text("ServerTag");
  if (!nodeTag || !isNodeTag(nodeTag)) throw bad("ServerTag");
  const at = text("LastRangeAt");
  return { low, high, prefix, nodeTag, fence: undefined, at, incarnation: response.incarnation };
}

/** The fence in a document's metadata, or in the result of a PUT; with other names in that of a PATCH. */
export function fenceOf(
  value: unknown,
  vector: string = METADATA_CHANGE_VECTOR,
  modified: string = METADATA_LAST_MODIFIED,
): string | undefined {
  const members = membersOf(value);
  const [first, second] = [textOf(members[vector]), textOf(members[modified])];
  return first && second && `${first} ${second}`;
}

/** The request that reads counter documents, to get fences. `counters`: what their ids begin with. */
export function readCounters(base: string, counters: string, tags: string[], node: number): CoreRequest {
  const ids = tags.map((tag) => `id=${encoded(counters + tag)}`);
  return { method: "GET", path: `${base}docs?${ids.join("&")}`, repeat: REPEAT_ANYWHERE, node };
}

/**
 * `Max` and fence of a counter document in the response; `undefined`: it is not there. Identified by id, not by position: a sharded
 * database leaves out documents that do not exist.
 */
export function counterIn(text: string, id: string): { max: number; fence: string } | undefined {
  const documents = elementsOf(parsed(text).Results);
  const own = (document: JsonObject) => membersOf(document[METADATA_MEMBER])[METADATA_ID];
  const same = (document: JsonObject) => idKey(textOf(own(document)) ?? "") === idKey(id);
  const document = documents.find((document) => own(document) === id) ?? documents.find(same);
  const max = document && wholeNumbers(text)(document, "Max");
  const fence = fenceOf(document?.[METADATA_MEMBER]);
  return max === undefined || fence === undefined ? undefined : { max, fence };
}

/**
 * The request that returns the ends of several leases, all granted by one node, which the core knows: one PATCH per tag, independent of
 * each other.
 */
export function giveBackUnderFences(base: string, counters: string, items: Returned[]): CoreRequest {
  const commands = items.map(({ tag, fence, high, last }) => moveOf(counters + tag, fence, high, last));
  const body = JSON.stringify({ Commands: commands });
  // Under a fence a second delivery changes nothing.
  return { method: "POST", path: `${base}bulk_docs`, body, repeat: REPEAT_SAME_NODE, node: -1 };
}

/** Which returns were applied, according to the response. */
export function appliedIn(text: string, count: number): boolean[] {
  const results = elementsOf(parsed(text).Results);
  return Array.from({ length: count }, (_, at) => results[at]?.PatchStatus === "Patched");
}
