// Dates as RavenDB writes them.

/** The conventions that decide how dates are written. */
export interface DateConventions {
  readonly storeDatesInUtc: boolean;
  readonly storeDatesWithTimezoneInfo: boolean;
}

/** A time as RavenDB writes it, with ticks. */
const TICKS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}/;

/** Since 1973, offsets from UTC are whole minutes everywhere. */
const WHOLE_MINUTES = Date.UTC(1973);

/** RavenDB writes ticks; a Date has milliseconds. */
export const dateOf = (text: string): Date =>
  new Date(TICKS.test(text) ? text.slice(0, 23) + text.slice(27) : text.replace(/(\.\d{3})\d*/, "$1"));

/** A date whose parts in UTC are the local parts of this one. */
function inPlace(date: Date): Date {
  const shown = new Date(0);
  // Part by part: historical offsets from UTC include seconds, which `getTimezoneOffset` leaves out.
  shown.setUTCFullYear(date.getFullYear(), date.getMonth(), date.getDate());
  shown.setUTCHours(date.getHours(), date.getMinutes(), date.getSeconds(), date.getMilliseconds());
  return shown;
}

/** An offset from UTC in minutes as `+01:00`. */
function zone(minutes: number): string {
  const [hour, minute] = [minutes / 60, minutes % 60].map((part) =>
    `${Math.abs(Math.trunc(part))}`.padStart(2, "0"),
  );
  return `${minutes < 0 ? "-" : "+"}${hour}:${minute}`;
}

/**
 * A date with ticks, seven digits of a second; in local time, as npm `ravendb` writes it, or in UTC. `null` for an invalid date.
 */
export function dateText(date: Date, conventions: DateConventions): string | null {
  const time = date.getTime();
  if (Number.isNaN(time)) return null;
  const { storeDatesInUtc: isUtc, storeDatesWithTimezoneInfo: isZoned } = conventions;
  const minutes = isUtc ? 0 : -date.getTimezoneOffset();
  let shown = date;
  if (time < WHOLE_MINUTES && !isUtc) shown = inPlace(date);
  else if (minutes !== 0) shown = new Date(time + minutes * 60_000);
  const text = shown.toISOString();
  return `${text.slice(0, -1)}0000${isZoned ? zone(minutes) : isUtc ? "Z" : ""}`;
}
