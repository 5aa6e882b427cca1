// When a queue is drained: on start, when the connection or the page is back, after pauses, when another tab has queued something.

import { isOffline, LONGEST_PAUSE } from "../../common/connection.js";
import { ifAllowed } from "../../device/if-allowed.js";

/** The first pause after a failure, in milliseconds. */
const FIRST = 1_000;
/** How long to wait for a tab that drains, in milliseconds: it may be frozen. Receipts keep correct what two tabs send. */
const PATIENCE = 20_000;

/** What the owner of `wakeUps` does. */
export interface Woken {
  /** The connection or the page is back. */
  back(): void;
  /** A pause is over. */
  due(): void;
  /** Another tab has written; `message`: what it has told. */
  changed(message: unknown): void;
}

export function wakeUps(name: string, { back, due, changed }: Woken) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new AbortController();
  const { signal } = end;
  const { document } = globalThis;
  globalThis.addEventListener?.("online", back, { signal });
  const seen = () => {
    if (document.visibilityState === "visible") back();
  };
  document?.addEventListener("visibilitychange", seen, { signal });
  // A channel would keep a program in Node alive.
  const channel = ifAllowed(() => indexedDB) && ifAllowed(() => new BroadcastChannel(name));
  if (channel) channel.onmessage = ({ data }) => changed(data);
  return {
    /** Notifies other tabs. */
    tell(message: unknown): void {
      channel?.postMessage(message);
    },
    /** Calls `due` after a pause that grows with the failures in a row. Without a connection it is the longest one. */
    later(failures: number): void {
      clearTimeout(timer);
      const pause = isOffline()
        ? LONGEST_PAUSE
        : Math.min(LONGEST_PAUSE, FIRST * 2 ** Math.min(failures - 1, 16));
      timer = setTimeout(due, pause / 2 + (Math.random() * pause) / 2);
    },
    /** Runs `work` while no other tab does; a lock is held only that long. */
    async alone(work: () => Promise<void>): Promise<void> {
      // Only secure contexts have locks; Node 20 has no navigator.
      const locks = ifAllowed(() => navigator.locks) as LockManager | undefined;
      if (!locks) return work();
      let begun = false;
      try {
        await locks.request(name, { signal: AbortSignal.timeout(PATIENCE) }, () => {
          begun = true;
          return work();
        });
      } catch (error) {
        if (begun) throw error;
        await work();
      }
    },
    stop(): void {
      clearTimeout(timer);
      end.abort();
      channel?.close();
    },
  };
}
