// Facets as calls record them.

import { plain } from "../query/query-parameters.js";
import { invalid } from "../rql/call.js";
import { Facet, type FacetBase, FacetOptions, GenericRangeFacet, RangeFacet } from "./builders/facets.js";

/** A facet, as JSON holds it. */
export interface SentFacet {
  field?: string | null | undefined;
  options?: object | null | undefined;
  /** Parts of RQL, or the path and bounds of ranges with values. */
  ranges?: (string | { path: string; bounds: (unknown[] | null | undefined)[] })[];
  name: string | null | undefined;
  aggregations: unknown[][];
}

export function facetOf(facet: FacetBase): SentFacet {
  const { displayFieldName: name } = facet;
  const aggregations = Array.from(facet.aggregations).flatMap(([kind, fields]) =>
    Array.from(fields, (field) => [kind, field.name, field.displayName]),
  );
  if (facet instanceof Facet) {
    const options = facet.options === FacetOptions.getDefaultOptions() ? null : facet.options;
    return { field: facet.fieldName, options, name, aggregations };
  }
  if (facet instanceof RangeFacet) return { ranges: facet.ranges, name, aggregations };
  if (!(facet instanceof GenericRangeFacet)) invalid("a facet is a Facet or a RangeFacet");
  const ranges = facet.ranges.map(({ path, bounds }) => ({
    path,
    bounds: bounds.map((bound) => bound?.map(plain)),
  }));
  return { ranges, name, aggregations };
}
