// Time series as apps see them: ranges, statistics, and `session.timeSeriesFor` and its kind. Types alone.

import type { EntityConstructor } from "../../documents/entity-types.js";
import type {
  TimeSeriesEntry,
  TypedTimeSeriesEntry,
  TypedTimeSeriesRollupEntry,
} from "../entries/entries.js";
import type { Time, TimeValue } from "../entries/times.js";

/** What the entries in a span of time are aggregated to. */
export type AggregationType =
  | "First"
  | "Last"
  | "Min"
  | "Max"
  | "Sum"
  | "Count"
  | "Average"
  | "Percentile"
  | "Slope"
  | "StandardDeviation";

/** Part of a time series. */
export interface AbstractTimeSeriesRange {
  /** The name of the time series. */
  name: string;
}

/** The entries in a range of time, both ends included. */
export interface TimeSeriesRange extends AbstractTimeSeriesRange {
  /** Default: the first entry. */
  from?: Date | null | undefined;
  /** Default: the last entry. */
  to?: Date | null | undefined;
}

export type TimeSeriesRangeType = "None" | "Last";

/** The entries of the last hours, days … */
export interface TimeSeriesTimeRange extends AbstractTimeSeriesRange {
  time: TimeValue;
  type: TimeSeriesRangeType;
}

/** The last entries. */
export interface TimeSeriesCountRange extends AbstractTimeSeriesRange {
  count: number;
  type: TimeSeriesRangeType;
}

/** One time series of a document. */
export interface TimeSeriesItemDetail {
  name: string;
  numberOfEntries: number;
  startDate: Date;
  endDate: Date;
}

/** The time series of a document. */
export interface TimeSeriesStatistics {
  documentId: string;
  timeSeries: TimeSeriesItemDetail[];
}

/** Asks for documents together with entries. */
export interface ITimeSeriesIncludeBuilder {
  /** The documents whose ids are the tags of the entries. */
  includeTags(): ITimeSeriesIncludeBuilder;
  /** The document of the time series. */
  includeDocument(): ITimeSeriesIncludeBuilder;
}

/** What a change of the configuration comes to. */
export interface ConfigureTimeSeriesOperationResult {
  raftCommandIndex: number;
}

/** The names of the values of a time series. */
export interface ConfigureTimeSeriesValueNamesParameters {
  collection: string;
  timeSeries: string;
  valueNames: string[];
  /** Whether names that were set before are replaced. */
  update?: boolean;
}

/** Deletes entries with the next save, which deletes before it appends. */
export interface ISessionDocumentDeleteTimeSeriesBase {
  /** Deletes the entries from `from` to `to`, both included; default: all. */
  delete(from?: Time, to?: Time): void;
  /** Deletes the entry of a time. */
  deleteAt(at: Date): void;
}

/** Appends entries with the next save. */
export interface ISessionDocumentAppendTimeSeriesBase {
  /**
   * Appends an entry, or replaces the one of this time.
   * @param values One number, or several: at most 32.
   * @param tag Where they come from, for example the id of a device; at most 255 bytes.
   * @throws {RavenEdgeError} `InvalidArgument` for what is no valid date or no finite number; `InvalidOperation` if the document is
   * deleted in this session.
   */
  append(timestamp: Date, values: number | number[], tag?: string | null): void;
}

/** Reads entries. What the session has read is not requested again, until it saves a change of the time series. */
interface ReadsEntries<Entry> {
  /**
   * The entries from `from` to `to`, both included, in the order of their times; default: all. `null` if there is no such time series;
   * an empty list if the document is in the session and its metadata do not name it.
   * @param start How many of them are skipped.
   * @param pageSize How many at most; default: all.
   */
  get(from?: Time, to?: Time, start?: number, pageSize?: number): Promise<Entry[] | null>;
  get(start: number, pageSize: number): Promise<Entry[] | null>;
}

/** Reads entries, and includes documents. */
interface ReadsEntriesAndDocuments extends ReadsEntries<TimeSeriesEntry> {
  get(from?: Time, to?: Time, start?: number, pageSize?: number): Promise<TimeSeriesEntry[] | null>;
  get(start: number, pageSize: number): Promise<TimeSeriesEntry[] | null>;
  /** @param includes Documents that the session loads in the same request. */
  get(
    from: Time,
    to: Time,
    includes: (includeBuilder: ITimeSeriesIncludeBuilder) => void,
    start?: number,
    pageSize?: number,
  ): Promise<TimeSeriesEntry[] | null>;
}

/** A time series whose entries are numbers. */
export interface ISessionDocumentTimeSeries
  extends ReadsEntriesAndDocuments,
    ISessionDocumentAppendTimeSeriesBase,
    ISessionDocumentDeleteTimeSeriesBase {}

/** Appends entries whose values are an instance of a class. */
export interface ISessionDocumentTypedAppendTimeSeriesBase<T extends object> {
  append(timestamp: Date, entry: T, tag?: string | null): void;
  append(entry: TypedTimeSeriesEntry<T>): void;
}

