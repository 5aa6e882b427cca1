// Operations on time series, for `store.operations.send`: the changes of one (entries to append, increments, ranges to delete), and reads. Names,
// arguments and results are those of npm `ravendb`.

import { AnyThis } from "../../common/any-this.js";
import { fail } from "../../common/error.js";
import { camel } from "../../common/member-case.js";
import { isValidDate } from "../../common/value-kinds.js";
import { dateOf, utcText } from "../../documents/mapping/date-format.js";
import { SingleRequestOperation } from "../../operations/single-request.js";
import { query } from "../../wire/query-string.js";
import {
  assertNamed,
  oneRoute,
  readOne,
  readSeveral,
  severalRoute,
  type TimeSeriesIncludes,
} from "../entries/read-requests.js";
import type { TimeSeriesDetails, TimeSeriesRangeResult } from "../entries/results.js";
import type { Time } from "../entries/times.js";
import type { TimeSeriesRange, TimeSeriesStatistics } from "./time-series-types.js";

/** Numbers as JSON has them: RavenDB would store 0 for `null`, which `NaN` becomes. */
function assertValues(values: unknown): asserts values is number[] {
  if (!Array.isArray(values) || values.length === 0 || !values.every(Number.isFinite))
    fail("InvalidArgument", "the values of an entry are finite numbers, at least one");
}

/** An entry to append. One of the same timestamp is replaced. */
export class AppendOperation {
  /** @param tag Where the values come from, for example the id of a device. */
  constructor(
    public timestamp: Date,
    public values: number[],
    public tag?: string | null | undefined,
  ) {}

  serialize(): object {
    return { Timestamp: utcText(this.timestamp), Values: this.values, Tag: this.tag || undefined };
  }
}

/** A range of time whose entries are to be deleted, both ends included. */
export class DeleteOperation {
  /**
   * @param from Default: the first entry.
   * @param to Default: the last entry.
   */
  constructor(
    public from?: Date | null | undefined,
    public to?: Date | null | undefined,
  ) {}

  serialize(): object {
    return { From: this.from ? utcText(this.from) : null, To: this.to ? utcText(this.to) : null };
  }
}

/** Numbers to add to the values of an entry of an incremental time series; the server makes the entry if it is not there. */
export class IncrementOperation {
  timestamp!: Date;
  values!: number[];

  serialize(): object {
    return { Timestamp: utcText(this.timestamp), Values: this.values };
  }
}

/** Changes of one time series of a document. The server deletes first, then adds increments, then appends. */
export class TimeSeriesOperation extends AnyThis {
  name: string | undefined;
  /** By timestamp, in milliseconds. */
  #appends: Map<number, AppendOperation> | undefined;
  #increments: Map<number, IncrementOperation> | undefined;
  #deletes: DeleteOperation[] | undefined;

  /** @param name The name of the time series. */
  constructor(name?: string) {
    super();
    this.name = name;
  }

  /** @throws {RavenEdgeError} `InvalidArgument` for what is no date or number; of two entries of one timestamp the last one counts. */
  append(appendOperation: AppendOperation): void {
    const { timestamp, values } = appendOperation;
    assertDate(timestamp);
    assertValues(values);
    this.#appends ??= new Map();
    this.#appends.set(timestamp.getTime(), appendOperation);
  }

  /** @throws {RavenEdgeError} `InvalidArgument` for what is no date or number; two increments of one timestamp are added. */
  increment(incrementOperation: IncrementOperation): void {
    const { timestamp, values } = incrementOperation;
    assertDate(timestamp);
    assertValues(values);
    this.#increments ??= new Map();
    const time = timestamp.getTime();
    const before = this.#increments.get(time)?.values ?? [];
    const sum = Array.from({ length: Math.max(before.length, values.length) }, (_, at) => {
      return (before[at] ?? 0) + (values[at] ?? 0);
    });
    this.#increments.set(time, Object.assign(new IncrementOperation(), { timestamp, values: sum }));
  }

  /** @internal */
  get hasDeletes(): boolean {
    return this.#deletes !== undefined;
  }

  delete(deleteOperation: DeleteOperation): void {
    for (const end of [deleteOperation.from, deleteOperation.to]) if (end) assertDate(end);
    this.#deletes ??= [];
    this.#deletes.push(deleteOperation);
  }

