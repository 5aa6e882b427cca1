// What an app shows of its queue, counted from what the page has in memory.

import {
  PAUSE_AUTH,
  STATE_CONFLICT,
  STATE_PARKED,
  STATE_QUEUED,
  STATE_SEALED,
  STATE_UNSURE,
} from "../../gen/protocol.js";
import type { Memory } from "./device/queue-state.js";
import type { OfflineStatus } from "./offline-types.js";

/** What memory does not say. */
export interface StatusFacts {
  ready: boolean;
  online: boolean;
  /** Changes in the request under way. */
  sending: number;
  persisted: boolean | undefined;
}

export function statusOf(
  memory: Memory | undefined,
  { ready, online, sending, persisted }: StatusFacts,
): OfflineStatus {
  const counts = new Map<number, number>();
  const states = memory?.core.states() ?? [];
  for (let at = 1; at < states.length; at += 2) {
    const state = states[at] as number;
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const count = (state: number) => counts.get(state) ?? 0;
  let bytes = 0;
  for (const { size } of memory?.changes.values() ?? []) bytes += size;
  const [first] = memory?.changes.values() ?? [];
  const bits = memory?.core.paused() ?? 0;
  return {
    ready,
    online,
    queued: count(STATE_QUEUED) + count(STATE_SEALED) - sending,
    sending,
    conflicts: count(STATE_CONFLICT),
    refused: count(STATE_PARKED),
    unknown: count(STATE_UNSURE),
    oldest: first && new Date(first.time),
    bytes,
    paused: (bits & ~PAUSE_AUTH) > 0,
    needsAuth: (bits & PAUSE_AUTH) > 0,
    persisted,
    damaged: memory?.damaged.length ?? 0,
  };
}
