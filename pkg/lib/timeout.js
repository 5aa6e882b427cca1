// Time limits, in milliseconds.

import { fail } from "./error.js";

/** Of a request, and of whoever waits for an id. */
export const TIMEOUT = 15_000;

export function checkTimeout(timeout) {
  if (!(timeout > 0 && timeout <= 2 ** 31 - 1))
    fail("InvalidArgument", "timeout is a number of milliseconds above 0");
}

/** What a promise gives, or nothing when that takes more than so many milliseconds. */
export async function within(millis, promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, millis);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    // It must not keep the process alive.
    clearTimeout(timer);
  }
}
