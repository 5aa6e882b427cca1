// `session.timeSeriesFor`, `timeSeriesRollupFor` and `incrementalTimeSeriesFor`: they read entries, and defer changes for the next save.
// Names are those of npm `ravendb`.

import { documentId, isDeleted } from "../../capabilities/about-a-document.js";
import { AnyThis } from "../../common/any-this.js";
import { isObject } from "../../common/arguments.js";
import { fail } from "../../common/error.js";
import { idKey } from "../../common/id-key.js";
import { isDate, isValidDate } from "../../common/value-kinds.js";
import type { EntityConstructor } from "../../documents/entity-types.js";
import type { SessionState } from "../../session/session-state.js";
import {
  type TimeSeriesEntry,
  TypedTimeSeriesEntry,
  TypedTimeSeriesRollupEntry,
} from "../entries/entries.js";
import { assertNamed, type TimeSeriesIncludes, type TimeSeriesPage } from "../entries/read-requests.js";
import { beginning, end, type Time } from "../entries/times.js";
import { TimeSeriesValuesHelper } from "../entries/value-names.js";
import {
  AppendOperation,
  DeleteOperation,
  IncrementOperation,
  type TimeSeriesOperation,
} from "../operations/operations.js";
import type {
  ISessionDocumentIncrementalTimeSeries,
  ISessionDocumentRollupTypedTimeSeries,
  ISessionDocumentTimeSeries,
  ISessionDocumentTypedIncrementalTimeSeries,
  ISessionDocumentTypedTimeSeries,
} from "../operations/time-series-types.js";
import { cacheOf, readEntries } from "./read-entries.js";
import { TimeSeriesCommandData } from "./series-commands.js";

/** A time series of a document, as a session reads and changes it. */
export abstract class SessionSeries extends AnyThis {
  readonly #state;
  readonly #id: string;
  readonly #name: string;

  /** `target`: the id of the document, or an entity of the session. */
  constructor(state: SessionState, target: string | object, name: string) {
    super();
    this.#state = state;
    this.#id = documentId(state, target, "time series");
    this.#name = name;
    assertNamed({ name });
  }

  delete(from?: Time, to?: Time): void {
    this.#change(false, (changes) => changes.delete(new DeleteOperation(from, to)));
    cacheOf(this.#state)?.drop(idKey(this.#id), this.#name, beginning(from), end(to));
  }

  deleteAt(at: Date): void {
    this.delete(at, at);
  }

  protected read(from: Time, to: Time, page: TimeSeriesPage): Promise<TimeSeriesEntry[] | null> {
    return this.#state.inOrder(() => readEntries(this.#state, this.#id, this.#name, from, to, page), "get");
  }

  protected appendValues(timestamp: Date, values: number[], tag: string | null | undefined): void {
    this.#change(false, (changes) => changes.append(new AppendOperation(timestamp, values, tag)));
  }

  protected incrementValues(timestamp: Date, values: number[]): void {
    const increment = Object.assign(new IncrementOperation(), { timestamp, values });
    this.#change(true, (changes) => changes.increment(increment));
  }

  /** Drops the changes that no save has sent, and those that a save with an unknown outcome has sent. */
  discard(): void {
    for (const command of this.#waiting) this.#state.unitOfWork.evictedCommand(command);
  }

  /** The commands about this series that are not being sent. */
  get #waiting(): TimeSeriesCommandData[] {
    const state = this.#state;
    return state.unitOfWork.deferred.filter(
      (command): command is TimeSeriesCommandData =>
        command instanceof TimeSeriesCommandData &&
        !state.isSealed(command) &&
        command.id === this.#id &&
        command.name === this.#name,
    );
  }

  /** Calls `add` for the command that the next save sends. */
  #change(isIncremental: boolean, add: (changes: TimeSeriesOperation) => void): void {
    const [state, id, name] = [this.#state, this.#id, this.#name];
    if (isDeleted(state, id))
      fail(
        "InvalidOperation",
        `cannot change the time series ${name} of ${id}: it is deleted in this session`,
      );
    const fresh = new TimeSeriesCommandData(id, name, isIncremental);
    // A command that a save has sent, which is under way, must not change any more.
    const known = this.#waiting.find((command) => command.type === fresh.type && !command.isUnknown);
    add((known ?? fresh).timeSeries);
    if (!known) state.unitOfWork.storedCommand(fresh);
  }
}

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
