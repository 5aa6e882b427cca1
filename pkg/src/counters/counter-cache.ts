// The values of counters that a session knows, as npm `ravendb`'s sessions track them.

import type { Kept, SessionPart } from "../capabilities/session-part.js";
import { idKey } from "../common/id-key.js";
import { camel } from "../common/member-case.js";
import type { ResponseBody } from "../loading/request-documents.js";
import type { CommandResult } from "../saving/settle.js";
import type { SessionState } from "../session/session-state.js";
import type { CounterDetail } from "./counter-types.js";

/** Counters of one document; `null` for each that does not exist. */
type Values = readonly (Pick<CounterDetail, "counterName" | "totalValue"> | null)[];

/** Counters of one document, as the server writes them. */
type SentCounters = readonly ({ CounterName: string; TotalValue: number } | null)[];

/** What a session knows of the counters of one document. */
export class KnownCounters {
  /** Whether all counters are known. */
  gotAll = false;
  /** By name, in any case: the name as it was written, and the value; `null`: it does not exist. */
  #values = new Map<string, [name: string, value: number | null]>();

  has(name: string): boolean {
    return this.#values.has(idKey(name));
  }

  get(name: string): number | null | undefined {
    return this.#values.get(idKey(name))?.[1];
  }

  set(name: string, value: number | null): void {
    this.#values.set(idKey(name), [name, value]);
  }

  delete(name: string): void {
    this.#values.delete(idKey(name));
  }

  clear(): void {
    this.#values.clear();
  }

  get all(): [name: string, value: number | null][] {
    return [...this.#values.values()];
  }

  /** Takes values from a response. */
  addAll(values: Values): void {
    for (const counter of values) if (counter) this.set(counter.counterName, counter.totalValue);
  }

  /** Takes the values that a response includes for these names; without names: all of the document. */
  include(values: Values, names: readonly string[]): void {
    this.gotAll = names.length === 0;
    if (this.gotAll) this.clear();
    for (const name of names) this.set(name, null);
    this.addAll(values);
  }
}

/** What a session knows of counters, by the keys of documents. */
class CounterCache extends Map<string, KnownCounters> implements Kept {
  commands(): [] {
    return [];
  }
}

/** What the session knows of the counters of a document. A session without tracking remembers nothing. */
export function known(state: SessionState, id: string): KnownCounters {
  const { kept } = state.unitOfWork;
  const cache = (kept.get("counters") as CounterCache | undefined) ?? new CounterCache();
  const found = cache.get(idKey(id)) ?? new KnownCounters();
  if (!state.noTracking) kept.set("counters", cache.set(idKey(id), found));
  return found;
}

/** What the server reports of a command about counters. */
interface CountersResult extends CommandResult {
  CountersDetail?: { Counters: SentCounters };
  /** The vector of the document after the whole batch. */
  DocumentChangeVector?: string;
}

/** Applies the result of a command. */
export const applyResult: NonNullable<SessionPart["applyResult"]> = (state, result, command) => {
  const id = command?.id ?? result.Id ?? "";
  const { CountersDetail, DocumentChangeVector: vector } = result as CountersResult;
  if (CountersDetail) known(state, id).addAll(camel(CountersDetail.Counters) as Values);
  else state.unitOfWork.kept.get("counters")?.delete(idKey(id));
  const { unitOfWork } = state;
  const slot = unitOfWork.slot(id);
  if (slot < 0 || !vector) return;
  unitOfWork.storedVector(slot, vector);
};

interface IncludedCounters extends ResponseBody {
  CounterIncludes?: Record<string, SentCounters>;
  /** The response to a query says what it asked for; an empty list: all counters of the document. */
  IncludedCounterNames?: Record<string, string[]>;
}

export const include: NonNullable<SessionPart["include"]> = (state, body, asked) => {
  const { CounterIncludes = {}, IncludedCounterNames } = body as IncludedCounters;
  const names = asked ? namesOf(asked.calls) : [];
  const wanted = IncludedCounterNames ?? Object.fromEntries((asked?.ids ?? []).map((id) => [id, names]));
  const sent = Object.entries(CounterIncludes).map(([id, all]) => [idKey(id), camel(all) as Values] as const);
  const values = new Map(sent);
  for (const [id, names] of Object.entries(wanted))
    known(state, id).include(values.get(idKey(id)) ?? [], names);
};

/** The names of the counters that a load includes; none: all. */
export function namesOf(calls: readonly (readonly [string, ...unknown[]])[]): string[] {
  const own = calls.filter(([method]) => method.includes("Counter"));
  if (own.some(([method]) => method === "includeAllCounters")) return [];
  return own.flatMap(([, given]) => given as string | string[]);
}
