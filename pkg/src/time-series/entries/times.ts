// Times of time series. The end of a range that is absent is the first or the last entry.

/** A time, or no limit. */
export type Time = Date | null | undefined;

export const isDate = (value: unknown): value is Date =>
  value instanceof Date && !Number.isNaN(value.getTime());

/** A time as RavenDB reads it. */
export const timeText = (time: Date): string => `${time.toISOString().slice(0, -1)}0000Z`;

/** The beginning of a range in milliseconds. */
export const beginning = (time: Time): number => time?.getTime() ?? Number.NEGATIVE_INFINITY;

/** The end of a range in milliseconds. */
export const end = (time: Time): number => time?.getTime() ?? Number.POSITIVE_INFINITY;
