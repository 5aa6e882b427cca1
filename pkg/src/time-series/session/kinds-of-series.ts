// The kinds of time series in a session: numbers, instances of a class, rollups.

import { isObject } from "../../common/arguments.js";
import { fail } from "../../common/error.js";
import { isDate, isValidDate } from "../../common/value-kinds.js";
import type { EntityConstructor } from "../../documents/entity-types.js";
import type { SessionState } from "../../session/session-state.js";
import {
  type TimeSeriesEntry,
  TypedTimeSeriesEntry,
  TypedTimeSeriesRollupEntry,
} from "../entries/entries.js";
import type { TimeSeriesIncludes, TimeSeriesPage } from "../entries/read-requests.js";
import type { Time } from "../entries/times.js";
import { TimeSeriesValuesHelper } from "../entries/value-names.js";
import type {
  ISessionDocumentIncrementalTimeSeries,
  ISessionDocumentRollupTypedTimeSeries,
  ISessionDocumentTimeSeries,
  ISessionDocumentTypedIncrementalTimeSeries,
  ISessionDocumentTypedTimeSeries,
} from "./session-series-types.js";
import { SessionSeries } from "./session-time-series.js";

/** Range and page of `get`, in whichever form they are given. */
function asked(given: unknown[]): [from: Time, to: Time, page: TimeSeriesPage] {
  const [first, second, third, fourth, fifth] = given;
  if (typeof first === "number") return [null, null, { start: first, pageSize: second as number }];
  for (const time of [first, second])
    if (time != null && !isValidDate(time)) fail("InvalidArgument", "the ends of a range are valid Dates");
  const page =
    typeof third === "function"
      ? { includes: third as TimeSeriesIncludes, start: fourth as number, pageSize: fifth as number }
      : { start: third as number, pageSize: fourth as number };
  return [first as Time, second as Time, page];
}

/** One number as a list. */
const listed = (values: unknown): number[] => [values].flat() as number[];

export class SessionDocumentTimeSeries
  extends SessionSeries
  implements ISessionDocumentTimeSeries, ISessionDocumentIncrementalTimeSeries
{
  async get(...given: unknown[]): Promise<TimeSeriesEntry[] | null> {
    return this.read(...asked(given));
  }

  append(timestamp: Date, values: number | number[], tag?: string | null): void {
    this.appendValues(timestamp, listed(values), tag);
  }

  increment(first: Date | number | number[], values?: number | number[]): void {
    if (isDate(first)) this.incrementValues(first, listed(values));
    else this.incrementValues(new Date(), listed(first));
  }
}

export class SessionDocumentTypedTimeSeries<T extends object>
  extends SessionSeries
  implements ISessionDocumentTypedTimeSeries<T>, ISessionDocumentTypedIncrementalTimeSeries<T>
{
  #type;

  constructor(state: SessionState, target: string | object, name: string, type: EntityConstructor<T>) {
    super(state, target, name);
    this.#type = type;
  }

  async get(...given: unknown[]): Promise<TypedTimeSeriesEntry<T>[] | null> {
    const entries = await this.read(...asked(given));
    return entries?.map((entry) => entry.asTypedEntry(this.#type)) ?? null;
  }

  append(first: Date | TypedTimeSeriesEntry<T>, entry?: T, tag?: string | null): void {
    if (first instanceof TypedTimeSeriesEntry) this.append(first.timestamp, first.value, first.tag);
    else this.appendValues(first, this.#valuesOf(entry), tag);
  }

  increment(first: unknown, given?: unknown): void {
    if (first instanceof TypedTimeSeriesEntry) this.increment(first.timestamp, first.values ?? first.value);
    else if (isDate(first)) this.incrementValues(first, this.#numbers(given));
    else this.incrementValues(new Date(), this.#numbers(first));
  }

  #numbers(given: unknown): number[] {
    return typeof given === "number" || Array.isArray(given) ? listed(given) : this.#valuesOf(given);
  }

  #valuesOf(entry: unknown): number[] {
    if (!isObject(entry))
      fail("InvalidArgument", "the values are an instance of the class of the time series");
    return (
      TimeSeriesValuesHelper.getValues(this.#type, entry) ??
      fail("InvalidArgument", `${this.#type.name} names no values in TIME_SERIES_VALUES`)
    );
  }
}

export class SessionDocumentRollupTypedTimeSeries<T extends object>
  extends SessionSeries
  implements ISessionDocumentRollupTypedTimeSeries<T>
{
  #type;

  constructor(state: SessionState, target: string | object, name: string, type: EntityConstructor<T>) {
    super(state, target, name);
    this.#type = type;
  }

  async get(...given: unknown[]): Promise<TypedTimeSeriesRollupEntry<T>[] | null> {
    const entries = await this.read(...asked(given));
    return entries?.map((entry) => TypedTimeSeriesRollupEntry.fromEntry(entry, this.#type)) ?? null;
  }

  append(entry: TypedTimeSeriesRollupEntry<T>): void {
    this.appendValues(entry.timestamp, entry.getValuesFromMembers(), entry.tag);
  }
}
