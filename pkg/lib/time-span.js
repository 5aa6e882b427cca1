// Times as RavenDB reads them.

const DAY = 86_400_000;

/** Milliseconds as RavenDB reads them; no wait is longer than a timer's. */
export function timeSpan(millis) {
  const long = Math.min(millis, 2 ** 31 - 1);
  const days = Math.floor(long / DAY);
  return `${days ? `${days}.` : ""}${new Date(long % DAY).toISOString().slice(11, 23)}`;
}
