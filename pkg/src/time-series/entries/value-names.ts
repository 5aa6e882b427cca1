// The names of the values of an entry: a class says them in `TIME_SERIES_VALUES`.

import { isObject } from "../../common/arguments.js";
import { fail } from "../../common/error.js";
import type { EntityConstructor } from "../../documents/entity-types.js";

/** A value: the member of the class that holds it, and its name on the server. */
export interface TimeSeriesValueField {
  field: string;
  name: string;
}

type NumberMember<T> = { [Name in keyof T]: T[Name] extends number ? Name : never }[keyof T];

/**
 * The type of `TIME_SERIES_VALUES`, which a class has for the values of an entry: its members in their order, by themselves or beside the
 * names that the server shows.
 *
 * ```ts
 * class StockPrice {
 *   static readonly TIME_SERIES_VALUES: TimeSeriesValue<StockPrice> = ["open", { field: "close", name: "Close" }];
 *   open = 0;
 *   close = 0;
 * }
 * ```
 */
export type TimeSeriesValue<T> = (NumberMember<T> | { field: NumberMember<T>; name: string })[];

type ValueMembers = Record<string, number>;

const known = new WeakMap<object, TimeSeriesValueField[]>();

/** As in npm `ravendb`. */
// biome-ignore lint/complexity/noStaticOnlyClass: the name and its members are npm `ravendb`'s
export class TimeSeriesValuesHelper {
  /**
   * The values that a class names; `null`: it names none.
   * @throws {RavenEdgeError} `InvalidOperation` for a list that names a member twice, or has something else in it.
   */
  static getFieldsMapping(clazz: object): TimeSeriesValueField[] | null {
    const found = known.get(clazz);
    if (found || !("TIME_SERIES_VALUES" in clazz)) return found ?? null;
    const named: unknown = clazz.TIME_SERIES_VALUES;
    if (!Array.isArray(named)) fail("InvalidOperation", "TIME_SERIES_VALUES is a list of names");
    const fields = named.map((value: unknown): TimeSeriesValueField => {
      if (typeof value === "string") return { field: value, name: value };
      const { field, name } = isObject(value) ? value : {};
      if (typeof field === "string" && field && typeof name === "string" && name) return { field, name };
      fail("InvalidOperation", `TIME_SERIES_VALUES has names, or { field, name }, but not ${String(value)}`);
    });
    for (const key of ["field", "name"] as const)
      if (new Set(fields.map((each) => each[key])).size < fields.length)
        fail("InvalidOperation", "TIME_SERIES_VALUES names a value twice");
    known.set(clazz, fields);
    return fields;
  }

  /** The values of an object, in the order of the class; `null`: the class names none. */
  static getValues(clazz: object, obj: object): number[] | null {
    const fields = TimeSeriesValuesHelper.getFieldsMapping(clazz);
    return fields?.map(({ field }) => (obj as ValueMembers)[field] as number) ?? null;
  }

  /** An instance of the class with these values; `NaN` for those that are missing. `asRollup`: of each value, the first of its six. */
  static setFields<T extends object>(
    clazz: EntityConstructor<T>,
    values: number[] | null | undefined,
    asRollup = false,
  ): T | null {
    const fields = values && TimeSeriesValuesHelper.getFieldsMapping(clazz);
    if (!fields) return null;
    const made = new clazz();
    for (let at = 0; at < fields.length; at++) {
      const { field } = fields[at] as TimeSeriesValueField;
      (made as ValueMembers)[field] = values[asRollup ? at * 6 : at] ?? Number.NaN;
    }
    return made;
  }
}

/** A map whose keys are compared without regard to case; it shows the spelling that came first. */
export class NameMap<Value> extends Map<string, Value> {
  #spellings = new Map<string, string>();

  override get(name: string): Value | undefined {
    return super.get(this.#spelling(name));
  }

  override has(name: string): boolean {
    return super.has(this.#spelling(name));
  }

  override set(name: string, value: Value): this {
    const spelling = this.#spelling(name);
    this.#spellings.set(name.toLowerCase(), spelling);
    return super.set(spelling, value);
  }

  override delete(name: string): boolean {
    const spelling = this.#spelling(name);
    this.#spellings.delete(name.toLowerCase());
    return super.delete(spelling);
  }

  override clear(): void {
    this.#spellings.clear();
    super.clear();
  }

  #spelling(name: string): string {
    return this.#spellings.get(name.toLowerCase()) ?? name;
  }
}
