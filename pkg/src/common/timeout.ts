// Time limits, in milliseconds.

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
