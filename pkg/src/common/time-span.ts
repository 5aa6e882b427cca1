// Durations as RavenDB reads them.

const DAY = 86_400_000;

/** Milliseconds as `d.hh:mm:ss.fff`; at most 2^31 − 1, the longest time of a timer. */
export function timeSpan(millis: number): string {
  const long = Math.min(millis, 2 ** 31 - 1);
  const days = Math.floor(long / DAY);
  return `${days ? `${days}.` : ""}${new Date(long % DAY).toISOString().slice(11, 23)}`;
}
