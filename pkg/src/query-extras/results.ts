// Results that are no documents: facets and suggestions, by their names.

import type { JsonObject } from "../common/json.js";
import { camel } from "../common/member-case.js";
import { Reading } from "../query/query-results.js";
import type { SuggestionResult } from "./builders/suggestions.js";
import { FacetResult } from "./facet-results.js";

export const facet = (result: JsonObject): FacetResult =>
  Object.assign(new FacetResult(), camel(result) as Partial<FacetResult>);

export const suggestion = (result: JsonObject): SuggestionResult => camel(result) as SuggestionResult;

/** Gives the results of a query by their names, in place of a list. `make`: converts a result of the server. */
export function byName(reading: Reading, make: (result: JsonObject) => FacetResult | SuggestionResult): void {
  const { entities, result } = Reading.prototype;
  Object.assign(reading, {
    project: make,
    entities(this: Reading): object {
      const named = entities.call(this) as SuggestionResult[];
      return Object.fromEntries(named.map((each) => [each.name, each]));
    },
    // Listeners get a list, as of every query.
    result(this: Reading): object {
      return { ...result.call(this), results: entities.call(this) };
    },
  });
}
