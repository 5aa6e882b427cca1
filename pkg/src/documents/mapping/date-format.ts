// Dates as RavenDB writes them.

import { fail } from "../../common/error.js";
import { isDate } from "../../common/value-kinds.js";

/** The conventions that decide how dates are written. */
export interface DateConventions {
  readonly storeDatesInUtc: boolean;
  readonly storeDatesWithTimezoneInfo: boolean;
}

/** A time as RavenDB writes it, with ticks. */
const TICKS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}/;

/** RavenDB writes ticks; a Date has milliseconds. npm `ravendb` writes years of more than four digits without the sign that the engine needs. */
export const dateOf = (text: string): Date =>
  new Date(
    TICKS.test(text)
      ? text.slice(0, 23) + text.slice(27)
      : text.replace(/(\.\d{3})\d*/, "$1").replace(/^\d{5,6}(?=-)/, (year) => `+${year.padStart(6, "0")}`),
  );

const digits = (number: number, count = 2): string => `${Math.abs(number)}`.padStart(count, "0");

/**
 * A date in local time, part by part: historical offsets from UTC include seconds, and local time may be beyond what a Date holds. In V8
 * this is faster than `toISOString` of a shifted date.
 */
function localText(date: Date): string {
  const year = date.getFullYear();
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()];
  return [date.getMonth() + 1, date.getDate(), ...time, date.getMilliseconds()].reduce(
    (text, part, at) => `${text}${"--T::."[at]}${digits(part, at < 5 ? 2 : 3)}`,
    year < 0 ? `-${digits(year, 6)}` : digits(year, 4),
  );
}

/** An offset from UTC in minutes as `+01:00`. */
function zone(minutes: number): string {
  return `${minutes < 0 ? "-" : "+"}${digits(Math.trunc(minutes / 60))}:${digits(minutes % 60)}`;
}

/**
 * A date with ticks, seven digits of a second; in local time, as npm `ravendb` writes it, or in UTC.
 * @throws {RavenEdgeError} `InvalidArgument` for an invalid date.
 */
export function dateText(date: Date, conventions: DateConventions): string {
  if (Number.isNaN(date.getTime())) fail("InvalidArgument", "an invalid Date");
  const { storeDatesInUtc: isUtc, storeDatesWithTimezoneInfo: isZoned } = conventions;
  const text = isUtc ? date.toISOString().slice(0, -1) : localText(date);
  return `${text}0000${isZoned ? zone(isUtc ? 0 : -date.getTimezoneOffset()) : isUtc ? "Z" : ""}`;
}

/** A date as RavenDB compares it: in UTC. */
export const utcText = (date: Date): string =>
  dateText(date, { storeDatesInUtc: true, storeDatesWithTimezoneInfo: false });

/** For `JSON.stringify`, which would write `null` for an invalid date. */
export function refuseInvalidDates(this: unknown, name: string, value: unknown): unknown {
  if (value === null && isDate((this as Record<string, unknown>)[name]))
    fail("InvalidArgument", `${name} is an invalid Date`);
  return value;
}