/** A time series whose entries are instances of a class. */
export interface ISessionDocumentTypedTimeSeries<TValues extends object>
  extends ReadsEntries<TypedTimeSeriesEntry<TValues>>,
    ISessionDocumentTypedAppendTimeSeriesBase<TValues>,
    ISessionDocumentDeleteTimeSeriesBase {}

export interface ISessionDocumentRollupTypedAppendTimeSeriesBase<T extends object> {
  append(entry: TypedTimeSeriesRollupEntry<T>): void;
}

/** A rollup, whose entries a policy of the server makes. */
export interface ISessionDocumentRollupTypedTimeSeries<TValues extends object>
  extends ReadsEntries<TypedTimeSeriesRollupEntry<TValues>>,
    ISessionDocumentRollupTypedAppendTimeSeriesBase<TValues>,
    ISessionDocumentDeleteTimeSeriesBase {}

/** What every incremental time series has. */
interface DiscardsIncrements extends ISessionDocumentDeleteTimeSeriesBase {
  /**
   * Drops the changes of the series that no save has sent, or whose save had an unknown outcome (`docs/time-series.md`). Not in npm
   * `ravendb`.
   */
  discard(): void;
}

/** A time series whose values are added to. */
export interface ISessionDocumentIncrementalTimeSeries extends ReadsEntriesAndDocuments, DiscardsIncrements {
  /** Adds to the values of an entry, and makes it if it is not there. Values that are added to one entry before a save are summed. */
  increment(timestamp: Date, values: number | number[]): void;
  /** Adds to the values of an entry at the current time. */
  increment(values: number | number[]): void;
}

/** A time series whose values are added to by instances of a class. */
export interface ISessionDocumentTypedIncrementalTimeSeries<TValues extends object>
  extends ReadsEntries<TypedTimeSeriesEntry<TValues>>,
    DiscardsIncrements {
  increment(timestamp: Date, values: number | number[] | TValues): void;
  increment(values: number | number[] | TValues): void;
}

/** Time series in sessions. Their code is loaded when they are first used. `docs/time-series.md` has the rules. */
export interface TimeSeriesOfSession {
  /**
   * A time series of a document: reads entries, and changes them with the next save. The document may be new in this session.
   *
   * ```ts
   * const heart = session.timeSeriesFor("employees/1-A", "HeartRate");
   * heart.append(new Date(), 72, "watches/fitbit");
   * await session.saveChanges();
   * ```
   * @param document An id, or an entity of the session.
   * @throws {RavenEdgeError} `InvalidArgument` without a name, and for an object that is no entity of the session. In a page whose code
   * for time series is not loaded yet, the next call that reads or saves rejects instead.
   */
  timeSeriesFor(document: string | object, name: string): ISessionDocumentTimeSeries;
  /** One whose values are instances of a class, which names them in `TIME_SERIES_VALUES`. The class also names the time series. */
  timeSeriesFor<T extends object>(
    document: string | object,
    clazz: EntityConstructor<T>,
  ): ISessionDocumentTypedTimeSeries<T>;
  timeSeriesFor<T extends object>(
    document: string | object,
    name: string,
    clazz: EntityConstructor<T>,
  ): ISessionDocumentTypedTimeSeries<T>;
  /** The rollup that a policy makes of a time series. */
  timeSeriesRollupFor<T extends object>(
    document: string | object,
    policy: string,
    clazz: EntityConstructor<T>,
  ): ISessionDocumentRollupTypedTimeSeries<T>;
  timeSeriesRollupFor<T extends object>(
    document: string | object,
    policy: string,
    raw: string,
    clazz: EntityConstructor<T>,
  ): ISessionDocumentRollupTypedTimeSeries<T>;
  /** An incremental time series, whose name begins with `INC:`. Errors as {@link timeSeriesFor}, and `InvalidArgument` for another name. */
  incrementalTimeSeriesFor(document: string | object, name: string): ISessionDocumentIncrementalTimeSeries;
  incrementalTimeSeriesFor<T extends object>(
    document: string | object,
    clazz: EntityConstructor<T>,
  ): ISessionDocumentTypedIncrementalTimeSeries<T>;
  incrementalTimeSeriesFor<T extends object>(
    document: string | object,
    name: string,
    clazz: EntityConstructor<T>,
  ): ISessionDocumentTypedIncrementalTimeSeries<T>;
}

/** Names time series whose entries come with documents: the session reads them without a request then. */
export interface IncludesTimeSeries {
  /** The entries from `from` to `to`, both included; default: all. */
  includeTimeSeries(name: string, from?: Time, to?: Time): this;
  /**
   * The last entries: `"Last"`, and a length of time or their number.
   *
   * ```ts
   * await session.load("employees/1-A", {
   *   includes: (includes) => includes.includeTimeSeries("HeartRate", "Last", TimeValue.ofHours(1)),
   * });
   * ```
   */
  includeTimeSeries(
    names: string | string[],
    type: TimeSeriesRangeType,
    timeOrCount: TimeValue | number,
  ): this;
  /** In queries: those of the document whose id is at `path`. */
  includeTimeSeries(path: string, name: string, from: Time, to: Time): this;
  /** The last entries of all time series; not together with `includeTimeSeries`. */
  includeAllTimeSeries(type: TimeSeriesRangeType, timeOrCount: TimeValue | number): this;
}
