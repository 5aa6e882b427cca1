// What each method of the part records: calls that JSON can hold. Builders and callbacks of the app are called here.

import { isText } from "../common/arguments.js";
import type { JsonObject } from "../common/json.js";
import { camel, pascal } from "../common/member-case.js";
import type { DocumentQuery } from "../query/document-query.js";
import { plain } from "../query/query-parameters.js";
import { Reading } from "../query/query-results.js";
import { invalid, misplaced, type RecordedCall } from "../rql/call.js";
import { type ITimeSeriesQueryBuilder, TimeSeriesQueryBuilder } from "../time-series/entries/results.js";
import {
  Facet,
  type FacetBase,
  FacetBuilder,
  FacetOptions,
  FacetResult,
  GenericRangeFacet,
  RangeFacet,
} from "./builders/facets.js";
import { FilterFactory, type IFilterFactory } from "./builders/filter-factory.js";
import {
  MoreLikeThisBase,
  MoreLikeThisBuilder,
  MoreLikeThisUsingDocument,
  MoreLikeThisUsingDocumentForDocumentQuery,
} from "./builders/more-like-this.js";
import {
  CircleCriteria,
  DEFAULT_ERROR,
  DynamicSpatialField,
  PointField,
  type SpatialCriteria,
  SpatialCriteriaFactory,
  WktCriteria,
  WktField,
} from "./builders/spatial.js";
import {
  SuggestionBase,
  SuggestionBuilder,
  type SuggestionResult,
  SuggestionWithTerm,
  SuggestionWithTerms,
} from "./builders/suggestions.js";
import {
  FIELDS,
  type IVectorField,
  type IVectorOptions,
  listed,
  VectorField,
  type VectorValue,
  valueFactory,
} from "./builders/vectors.js";
import {
  type ExplanationOptions,
  Explanations,
  type HighlightingParameters,
  Highlightings,
} from "./highlightings.js";

type Query = DocumentQuery;
type Callback<Value> = (value: Value) => unknown;

/** Reads a call of the app: what it records. */
type Reader<Given extends unknown[]> = (query: Query, ...given: Given) => RecordedCall[];

// biome-ignore format: one line for each method
export const READERS: { readonly [name: string]: Reader<never> } = {
  aggregateBy, aggregateUsing, executeAggregation, filter, highlight, includeExplanations, moreLikeThis,
  relatesToShape, selectTimeSeries, shardContext, spatial, suggestUsing, vectorSearch, withTag, withinRadiusOf,
  andAggregateBy: aggregateBy,
  andSuggestUsing: suggestUsing,
  orderByDistance: (...given: Distance) => distance(false, ...given),
  orderByDistanceDescending: (...given: Distance) => distance(true, ...given),
};

function aggregateBy(
  query: Query,
  given: FacetBase | Callback<FacetBuilder> | null,
  ...others: FacetBase[]
): RecordedCall[] {
  if (!given) invalid("aggregateBy takes a facet, or a function that builds one");
  byName(query.reading, facet);
  const facets =
    typeof given === "function" ? [built(new FacetBuilder(), given).getFacet()] : [given, ...others];
  return facets.map((facet) => ["facet", facetOf(facet)]);
}

function aggregateUsing(query: Query, id: unknown): RecordedCall[] {
  if (!isText(id)) invalid("aggregateUsing takes the id of a FacetSetup");
  byName(query.reading, facet);
  return [["facetSetup", id]];
}

function executeAggregation(query: Query): RecordedCall[] {
  byName(query.reading, facet);
  return [];
}

function filter(_: Query, build: Callback<IFilterFactory>, limit?: number | null): RecordedCall[] {
  if ((limit ?? 1) <= 0) misplaced("the limit of a filter is 1 or more");
  const calls: RecordedCall[] = [];
  build(new FilterFactory((...call) => calls.push(call)));
  const isLimited = limit && limit !== Number.MAX_SAFE_INTEGER;
  return [["openFilter", isLimited ? limit : null], ...calls, ["closeFilter"]];
}

function highlight(
  query: Query,
  given: HighlightingParameters,
  tell: Callback<Highlightings>,
): RecordedCall[] {
  const { fieldName, fragmentLength, fragmentCount, groupKey, preTags, postTags } = given;
  const found = new Highlightings(fieldName);
  receive(query.reading, ({ Highlightings: all }) => found.update(all as Parameters<typeof found.update>[0]));
  tell(found);
  return [["fragments", fieldName, fragmentLength, fragmentCount, { groupKey, preTags, postTags }]];
}

function includeExplanations(query: Query, ...given: unknown[]): RecordedCall[] {
  const [options, tell] = (given.length === 1 ? [null, ...given] : given) as [
    ExplanationOptions | null,
    Callback<Explanations>,
  ];
  const found = new Explanations();
  receive(query.reading, ({ Explanations: explanations }) => Object.assign(found, { explanations }));
  tell(found);
  return [["explanations", options]];
}

function moreLikeThis(
  query: Query,
  given: MoreLikeThisBase | Callback<MoreLikeThisBuilder<Query>>,
): RecordedCall[] {
  const made =
    given instanceof MoreLikeThisBase
      ? given
      : built(new MoreLikeThisBuilder<Query>(), given).getMoreLikeThis();
  const document = made instanceof MoreLikeThisUsingDocument ? made.documentJson : null;
  let calls: RecordedCall[] = [];
  if (made instanceof MoreLikeThisUsingDocumentForDocumentQuery) {
    // A copy, because this query may be on its way already.
    const copy = query.ofType(query.reading.type as never);
    const { length } = copy.calls;
    made.forDocumentQuery(copy);
    calls = copy.calls.slice(length);
  }
  return [
    ["openMoreLikeThis", made.options && pascal(made.options), document],
    ...calls,
    ["closeMoreLikeThis"],
  ];
}

