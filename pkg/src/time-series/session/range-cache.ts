// The entries that a session has read. A range of time that lies within them is not requested again.

import type { Kept } from "../../capabilities/session-part.js";
import type { TimeSeriesEntry } from "../entries/entries.js";
import { NameMap } from "../entries/value-names.js";

/** All entries between two times in milliseconds, both included. */
export interface CachedRange {
  from: number;
  to: number;
  entries: TimeSeriesEntry[];
}

/** The entries of a range that are not before or after these times. */
export function entriesIn({ entries }: CachedRange, from: number, to: number): TimeSeriesEntry[] {
  return entries.filter(({ timestamp }) => timestamp.getTime() >= from && timestamp.getTime() <= to);
}

/** A fresh range, with what an older one that touches it has before and after it. */
function joined(fresh: CachedRange, older: CachedRange): CachedRange {
  const rest = (isOutside: (time: number) => boolean) =>
    older.entries.filter(({ timestamp }) => isOutside(timestamp.getTime()));
  return {
    from: Math.min(fresh.from, older.from),
    to: Math.max(fresh.to, older.to),
    entries: [...rest((time) => time < fresh.from), ...fresh.entries, ...rest((time) => time > fresh.to)],
  };
}

const touches = (range: CachedRange, from: number, to: number): boolean =>
  range.to >= from && range.from <= to;

/** The parts between two times that are in none of the ranges, which are in order. */
export function gaps(ranges: CachedRange[], from: number, to: number): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  let at = from;
  for (const range of ranges.filter((range) => touches(range, from, to))) {
    if (range.from > at) found.push({ from: at, to: range.from });
    at = Math.max(at, range.to);
  }
  if (at < to) found.push({ from: at, to });
  return found;
}

export class RangeCache implements Kept {
  /** By the keys of ids and by names; ranges are in order and do not touch. */
  #ranges = new Map<string, NameMap<CachedRange[]>>();
  /** Time series that this session has written: the metadata of its entity may not name them. */
  #written = new Map<string, NameMap<true>>();

  /** Vectors that documents had before the save that is under way, by the keys of their ids. */
  before = new Map<string, string | undefined>();

  delete(key: string): void {
    this.#ranges.delete(key);
    this.#written.delete(key);
  }

  /** Changes are deferred commands. */
  commands(): [] {
    return [];
  }

  of(key: string, name: string): CachedRange[] {
    return this.#ranges.get(key)?.get(name) ?? [];
  }

  /** Adds what the server has sent: it replaces what was cached of the same time. */
  add(key: string, name: string, fresh: CachedRange): void {
    const others = this.of(key, name).filter((range) => !touches(range, fresh.from, fresh.to));
    const merged = this.of(key, name).filter((range) => !others.includes(range));
    const range = merged.reduce(joined, fresh);
    this.#set(
      key,
      name,
      [...others, range].sort((a, b) => a.from - b.from),
    );
  }

  /** Removes what was cached of entries between two times, because they are deleted. */
  drop(key: string, name: string, from: number, to: number): void {
    this.#set(
      key,
      name,
      this.of(key, name).filter((range) => !touches(range, from, to)),
    );
  }

  /** The session has saved changes of a time series. */
  wrote(key: string, name: string): void {
    this.#ranges.get(key)?.delete(name);
    const names = this.#written.get(key) ?? new NameMap<true>();
    this.#written.set(key, names.set(name, true));
  }

  hasWritten(key: string, name: string): boolean {
    return this.#written.get(key)?.has(name) ?? false;
  }

  #set(key: string, name: string, ranges: CachedRange[]): void {
    const names = this.#ranges.get(key) ?? new NameMap<CachedRange[]>();
    this.#ranges.set(key, names.set(name, ranges));
  }
}
