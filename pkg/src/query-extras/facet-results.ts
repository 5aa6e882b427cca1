// What the server counts and aggregates for facets.

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

export class FacetValue implements IFacetValue {
  declare name: string;
  declare range: string;
  declare count: number;
  declare sum: number;
  declare max: number;
  declare min: number;
  declare average: number;

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
