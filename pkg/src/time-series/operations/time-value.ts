// Lengths of time for policies and includes of time series. Names and results are those of npm `ravendb`.

import { fail } from "../../common/error.js";

export type TimeValueUnit = "None" | "Second" | "Month";

/** As the server reads it. */
export interface TimeValueRaw {
  Value: number;
  Unit: TimeValueUnit;
}

const DAY = 86_400;
const MAX = 2 ** 31 - 1;
const MIN = -(2 ** 31);
/** Names of units, and how many seconds or months each has. */
const PARTS = {
  Second: [
    ["day", DAY],
    ["hour", 3_600],
    ["minute", 60],
    ["second", 1],
  ],
  Month: [
    ["year", 12],
    ["month", 1],
  ],
} as const;

/** A length of time: seconds, or months, whose length in seconds differs. */
export class TimeValue {
  static readonly ZERO = /* @__PURE__ */ new TimeValue(0, "None");
  static readonly MAX_VALUE = /* @__PURE__ */ new TimeValue(MAX, "None");
  static readonly MIN_VALUE = /* @__PURE__ */ new TimeValue(MIN, "None");

  /** @param value Seconds or months. */
  constructor(
    readonly value: number,
    readonly unit: TimeValueUnit,
  ) {}

  static ofSeconds(seconds: number): TimeValue {
    return new TimeValue(seconds, "Second");
  }

  static ofMinutes(minutes: number): TimeValue {
    return new TimeValue(minutes * 60, "Second");
  }

  static ofHours(hours: number): TimeValue {
    return new TimeValue(hours * 3_600, "Second");
  }

  static ofDays(days: number): TimeValue {
    return new TimeValue(days * DAY, "Second");
  }

  static ofMonths(months: number): TimeValue {
    return new TimeValue(months, "Month");
  }

  static ofYears(years: number): TimeValue {
    return new TimeValue(years * 12, "Month");
  }

  static parse(raw: TimeValueRaw): TimeValue {
    return new TimeValue(raw.Value, raw.Unit);
  }

  serialize(): TimeValueRaw {
    return { Value: this.value, Unit: this.unit };
  }

  /** `"1 day 2 hours"`. */
  toString(): string {
    const { value, unit } = this;
    if (value === MAX) return "MaxValue";
    if (value === MIN) return "MinValue";
    if (value === 0) return "Zero";
    if (unit === "None") return "Unknown time unit";
    let rest = value;
    const shown: string[] = [];
    for (const [name, size] of PARTS[unit]) {
      // As in npm `ravendb`, one hour is 60 minutes, but one year is a year.
      const count = rest > size || unit === "Month" || size === 1 ? Math.floor(rest / size) : 0;
      rest -= count * size;
      if (count > 0) shown.push(`${count} ${name}${count === 1 ? "" : "s"}`);
    }
    return shown.join(" ");
  }

  /**
   * Below 0 if this is shorter, above 0 if it is longer.
   * @throws {RavenEdgeError} `InvalidOperation` for seconds and months of which it depends on the months which is longer.
   */
  compareTo(other: TimeValue): number {
    if (!this.value || !other.value || this.unit === other.unit)
      return Math.min(MAX, Math.max(MIN, this.value - other.value));
    for (const time of [this, other]) {
      const sign = time === this ? 1 : -1;
      if (time.unit === "None") return time.value > 0 ? sign : -sign;
    }
    const [shortest, longest] = bounds(this);
    const [otherShortest, otherLongest] = bounds(other);
    if (otherLongest < shortest) return 1;
    if (otherShortest > longest) return -1;
    fail("InvalidOperation", `cannot compare ${this} with ${other}: months have different numbers of days`);
  }
}

/** The least and the greatest number of seconds. */
function bounds({ value, unit }: TimeValue): [number, number] {
  if (unit === "Second") return [value, value];
  const [years, months] = [Math.floor(value / 12), value % 12];
  return [(years * 365 + months * 28) * DAY, (years * 366 + months * 31) * DAY];
}
