// Entries of time series, as numbers and as instances of a class. Members are those of npm `ravendb`.

import { fail } from "../../common/error.js";
import type { EntityConstructor } from "../../documents/entity-types.js";
import { TimeSeriesValuesHelper } from "./value-names.js";

/** One entry of a time series. */
export class TimeSeriesEntry {
  timestamp: Date;
  /** Where the values come from, for example the id of a device; `null`: no tag. */
  tag: string | null;
  values: number[];
  /** Whether a policy has made it of several entries: then each value is six numbers. */
  isRollup: boolean;
  /** The values of each node, in an incremental time series that was read in full. */
  nodeValues: Record<string, number[]> | undefined;

  constructor(
    timestamp?: Date,
    tag?: string | null,
    values?: number[],
    isRollup?: boolean,
    nodeValues?: Record<string, number[]>,
  ) {
    // As in npm `ravendb`, members without a value are `undefined`.
    this.timestamp = timestamp as Date;
    this.tag = tag as string | null;
    this.values = values as number[];
    this.isRollup = isRollup as boolean;
    this.nodeValues = nodeValues;
  }

  /**
   * The value of an entry that has one.
   * @throws {RavenEdgeError} `InvalidOperation` for an entry with several values.
   */
  get value(): number {
    this._assertSingle();
    return this.values[0] as number;
  }

  set value(value: number) {
    this._assertSingle();
    this.values[0] = value;
  }

  private _assertSingle(): void {
    if (this.values.length !== 1) fail("InvalidOperation", "the entry has several values: read `values`");
  }

  /** The entry with an instance of the class as its value. */
  asTypedEntry<T extends object>(clazz: EntityConstructor<T>): TypedTimeSeriesEntry<T> {
    const { timestamp, tag, values, isRollup } = this;
    const value = TimeSeriesValuesHelper.setFields(clazz, values, isRollup) as T;
    return Object.assign(new TypedTimeSeriesEntry<T>(), { timestamp, tag, values, isRollup, value });
  }
}

/** An entry whose values have names. */
export class TypedTimeSeriesEntry<T extends object> {
  timestamp!: Date;
  tag!: string | null;
  values!: number[];
  isRollup!: boolean;
  value!: T;
}

/** What a policy has made of several entries: one instance of the class for each aggregation. */
export class TypedTimeSeriesRollupEntry<TValues extends object> {
  timestamp: Date;
  tag: string | null | undefined;
  rollup = true;
  private _type;
  /** In the order of the six numbers of a value. */
  private _parts: (TValues | undefined)[] = [];
  private _average: TValues | undefined;

  constructor(clazz: EntityConstructor<TValues>, timestamp: Date) {
    this._type = clazz;
    this.timestamp = timestamp;
  }

  get first(): TValues {
    return this._part(0);
  }

  get last(): TValues {
    return this._part(1);
  }

  get min(): TValues {
    return this._part(2);
  }

  get max(): TValues {
    return this._part(3);
  }

  get sum(): TValues {
    return this._part(4);
  }

  get count(): TValues {
    return this._part(5);
  }

  /** Sum by count; `NaN` where nothing was counted. */
  get average(): TValues {
    const [sums, counts] = [this.sum, this.count].map((part) => this._valuesOf(part));
    const averages = sums?.map((sum, at) => (counts?.[at] ? sum / (counts[at] as number) : Number.NaN));
    this._average ??= TimeSeriesValuesHelper.setFields(this._type, averages) as TValues;
    return this._average;
  }

  /** The six numbers of each value, as they are appended. */
  getValuesFromMembers(): number[] {
    const fields = TimeSeriesValuesHelper.getFieldsMapping(this._type) ?? [];
    const values = new Array<number>(fields.length * 6);
    this._parts.forEach((part, offset) => {
      if (part)
        this._valuesOf(part)?.forEach((value, at) => {
          values[at * 6 + offset] = value;
        });
    });
    return values;
  }

  static fromEntry<T extends object>(
    entry: TimeSeriesEntry,
    clazz: EntityConstructor<T>,
  ): TypedTimeSeriesRollupEntry<T> {
    const made = new TypedTimeSeriesRollupEntry(clazz, entry.timestamp);
    made.tag = entry.tag;
    for (let offset = 0; offset < 6; offset++) {
      const values = entry.values.filter((_, at) => at % 6 === offset);
      made._parts[offset] = TimeSeriesValuesHelper.setFields(clazz, values) ?? undefined;
    }
    return made;
  }

  private _part(offset: number): TValues {
    this._parts[offset] ??= new this._type();
    return this._parts[offset];
  }

  private _valuesOf(part: TValues): number[] | null {
    return TimeSeriesValuesHelper.getValues(this._type, part);
  }
}
