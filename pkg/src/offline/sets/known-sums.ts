// Sums of what the device has of a set, which a page keeps from one run to the next. `tests/offline-law` checks when they hold.

import type { KeptRecord } from "../documents/kept-records.js";
import type { OpenSet } from "./set-records.js";
import { hashesOf, keyOf, Sums } from "./sums.js";

/** What the device has of a set, as it is sent. */
export interface SentSums {
  key: Uint8Array<ArrayBuffer>;
  sums: Uint8Array<ArrayBuffer>;
}

/** Sums that hold as long as the set has as many writes. The transactions of runs keep them up to date. */
export type KnownSums = SentSums & { generation: string; writes: number };

/** Sums of all documents of a set. */
export function sumsOf(members: readonly KeptRecord[]): SentSums {
  const key = crypto.getRandomValues(new Uint8Array(16));
  const own = keyOf(key);
  const sums = new Sums();
  for (const { key: entry, vector } of members) sums.add(hashesOf(own, entry.slice(1), vector));
  return { key, sums: sums.bytes };
}

/** A transaction of a run is complete: sums that held when it began hold afterwards. `writes`: those of the set when it began. */
export function keepSums(known: KnownSums, { record, moves }: OpenSet, writes: number): void {
  if (known.writes !== writes) return;
  const own = keyOf(known.key);
  const sums = new Sums(known.sums);
  for (const [key, before, after] of moves) {
    if (before !== undefined) sums.remove(hashesOf(own, key, before));
    if (after !== undefined) sums.add(hashesOf(own, key, after));
  }
  known.writes = record.writes;
}
