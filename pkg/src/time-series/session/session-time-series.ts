// `session.timeSeriesFor`, `timeSeriesRollupFor` and `incrementalTimeSeriesFor`: they read entries, and defer changes for the next save.
// Names are those of npm `ravendb`.

import { documentId, isDeleted } from "../../capabilities/about-a-document.js";
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

/** What a session reads and changes of a time series. `target`: the id of the document, or an entity of the session. */
function seriesOf(state: SessionState, target: string | object, name: string) {
  const id = documentId(state, target, "time series");
  assertNamed({ name });

  /** The commands about this series that are not being sent. */
  const waiting = () =>
    state.unitOfWork.deferred.filter(
      (command): command is TimeSeriesCommandData =>
        command instanceof TimeSeriesCommandData &&
        !state.isSealed(command) &&
        command.id === id &&
        command.name === name,
    );

  /** Calls `add` for the command that the next save sends. */
  function change(isIncremental: boolean, add: (changes: TimeSeriesOperation) => void): void {
    if (isDeleted(state, id))
      fail(
        "InvalidOperation",
        `cannot change the time series ${name} of ${id}: it is deleted in this session`,
      );
    const fresh = new TimeSeriesCommandData(id, name, isIncremental);
    // A command that a save has sent, which is under way, must not change any more.
    const known = waiting().find((command) => command.type === fresh.type && !command.isUnknown);
    add((known ?? fresh).timeSeries);
    if (!known) state.unitOfWork.storedCommand(fresh);
  }

  function remove(from?: Time, to?: Time): void {
    change(false, (changes) => changes.delete(new DeleteOperation(from, to)));
    cacheOf(state)?.drop(idKey(id), name, beginning(from), end(to));
  }

  return {
    /** `given`: the arguments of `get`. */
    async read(given: unknown[]): Promise<TimeSeriesEntry[] | null> {
      const [from, to, page] = asked(given);
      return state.inOrder(() => readEntries(state, id, name, from, to, page), "get");
    },
    add: (timestamp: Date, values: number[], tag: string | null | undefined) =>
      change(false, (changes) => changes.append(new AppendOperation(timestamp, values, tag))),
    increment(timestamp: Date, values: number[]): void {
      const increment = Object.assign(new IncrementOperation(), { timestamp, values });
      change(true, (changes) => changes.increment(increment));
    },
    /** The methods of all kinds. */
    methods: {
      delete: remove,
      deleteAt: (at: Date) => remove(at, at),
      /** Drops the changes that no save has sent, and those that a save with an unknown outcome has sent. */
      discard(): void {
        for (const command of waiting()) state.unitOfWork.evictedCommand(command);
      },
    },
  };
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

/** A series of numbers. */
export function numberSeries(
  ...series: Parameters<typeof seriesOf>
): ISessionDocumentTimeSeries & ISessionDocumentIncrementalTimeSeries {
  const { read, add, increment, methods } = seriesOf(...series);
  return {
    ...methods,
    get: (...given: unknown[]) => read(given),
    append: (timestamp, values, tag) => add(timestamp, listed(values), tag),
    increment(first: Date | number | number[], values?: number | number[]) {
      if (isDate(first)) increment(first, listed(values));
      else increment(new Date(), listed(first));
    },
  };
}

/** A series of instances of a class. */
export function typedSeries<T extends object>(
  type: EntityConstructor<T>,
  ...series: Parameters<typeof seriesOf>
): ISessionDocumentTypedTimeSeries<T> & ISessionDocumentTypedIncrementalTimeSeries<T> {
  const { read, add, increment, methods } = seriesOf(...series);

  function valuesOf(entry: unknown): number[] {
    if (!isObject(entry))
      fail("InvalidArgument", "the values are an instance of the class of the time series");
    return (
      TimeSeriesValuesHelper.getValues(type, entry) ??
      fail("InvalidArgument", `${type.name} names no values in TIME_SERIES_VALUES`)
    );
  }
  const numbers = (given: unknown) =>
    typeof given === "number" || Array.isArray(given) ? listed(given) : valuesOf(given);
  function incrementBy(first: unknown, given?: unknown): void {
    if (first instanceof TypedTimeSeriesEntry) incrementBy(first.timestamp, first.values ?? first.value);
    else if (isDate(first)) increment(first, numbers(given));
    else increment(new Date(), numbers(first));
  }

  return {
    ...methods,
    async get(...given: unknown[]) {
      return (await read(given))?.map((entry) => entry.asTypedEntry(type)) ?? null;
    },
    append(first: Date | TypedTimeSeriesEntry<T>, entry?: T, tag?: string | null) {
      if (first instanceof TypedTimeSeriesEntry) add(first.timestamp, valuesOf(first.value), first.tag);
      else add(first, valuesOf(entry), tag);
    },
    increment: incrementBy,
  };
}

/** The rollup of a series. */
export function rollupSeries<T extends object>(
  type: EntityConstructor<T>,
  ...series: Parameters<typeof seriesOf>
): ISessionDocumentRollupTypedTimeSeries<T> {
  const { read, add, methods } = seriesOf(...series);
  return {
    ...methods,
    async get(...given: unknown[]) {
      return (await read(given))?.map((entry) => TypedTimeSeriesRollupEntry.fromEntry(entry, type)) ?? null;
    },
    append: (entry) => add(entry.timestamp, entry.getValuesFromMembers(), entry.tag),
  };
}