/** `orderByDistance` with its arguments. */
type Distance = [query: Query, field: unknown, shape: unknown, ...more: unknown[]];

function distance(descending: boolean, ...[, field, shape, ...more]: Distance): RecordedCall[] {
  const isPoint = typeof shape === "number";
  const others = isPoint ? more.slice(1) : more;
  const given = field instanceof DynamicSpatialField ? field.roundFactor : others.find(Number.isFinite);
  const nulls = others.find((value) => typeof value === "string");
  return [["distance", placeOf(field), descending, isPoint ? [shape, more[0]] : shape, given, nulls]];
}

/** A place: the name of a field, or a function of RQL with its fields. */
export type SentPlace = string | [name: "point" | "wkt", ...fields: string[]];

function placeOf(field: unknown): SentPlace {
  if (field instanceof PointField) return ["point", field.latitude, field.longitude];
  if (field instanceof WktField) return ["wkt", field.wkt];
  return typeof field === "string"
    ? field
    : invalid("a place is the name of a field, a PointField or a WktField");
}

function spatial(
  _: Query,
  field: unknown,
  clause: (factory: SpatialCriteriaFactory) => SpatialCriteria,
): RecordedCall[] {
  const criteria = clause(new SpatialCriteriaFactory());
  const { relation, distanceErrorPct: error } = criteria;
  if (criteria instanceof CircleCriteria)
    return [["related", relation, placeOf(field), "circle", criteria.circle, criteria.units, error]];
  if (!(criteria instanceof WktCriteria)) invalid("the function returns what the factory makes");
  return [["related", relation, placeOf(field), "wkt", [criteria.wkt], criteria.units, error]];
}

function withinRadiusOf(
  query: Query,
  field: unknown,
  ...circle: Parameters<SpatialCriteriaFactory["withinRadius"]>
): RecordedCall[] {
  return spatial(query, field, (criteria) => criteria.withinRadius(...circle));
}

function relatesToShape(
  _: Query,
  field: unknown,
  wkt: string,
  relation: string,
  ...more: unknown[]
): RecordedCall[] {
  const units = more.find((value) => typeof value === "string");
  const error = more.find((value) => typeof value === "number");
  return [["related", relation, placeOf(field), "wkt", [wkt], units, error ?? DEFAULT_ERROR]];
}

function selectTimeSeries(query: Query, write: Callback<ITimeSeriesQueryBuilder>): RecordedCall[] {
  if (query.reading.fields) misplaced("the fields of this query were chosen already");
  const { queryText } = built(new TimeSeriesQueryBuilder(), write);
  return [["selectFields", `timeseries(${queryText}) as __timeSeriesQueryFunction`, null]];
}

function shardContext(_: Query, action: Callback<object>): RecordedCall[] {
  const ids = new Set<string>();
  const builder = {
    byDocumentId(id: string) {
      ids.add(id);
      return builder;
    },
    byDocumentIds(given: string[]) {
      for (const id of given) ids.add(id);
      return builder;
    },
  };
  action(builder);
  const [first, ...others] = ids;
  return [["addParameter", "__shardContext", first !== undefined && others.length === 0 ? first : [...ids]]];
}

function suggestUsing(query: Query, given: SuggestionBase | Callback<SuggestionBuilder>): RecordedCall[] {
  if (!given) invalid("suggestUsing takes a suggestion, or a function that builds one");
  const made = given instanceof SuggestionBase ? given : built(new SuggestionBuilder(), given).suggestion;
  const isOne = made instanceof SuggestionWithTerm;
  if (!isOne && !(made instanceof SuggestionWithTerms)) misplaced("a suggestion has a term or terms");
  byName(query.reading, suggestion);
  return [["suggest", made.field, isOne ? made.term : made.terms, made.options, made.displayField]];
}

function vectorSearch(
  _: Query,
  given: string | ((fields: typeof FIELDS) => IVectorField),
  sought: unknown,
  options: IVectorOptions | null = {},
): RecordedCall[] {
  const field = typeof given === "function" ? given(FIELDS) : FIELDS.withField(given);
  if (!(field instanceof VectorField))
    invalid("vectorSearch takes the name of a field, or a function that chooses one");
  const found: VectorValue = { isDocument: false };
  if (typeof sought === "function") sought(valueFactory(found));
  else found.value = sought;
  if (!found.value) misplaced("vectorSearch needs a value: a vector, a text or the id of a document");
  const vector = (found.value as { "@vector"?: unknown })["@vector"];
  const value = vector === undefined ? listed(found.value) : { "@vector": listed(vector) };
  const { fieldName, source, target, task } = field;
  return [["vector", fieldName, source, target, task, value, found.isDocument, found.task, options]];
}

function withTag(query: Query, tag: unknown): RecordedCall[] {
  if (!isText(tag)) invalid("a tag is a text");
  query.reading.tag = tag;
  return [];
}

/** Passes a builder to the app. */
function built<Builder>(builder: Builder, build: Callback<Builder>): Builder {
  if (typeof build !== "function") invalid("this takes a function that builds it");
  build(builder);
  return builder;
}

/** Lets a function read the members of the response beside its results. */
function receive(reading: Reading, read: (rest: JsonObject) => void): void {
  reading.receivers = [...(reading.receivers ?? []), read];
}

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

/** A range with values, as JSON holds it. */
export interface SentRange {
  path: string;
  bounds: (unknown[] | null | undefined)[];
}

/** A facet, as JSON holds it. */
export interface SentFacet {
  field?: string | null | undefined;
  options?: object | null | undefined;
  /** Parts of RQL, or ranges with values. */
  ranges?: (string | SentRange)[];
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