  serialize(): object {
    const all = (operations: Iterable<{ serialize(): object }> | undefined) =>
      operations ? Array.from(operations, (operation) => operation.serialize()) : null;
    const appends = this.#appends && [...this.#appends].sort(([a], [b]) => a - b).map(([, each]) => each);
    return {
      Name: this.name,
      Appends: all(appends),
      Deletes: all(this.#deletes),
      Increments: all(this.#increments?.values()),
    };
  }
}

function assertDate(timestamp: unknown): void {
  if (!isValidDate(timestamp)) fail("InvalidArgument", "the time of an entry is a valid Date");
}

/**
 * Reads entries of a time series (`GET timeseries`); the result is `undefined` if it does not exist.
 *
 * ```ts
 * const result = await store.operations.send(new GetTimeSeriesOperation("employees/1-A", "HeartRate"));
 * console.log(result?.entries.length);
 * ```
 */
export class GetTimeSeriesOperation extends SingleRequestOperation<TimeSeriesRangeResult> {
  /**
   * @param from Default: the first entry.
   * @param to Default: the last entry.
   * @param start How many entries are skipped.
   * @param pageSize How many entries at most; default: all.
   * @param includes Documents for `includes` of the result.
   * @param returnFullResults Whether entries of an incremental time series have the values of each node.
   * @throws {RavenEdgeError} `InvalidArgument` without an id or a name.
   */
  constructor(
    docId: string,
    timeseries: string,
    from?: Time,
    to?: Time,
    start = 0,
    pageSize?: number,
    includes?: TimeSeriesIncludes | null,
    returnFullResults = false,
  ) {
    const page = { start, pageSize, includes, full: returnFullResults };
    super({ route: oneRoute(docId, timeseries, from, to, page) }, readOne as never);
  }
}

/** Reads several ranges of time series of a document (`GET timeseries/ranges`); `undefined` if one of the series does not exist. */
export class GetMultipleTimeSeriesOperation extends SingleRequestOperation<TimeSeriesDetails> {
  /** @throws {RavenEdgeError} `InvalidArgument` without an id, a range, or the name of a range. For others see {@link GetTimeSeriesOperation}. */
  constructor(
    docId: string,
    ranges: TimeSeriesRange[],
    start = 0,
    pageSize?: number,
    includes?: TimeSeriesIncludes | null,
    returnFullResults = false,
  ) {
    const page = { start, pageSize, includes, full: returnFullResults };
    super({ route: severalRoute(docId, ranges, page) }, readSeveral as never);
  }
}

/** As the server sends it. */
interface RawStatistics {
  DocumentId: string;
  TimeSeries: { StartDate: string; EndDate: string }[];
}

/**
 * Reads names, first and last time, and number of entries of all time series of a document (`GET timeseries/stats`); the result is `null` if
 * there is no such document.
 */
export class GetTimeSeriesStatisticsOperation extends SingleRequestOperation<TimeSeriesStatistics> {
  constructor(documentId: string) {
    const read = (body: RawStatistics | "") => {
      // There is no such document.
      if (!body) return null;
      const { DocumentId: id, TimeSeries: all } = body;
      const dates = (raw: RawStatistics["TimeSeries"][number]) => ({
        ...(camel(raw) as object),
        startDate: dateOf(raw.StartDate),
        endDate: dateOf(raw.EndDate),
      });
      return { documentId: id, timeSeries: all.map(dates) } as TimeSeriesStatistics;
    };
    super({ route: `timeseries/stats?${query([["docId", documentId]])}` }, read as never);
  }
}

/**
 * Changes a time series of a document (`POST timeseries`), all or nothing.
 *
 * ```ts
 * const changes = new TimeSeriesOperation("HeartRate");
 * changes.append(new AppendOperation(new Date(), [72], "watches/fitbit"));
 * changes.delete(new DeleteOperation(null, new Date("2024-01-01T00:00:00Z")));
 * await store.operations.send(new TimeSeriesBatchOperation("employees/1-A", changes));
 * ```
 *
 * It is sent once: after a lost response (`Unreachable`, `Timeout`) read what the server has. Appending the same entries again does
 * no harm; adding the same increments again does.
 */
export class TimeSeriesBatchOperation extends SingleRequestOperation<void> {
  /** @throws {RavenEdgeError} `InvalidArgument` without an id or an operation. */
  constructor(documentId: string, operation: TimeSeriesOperation) {
    assertNamed({ "document id": documentId });
    if (!operation) fail("InvalidArgument", "TimeSeriesBatchOperation needs an operation");
    super(() => {
      const route = `timeseries?${query([["docId", documentId]])}`;
      return { method: "POST", route, body: operation.serialize() };
    });
  }
}
