// Time limits, and times as RavenDB writes them.

import { fail } from "./error.js";

/** The default limit of a request, and of a caller that waits for an id. */
export const TIMEOUT = 15_000;

export function checkTimeout(timeout: number): void {
  if (!(timeout > 0 && timeout <= 2 ** 31 - 1))
    fail("InvalidArgument", "timeout is a number of milliseconds above 0");
}

/** The value of a promise, or `undefined` if it takes more than `millis` milliseconds. */
export async function within<Value>(
  millis: number,
  promise: Value | PromiseLike<Value>,
): Promise<Value | undefined> {
  let timer: ReturnType<typeof setTimeout> | number | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, millis);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    // The timer must not keep the process alive.
    clearTimeout(timer);
  }
}

const DAY = 86_400_000;

/** Milliseconds as `d.hh:mm:ss.fff`. */
export function durationText(millis: number): string {
  const days = Math.floor(millis / DAY);
  return `${days ? `${days}.` : ""}${new Date(millis % DAY).toISOString().slice(11, 23)}`;
}

/** A time as RavenDB writes it; at most 2^31 − 1, the longest time of a timer. */
export const timeSpan = (millis: number): string => durationText(Math.min(millis, 2 ** 31 - 1));
