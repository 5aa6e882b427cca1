// Ranges from a function of the app, which either leases ranges or returns the next Hi of the classic HiLo formula. Its results are checked
// like a server's responses. The twin of `src/source/custom.rs`.

import { REPEAT_ANYWHERE, REPEAT_NEVER } from "../../gen/protocol.js";
import { membersOf } from "../common/json.js";
import type { CoreRequest, Exchange } from "./exchange.js";
import { type Ask, bad, type Grant, isNodeTag, isPrefix, type Returned, sizeOf } from "./grant.js";

/** Stands for the app, which is not a node of the server. */
const APP = 2 ** 32 - 1;

/** What is known of the function. */
export interface AppFunction {
  /** How many numbers a Hi stands for; `undefined`: the function returns ranges. */
  capacity: number | undefined;
  /** Whether the app takes back unused numbers. */
  releasable: boolean;
  /** Whether numbers may be parked. */
  scoped: boolean;
  separator: string;
}

/** Leases a range. */
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
