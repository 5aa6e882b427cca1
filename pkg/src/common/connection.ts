// Whether there is a connection, as far as the browser knows, and how long to wait for one.

/** The longest pause between two attempts, in milliseconds. */
export const LONGEST_PAUSE = 60_000;

/** Whether the browser says that there is no connection. It may be wrong: a server on the same device can be reached all the same. */
export const isOffline = (): boolean => globalThis.navigator?.onLine === false;

/**
 * Resolves when the connection is back, when `wake` was called, or after the longest pause, which is shortened at random so that many
 * pages do not ask at the same time.
 */
export function connectionBack(): { back: Promise<void>; wake: () => void } {
  let wake = () => {};
  const back = new Promise<void>((resolve) => {
    const timer = setTimeout(() => wake(), LONGEST_PAUSE * (1 - Math.random() / 2));
    wake = () => {
      clearTimeout(timer);
      globalThis.removeEventListener("online", wake);
      resolve();
    };
    globalThis.addEventListener("online", wake);
  });
  return { back, wake: () => wake() };
}
