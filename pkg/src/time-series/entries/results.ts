// Results of reads and queries of time series.

import { AnyThis } from "../../common/any-this.js";
import { camel } from "../../common/member-case.js";
import type { EntityConstructor } from "../../documents/entity-types.js";
import { dateOf } from "../../documents/mapping/date-format.js";
import { TimeSeriesEntry, type TypedTimeSeriesEntry } from "./entries.js";
import { timeReader } from "./times.js";
import { TimeSeriesValuesHelper } from "./value-names.js";

/** The entries of a time series in a range of time. */
export class TimeSeriesRangeResult {
  /** The beginning of the range; `null`: the first entry. */
  from!: Date | null;
  /** The end of the range; `null`: the last entry. */
  to!: Date | null;
  entries!: TimeSeriesEntry[];
  /** How many entries there are in all; only if the whole series was asked for. */
  totalResults!: number | undefined;
  /** Included documents by id. */
  includes!: Record<string, object | null> | null | undefined;
}

/** Ranges by the names of time series, without regard to case. */
export class TimeSeriesDetails {
  id!: string;
  values!: Map<string, TimeSeriesRangeResult[]>;
}

/** As the server sends an entry. */
interface RawEntry {
  Timestamp: string;
  Tag: string | null;
  Values: number[];
  IsRollup: boolean;
  NodeValues?: Record<string, number[]>;
}

/** As the server sends a range. */
export interface RawRange {
  From: string | null;
  To: string | null;
  Entries: RawEntry[];
  TotalResults?: number;
  Includes?: Record<string, object | null>;
}

/** Makes a range of what the server sent. */
export function rangeOf({ From, To, Entries, TotalResults, Includes }: RawRange): TimeSeriesRangeResult {
  const timeOf = timeReader();
  return Object.assign(new TimeSeriesRangeResult(), {
    from: From ? dateOf(From) : null,
    to: To ? dateOf(To) : null,
    entries: Entries.map(
      ({ Timestamp, Tag, Values, IsRollup, NodeValues }) =>
        new TimeSeriesEntry(timeOf(Timestamp), Tag, Values, IsRollup, NodeValues),
    ),
    totalResults: TotalResults,
    includes: Includes,
  });
}

/** The member of a projection that `selectTimeSeries` makes: the class that the app names reads it. */
export const SELECTED = "__timeSeriesQueryFunction";

/** As the server sends a result; in a query that the app has not written in RQL it is in a member. */
export interface RawSeriesResult {
  Count: number;
  Results: Record<string, unknown>[] | null;
  [SELECTED]?: RawSeriesResult;
}

/** What the results have in common. */
export class TimeSeriesQueryResult {
  /** How many entries there are. */
  count!: number;
}

const date = (value: unknown): Date => (value ? dateOf(value as string) : (value as Date));

/** Sets the members of `made` from what the server sent. */
function filled<Made extends object>(
  made: Made,
  raw: RawSeriesResult,
  itemOf: (item: Record<string, unknown>) => object,
): Made {
  const { Results, ...rest } = raw[SELECTED] ?? raw;
  return Object.assign(made, camel(rest), { results: (Results ?? []).map(itemOf) });
}

/** Entries, as instances of a class. */
export class TypedTimeSeriesRawResult<T extends object> extends TimeSeriesQueryResult {
  results!: TypedTimeSeriesEntry<T>[];
}

/** Entries. */
export class TimeSeriesRawResult extends TimeSeriesQueryResult {
  results!: TimeSeriesEntry[];

  /** @internal */
  static ofProjection(raw: RawSeriesResult): TimeSeriesRawResult {
    return filled(new TimeSeriesRawResult(), raw, (item) =>
      Object.assign(new TimeSeriesEntry(), camel(item), { timestamp: date(item.Timestamp) }),
    );
  }

  asTypedResult<T extends object>(clazz: EntityConstructor<T>): TypedTimeSeriesRawResult<T> {
    const { count } = this;
    const results = this.results.map((entry) => entry.asTypedEntry(clazz));
    return Object.assign(new TypedTimeSeriesRawResult<T>(), { count, results });
  }
}

class RangeAggregation<Values> {
  count!: Values;
  max!: Values;
  min!: Values;
  last!: Values;
  first!: Values;
  average!: Values;
  sum!: Values;
  to!: Date;
  from!: Date;
}

/** What was aggregated of one span of time: instances of a class. Those that the query does not select are `null`. */
export class TypedTimeSeriesRangeAggregation<T extends object> extends RangeAggregation<T | null> {}

const AGGREGATIONS = ["count", "max", "min", "last", "first", "average", "sum"] as const;

/** An aggregation: one number for each value. Those that the query does not select are `undefined`. */
export class TimeSeriesRangeAggregation extends RangeAggregation<number[]> {
  asTypedEntry<T extends object>(clazz: EntityConstructor<T>): TypedTimeSeriesRangeAggregation<T> {
    const { from, to } = this;
    const made = Object.assign(new TypedTimeSeriesRangeAggregation<T>(), { from, to });
    for (const name of AGGREGATIONS) made[name] = TimeSeriesValuesHelper.setFields(clazz, this[name]);
    return made;
  }
}

/** Aggregations, as instances of a class. */
export class TypedTimeSeriesAggregationResult<T extends object> extends TimeSeriesQueryResult {
  results!: TypedTimeSeriesRangeAggregation<T>[];
}

/** Aggregations of spans of time. */
export class TimeSeriesAggregationResult extends TimeSeriesQueryResult {
  results!: TimeSeriesRangeAggregation[];

  /** @internal */
  static ofProjection(raw: RawSeriesResult): TimeSeriesAggregationResult {
    return filled(new TimeSeriesAggregationResult(), raw, (item) =>
      Object.assign(new TimeSeriesRangeAggregation(), camel(item), {
        from: date(item.From),
        to: date(item.To),
      }),
    );
  }

  asTypedEntry<T extends object>(clazz: EntityConstructor<T>): TypedTimeSeriesAggregationResult<T> {
    const { count } = this;
    const results = this.results.map((range) => range.asTypedEntry(clazz));
    return Object.assign(new TypedTimeSeriesAggregationResult<T>(), { count, results });
  }
}

/** Makes the result of a member of a projection, of which the server says that it is a time series. */
export function seriesResult(raw: RawSeriesResult): TimeSeriesAggregationResult | TimeSeriesRawResult {
  const [first] = raw.Results ?? [];
  return first?.From && first.To
    ? TimeSeriesAggregationResult.ofProjection(raw)
    : TimeSeriesRawResult.ofProjection(raw);
}

/** Takes the RQL of `selectTimeSeries`. */
export interface ITimeSeriesQueryBuilder {
  /** @param queryText What stands between the parentheses of `select timeseries(…)`: it is sent as it is. */
  raw<T extends TimeSeriesQueryResult>(queryText: string): T;
}

/** As in npm `ravendb`. */
export class TimeSeriesQueryBuilder extends AnyThis implements ITimeSeriesQueryBuilder {
  #text = "";

  raw<T extends TimeSeriesQueryResult>(queryText: string): T {
    this.#text = queryText;
    return null as never;
  }

  get queryText(): string {
    return this.#text;
  }
}
