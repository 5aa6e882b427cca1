// Reads entries for a session: from what it has read before, or by one request. A range of time that lies within them is not requested again.

import type { Kept } from "../../capabilities/session-part.js";
import { idKey } from "../../common/id-key.js";
import { isEngineError } from "../../common/value-kinds.js";
import type { EntityMaker, ServerDocument } from "../../documents/entity-types.js";
import { strange } from "../../loading/request-documents.js";
import { type ConversionEvent, convert } from "../../loading/track-documents.js";
import type { SessionState } from "../../session/session-state.js";
import { inexact } from "../../wire/inexact-numbers.js";
import type { TimeSeriesEntry } from "../entries/entries.js";
import {
  oneRoute,
  readOne,
  readSeveral,
  severalRoute,
  type TimeSeriesPage,
} from "../entries/read-requests.js";
import type { TimeSeriesRangeResult } from "../entries/results.js";
import { beginning, end, type Time } from "../entries/times.js";
import { NameMap } from "../entries/value-names.js";

/** All entries between two times in milliseconds, both included. */
interface CachedRange {
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
    const ranges = [...others, merged.reduce(joined, fresh)];
    ranges.sort((a, b) => a.from - b.from);
    this.#set(key, name, ranges);
  }

  /** Removes what was cached of entries between two times, because they are deleted. */
  drop(key: string, name: string, from: number, to: number): void {
    const others = this.of(key, name).filter((range) => !touches(range, from, to));
    this.#set(key, name, others);
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

/** The name under which the session keeps the cache. */
const NAME = "timeSeries";

/** The cache of a session, if it has one. */
export function cacheOf({ unitOfWork }: SessionState): RangeCache | undefined {
  return unitOfWork.kept.get(NAME) as RangeCache | undefined;
}

/** The cache of a session, made if need be. */
export function madeCacheOf(state: SessionState): RangeCache {
  const made = cacheOf(state) ?? new RangeCache();
  state.unitOfWork.kept.set(NAME, made);
  return made;
}

/** Adds to the cache what the server has sent. */
export function keepRange(
  state: SessionState,
  key: string,
  name: string,
  range: TimeSeriesRangeResult,
): void {
  if (state.noTracking) return;
  const { from, to, entries } = range;
  madeCacheOf(state).add(key, name, { from: beginning(from), to: end(to), entries });
}

/** Resolves with `null` if there is no such time series. */
export async function readEntries(
  state: SessionState,
  id: string,
  name: string,
  from: Time,
  to: Time,
  page: TimeSeriesPage,
): Promise<TimeSeriesEntry[] | null> {
  const key = idKey(id);
  const [first, last] = [beginning(from), end(to)];
  const start = page.start ?? 0;
  const size = page.pageSize ?? Number.POSITIVE_INFINITY;
  if (size === 0) return [];
  const ranges = cacheOf(state)?.of(key, name) ?? [];
  const known = ranges.find((range) => range.from <= first && range.to >= first);
  if (known) {
    const entries = entriesIn(known, first, last);
    if (known.to >= last || entries.length >= start + size) return entries.slice(start, start + size);
  }
  const isWhole = start === 0 && size >= 2 ** 31 - 1;
  const overlaps = ranges.some((range) => touches(range, first, last));
  if (overlaps && isWhole) {
    await readGaps(state, id, name, gaps(ranges, first, last), page);
    const all = cacheOf(state)?.of(key, name) ?? [];
    return all.flatMap((range) => entriesIn(range, first, last));
  }
  if (isListed(state, id, name) === false) return [];
  const found = await request(state, oneRoute(id, name, from, to, page), readOne);
  if (!found) return null;
  adopt(state, [found.range], found.text, 3);
  const { entries } = found.range;
  // Of a page behind the last entry the server names the last entry as its beginning.
  if (entries.length > 0 || start === 0) keepRange(state, key, name, found.range);
  return [...entries];
}

/** Whether the document has the time series, as far as the session knows; `undefined`: its metadata say nothing. */
export function isListed(state: SessionState, id: string, name: string): boolean | undefined {
  const { unitOfWork } = state;
  const slot = unitOfWork.slot(id);
  const listed: unknown = slot < 0 ? undefined : unitOfWork.at(slot)?.["@metadata"]?.["@timeseries"];
  if (cacheOf(state)?.hasWritten(idKey(id), name)) return true;
  if (!Array.isArray(listed)) return;
  return listed.some((each) => String(each).toLowerCase() === name.toLowerCase());
}

async function readGaps(
  state: SessionState,
  id: string,
  name: string,
  missing: { from: number; to: number }[],
  page: TimeSeriesPage,
): Promise<void> {
  const time = (at: number) => (Number.isFinite(at) ? new Date(at) : null);
  const ranges = missing.map(({ from, to }) => ({ name, from: time(from), to: time(to) }));
  const found = await request(state, severalRoute(id, ranges, page), readSeveral);
  const read = found?.range.values.get(name) ?? [];
  adopt(state, read, found?.text, 6);
  for (const range of read) keepRange(state, idKey(id), name, range);
}

/** Sends a request; resolves with what `read` makes of the response, or `undefined` if it does not exist. */
async function request<Found>(
  state: SessionState,
  route: string,
  read: (body: never) => Found | undefined,
): Promise<{ range: Found; text: string } | undefined> {
  state.count();
  const { text } = await state.ask({ route });
  try {
    const range = read((text && JSON.parse(text)) as never);
    return range && { range, text };
  } catch (cause) {
    if (isEngineError(cause, "SyntaxError", "TypeError")) strange(state.store, "GET", route, cause);
    throw cause;
  }
}

/** Adds included documents to the session. `depth`: how many objects and lists are open inside of one. */
function adopt(
  state: SessionState,
  ranges: TimeSeriesRangeResult[],
  text: string | undefined,
  depth: number,
): void {
  const included = ranges.flatMap(({ includes }) => Object.values(includes ?? {}));
  const documents = included.filter((document): document is ServerDocument => !!document);
  if (state.noTracking || documents.length === 0) return;
  const events: ConversionEvent[] = [];
  const maker: EntityMaker = { entity: (document, type) => convert(state, document, type, events) };
  state.unitOfWork.loadedIncludes(documents, maker, inexact(text as string, depth));
  for (const event of events) state.emit("afterConversionToEntity", event);
}
