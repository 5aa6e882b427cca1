// Values as they travel in the parameters of a query.

import { fail } from "../error.js";

/** A value that JSON shows as RavenDB compares it: a date with its seven digits of a second, in UTC, as indexes have it. */
export function plain(value) {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) fail("InvalidArgument", "a query compares with a date that is none");
    return value.toISOString().replace("Z", "0000Z");
  }
  if (Array.isArray(value)) return value.map(plain);
  // Sent as null, NaN would mean no limit.
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)))
    fail("InvalidArgument", `a query cannot compare with ${value}: JSON has none`);
  return value;
}

/** Several values: lists in the list are opened up. */
export function list(values) {
  if (typeof values?.[Symbol.iterator] !== "function" || typeof values === "string")
    fail("InvalidArgument", "this compares a field with several values: give a list");
  return [...values].flat(Number.POSITIVE_INFINITY).map(plain);
}
