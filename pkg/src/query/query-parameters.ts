// Values in the parameters of a query, as they are sent.

import { fail } from "../common/error.js";
import { isDate } from "../common/value-kinds.js";
import { utcText } from "../documents/mapping/date-format.js";

/** A value in the form that RavenDB compares: a date is in UTC and has seven digits of a second, as in indexes. */
export function plain(value: unknown): unknown {
  if (isDate(value)) return utcText(value);
  if (Array.isArray(value)) return value.map(plain);
  // JSON would make null of NaN, which means "no limit".
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)))
    fail("InvalidArgument", `a query cannot compare with ${value}, which JSON does not have`);
  return value;
}

/** Several values; nested lists are flattened. */
export function list(values: unknown): unknown[] {
  if (
    typeof (values as Partial<Iterable<unknown>> | null | undefined)?.[Symbol.iterator] !== "function" ||
    typeof values === "string"
  )
    fail("InvalidArgument", "this compares a field with several values: give a list");
  return [...(values as Iterable<unknown>)].flat(Number.POSITIVE_INFINITY).map(plain);
}
