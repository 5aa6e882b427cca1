// Durations as RavenDB reads them.

const DAY = 86_400_000;

/** Milliseconds as `d.hh:mm:ss.fff`. */
export function durationText(millis: number): string {
  const days = Math.floor(millis / DAY);
  return `${days ? `${days}.` : ""}${new Date(millis % DAY).toISOString().slice(11, 23)}`;
}

/** The same; at most 2^31 − 1, the longest time of a timer. */
export const timeSpan = (millis: number): string => durationText(Math.min(millis, 2 ** 31 - 1));
