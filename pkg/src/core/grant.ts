// What a lease asks for and what it grants, with the texts that the core does not see.

import { LIMIT_RANGE } from "../../gen/protocol.js";
import { encoder } from "../common/text-codec.js";
import { Failure } from "./exchange.js";

/** A request for a range. */
export interface Ask {
  /** The name of the counter. */
  tag: string;
  /** The size; 0: the source decides. */
  exact: number;
  /** What the source reported about the last lease, for a source that decides. */
  last: { size: number; at: string } | undefined;
  /** The range must start above this number; 0: anywhere. */
  above: number;
  /** The fence of a lease that reached `above`: a gateway requires it to let a client advance a counter. */
  proof: string | undefined;
  /** The database's incarnation that the client knows. */
  incarnation: string | undefined;
  /** A random number, so that no cache or proxy coalesces two leases. */
  nonce: number;
}

/** A range granted by a source, with everything that belongs to its numbers. */
export interface Grant {
  low: number;
  high: number;
  prefix: string;
  nodeTag: string;
  /** The state in which this lease left its counter document. Without one the range is never returned. */
  fence: string | undefined;
  /** What the next lease must repeat. */
  at: string;
  incarnation: string | undefined;
}

/** The unused end of a lease. */
export interface Returned {
  tag: string;
  fence: string;
  /** The highest number, which must still be `Max` of the counter. */
  high: number;
  /** The highest number that stays used. */
  last: number;
}

/** The size of the first range: RavenDB's default. */
const FIRST = 32;

/** The size for a source that does not decide by itself: first 32, then twice as many each time. */
export function sizeOf({ exact, last }: Ask): number {
  if (exact) return Math.min(exact, LIMIT_RANGE);
  return last ? Math.min(Math.max(last.size * 2, FIRST), LIMIT_RANGE) : FIRST;
}

/** The failure of a response with this invalid field. */
export function bad(field: string): Failure {
  return new Failure("BadAnswer", `invalid response to a lease: field ${field}; nothing of it was used`);
}

export function exhausted(): Failure {
  return new Failure(
    "Exhausted",
    "the tag's numbers are used up: JavaScript cannot count above 2^53 - 1; use another tag",
  );
}

/** Whether this may follow a number. */
export function isNodeTag(text: unknown): text is string {
  return typeof text === "string" && /^[a-z\d]{0,16}$/i.test(text);
}

/** The longest tag, in bytes: the counter document's id `Raven/Hilo/<tag>` must not exceed RavenDB's 512 bytes. */
const LONGEST = 501;

export function isTooLong(text: string, bytes = LONGEST): boolean {
  // A UTF-16 unit has up to three bytes.
  return text.length * 3 > bytes && encoder.encode(text).length > bytes;
}

export function hasControl(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones.
  return /[\0-\x1f\x7f-\x9f]/.test(text);
}

/** Whether this may precede a number. A prefix that ends in a digit would make different ids equal: `a1` with 2, and `a` with 12. */
export function isPrefix(text: unknown): text is string {
  return typeof text === "string" && !isTooLong(text) && !hasControl(text) && !/\d$/.test(text);
}

/**
 * Whether only a gateway can read a fence, which has granted the lease. It has the form of a fence, but no change vector of RavenDB, which
 * names nodes.
 */
export function isSealed(fence: string): boolean {
  return /^[^ :]* /.test(fence);
}

/**
 * Whether a fence names exactly one node, and that is the tag of the numbers. Only then may the tails of several leases be merged under
 * the newest fence: in a cluster, two nodes may grant the same numbers under different tags while they share `Max`. Numbers without a tag
 * come from a single node, whose name does not matter.
 */
export function isOfSingleNode(fence: string, nodeTag: string): boolean {
  // The change vector up to the first space. A change vector of several nodes has commas.
  const [, node, rest] = /^([^: ]+):([^ ]*)/.exec(fence) ?? [];
  return !!node && (!nodeTag || node === nodeTag) && node !== "RAFT" && !`${node}${rest}`.includes(",");
}
