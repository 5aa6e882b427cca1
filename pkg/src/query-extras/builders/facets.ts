// Facets: what is counted and aggregated for the values of a field, or for ranges of values.

import { AnyThis } from "../../common/any-this.js";
import { fail } from "../../common/error.js";
import { pascal } from "../../common/member-case.js";

/** What was counted and aggregated for one value of a facet, or for one range. */
export interface IFacetValue {
  /** The name of the aggregation, if it has one. */
  name: string;
  /** The value, or the range. */
  range: string;
  /** The number of documents. */
  count: number;
  sum: number;
  max: number;
  min: number;
  average: number;
}

export interface FacetValue extends IFacetValue {}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the response has these members
export class FacetValue {
  toString(): string {
    return FacetValue.toString(this);
  }

  /** The values as a text, for logs. */
  static toString(value: IFacetValue): string {
    const named = (["sum", "max", "min", "average", "name"] as const)
      .filter((name) => value[name])
      .map((name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${value[name]},`);
    return `${value.range} - Count: ${value.count}, ${named.join("")}`;
  }
}

/** A facet in results. */
export class FacetResult {
  /** The display name of the facet, or its field. */
  declare name: string;
  values: FacetValue[] = [];
  /** The values beyond the maximum number, if the options ask for them. */
  remainingTerms: string[] = [];
  declare remainingTermsCount: number;
  /** The number of documents with these values. */
  declare remainingHits: number;
}

/** Facets by their names. */
export interface FacetResultObject {
  [name: string]: FacetResult;
}

/** The order of the values of a facet: by value (the default is `"ValueAsc"`) or by number of documents. */
export type FacetTermSortMode = "ValueAsc" | "ValueDesc" | "CountAsc" | "CountDesc";

/** What is calculated of a field for each value of a facet. */
export type FacetAggregation = "None" | "Max" | "Min" | "Average" | "Sum";

/** How many values a facet has, and in which order. */
export interface IFacetOptions {
  termSortMode: FacetTermSortMode;
  /** Whether the result names the values beyond `pageSize`; default `false`. */
  includeRemainingTerms: boolean;
  /** The number of values to pass over. */
  start: number;
  /** The maximum number of values; default: all. */
  pageSize: number;
}

const DEFAULTS: { options?: FacetOptions } = {};

export class FacetOptions implements IFacetOptions {
  termSortMode: FacetTermSortMode = "ValueAsc";
  declare includeRemainingTerms: boolean;
  declare start: number;
  declare pageSize: number;

  /** The options of a facet that has none. */
  static getDefaultOptions(): IFacetOptions {
    DEFAULTS.options ??= new FacetOptions();
    return DEFAULTS.options;
  }
}

/** A field that is aggregated, and its name in results. */
export class FacetAggregationField {
  declare name: string;
  declare displayName: string | null | undefined;
}

/** What all kinds of facets have. */
export abstract class FacetBase {
  /** The name of the facet in results; default: its field. */
  declare displayFieldName: string | null | undefined;
  /** The fields that are aggregated, by what is calculated of them. */
  aggregations = new Map<FacetAggregation, Set<FacetAggregationField>>();
}

/** A facet of the values of a field; without a field, of all results. */
export class Facet extends FacetBase {
  declare fieldName: string | null | undefined;
  declare options: Partial<IFacetOptions> | null | undefined;
}

/**
 * A facet of ranges, such as `"price <= 200"`. The ranges become parts of the query as they are: never put input of users into them. Use
 * {@link RangeBuilder} for values.
 */
export class RangeFacet extends FacetBase {
  ranges: string[] = [];
}

/** A facet of ranges with values. */
export class GenericRangeFacet extends FacetBase {
  ranges: RangeBuilder[] = [];
}

/** Facets that are stored as a document, for {@link DocumentQuery.aggregateUsing}. */
export class FacetSetup {
  declare id?: string;
  facets: Facet[] = [];
  rangeFacets: RangeFacet[] = [];

  /** The document as RavenDB reads it. */
  toRemoteFieldNames(): object {
    const setup = { id: this.id, facets: this.facets.map(stored), rangeFacets: this.rangeFacets.map(stored) };
    return pascal(JSON.parse(JSON.stringify(setup))) as object;
  }

  /** The setup in JSON: as {@link toRemoteFieldNames} gives it. */
  toJSON(): object {
    return this.toRemoteFieldNames();
  }
}

/** A facet with its aggregations as JSON has them. */
function stored(facet: FacetBase): object {
  const aggregations = Array.from(facet.aggregations, ([name, fields]) => [name, [...fields]] as const);
  return { ...facet, aggregations: Object.fromEntries(aggregations) };
}

/** One bound of a range. */
type Bound = [operator: "<" | "<=" | ">" | ">=", value: unknown];

/**
 * A range of the values of a field. Each method returns another range.
 *
 * ```ts
 * const range = RangeBuilder.forPath("price").isGreaterThanOrEqualTo(200).isLessThan(400);
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, the values of a path are of any type
export class RangeBuilder<T = any> extends AnyThis {
  /**
   * @param path The path of the field.
   * @param bounds The lower bound, and the upper one.
   */
  constructor(
    readonly path: string,
    readonly bounds: readonly [greater?: Bound | undefined, less?: Bound | undefined] = [],
  ) {
    super();
  }

  static forPath<T>(path: string): RangeBuilder<T> {
    return new RangeBuilder(path);
  }

  /** @throws {RavenEdgeError} `InvalidOperation` if the range has an upper bound already. */
  isLessThan(value: T): RangeBuilder<T> {
    return this.#bounded(1, "<", value);
  }

  /** @throws {RavenEdgeError} `InvalidOperation` if the range has an upper bound already. */
  isLessThanOrEqualTo(value: T): RangeBuilder<T> {
    return this.#bounded(1, "<=", value);
  }

  /** @throws {RavenEdgeError} `InvalidOperation` if the range has a lower bound already. */
  isGreaterThan(value: T): RangeBuilder<T> {
    return this.#bounded(0, ">", value);
  }

  /** @throws {RavenEdgeError} `InvalidOperation` if the range has a lower bound already. */
  isGreaterThanOrEqualTo(value: T): RangeBuilder<T> {
    return this.#bounded(0, ">=", value);
  }

  /** `at`: the place of the bound. */
  #bounded(at: 0 | 1, ...bound: Bound): RangeBuilder<T> {
    const [greater, less] = this.bounds;
    const side = at ? "an upper" : "a lower";
    if (this.bounds[at]) fail("InvalidOperation", `the range has ${side} bound already`);
    return new RangeBuilder(this.path, at ? [greater, bound] : [bound, less]);
  }
}

/** The methods of a facet after its field or ranges. */
export interface IFacetOperations<T> {
  /** Ignored for ranges, as in npm `ravendb`. */
  withOptions(options: Partial<IFacetOptions>): IFacetOperations<T>;
  /** The name of the facet in results. */
  withDisplayName(displayName: string): IFacetOperations<T>;
  sumOn(path: string, displayName?: string): IFacetOperations<T>;
  minOn(path: string, displayName?: string): IFacetOperations<T>;
  maxOn(path: string, displayName?: string): IFacetOperations<T>;
  averageOn(path: string, displayName?: string): IFacetOperations<T>;
}

/** Says what a facet is about. */
export interface IFacetBuilder<T> {
  /** Ranges of the values of a field. */
  byRanges(range: RangeBuilder, ...ranges: RangeBuilder[]): IFacetOperations<T>;
  /** The values of a field. */
  byField(fieldName: string): IFacetOperations<T>;
  /** All results as one value. */
  allResults(): IFacetOperations<T>;
}

const aggregate = (kind: FacetAggregation) =>
  function <T>(this: FacetBuilder<T>, name: string, displayName?: string): FacetBuilder<T> {
    const { aggregations } = this.getFacet();
    const fields = aggregations.get(kind) ?? new Set();
    aggregations.set(kind, fields.add(Object.assign(new FacetAggregationField(), { name, displayName })));
    return this;
  };

export class FacetBuilder<T = unknown> extends AnyThis implements IFacetBuilder<T>, IFacetOperations<T> {
  #facet: Facet | undefined;
  #ranges: GenericRangeFacet | undefined;
  sumOn: IFacetOperations<T>["sumOn"] = aggregate("Sum");
  minOn: IFacetOperations<T>["minOn"] = aggregate("Min");
  maxOn: IFacetOperations<T>["maxOn"] = aggregate("Max");
  averageOn: IFacetOperations<T>["averageOn"] = aggregate("Average");

  byRanges(...ranges: [RangeBuilder, ...RangeBuilder[]]): this {
    if (!ranges[0]) fail("InvalidArgument", "byRanges needs at least one range");
    this.#ranges ??= new GenericRangeFacet();
    for (const range of ranges) this.#ranges.ranges.push(range);
    return this;
  }

  byField(fieldName: string): this {
    this.#facet ??= new Facet();
    this.#facet.fieldName = fieldName;
    return this;
  }

  allResults(): this {
    this.#facet ??= new Facet();
    this.#facet.fieldName = null;
    return this;
  }

  withOptions(options: Partial<IFacetOptions>): this {
    const facet = this.getFacet();
    if (facet instanceof Facet) facet.options = options;
    return this;
  }

  withDisplayName(displayName: string): this {
    this.getFacet().displayFieldName = displayName;
    return this;
  }

  /** @throws {RavenEdgeError} `InvalidArgument` before `byField`, `byRanges` or `allResults`. */
  getFacet(): FacetBase {
    return (
      this.#facet ??
      this.#ranges ??
      fail("InvalidArgument", "a facet begins with byField, byRanges or allResults")
    );
  }
}
