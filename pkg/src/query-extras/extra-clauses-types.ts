// Facets, suggestions, similar documents, places, vectors, filters, highlighting, as apps see them. Types alone.

import type { SpatialUnits } from "../indexes/spatial-options.js";
import type { Lazy } from "../loading/lazy-types.js";
import type { DocumentQuery } from "../query/document-query-types.js";
import type { NullsOrdering } from "../query/query-options.js";
import type { FacetBase, FacetResultObject, IFacetBuilder } from "./builders/facets.js";
import type { IFilterFactory } from "./builders/filter-factory.js";
import type { IMoreLikeThisBuilderForDocumentQuery, MoreLikeThisBase } from "./builders/more-like-this.js";
import type {
  DynamicSpatialField,
  SpatialCriteria,
  SpatialCriteriaFactory,
  SpatialRelation,
} from "./builders/spatial.js";
import type {
  ISuggestionBuilder,
  SuggestionBase,
  SuggestionsResponseObject,
} from "./builders/suggestions.js";
import type {
  IVectorField,
  IVectorFieldFactory,
  IVectorFieldValueFactory,
  IVectorOptions,
} from "./builders/vectors.js";
import type {
  ExplanationOptions,
  Explanations,
  HighlightingParameters,
  Highlightings,
} from "./highlightings.js";

/** A query for facets. */
export interface IAggregationDocumentQuery<T> {
  andAggregateBy(builder: (facet: IFacetBuilder<T>) => void): IAggregationDocumentQuery<T>;
  andAggregateBy(facet: FacetBase): IAggregationDocumentQuery<T>;
  /** The facets by their names. @throws {RavenEdgeError} as {@link DocumentQuery.all}. */
  execute(): Promise<FacetResultObject>;
  /** {@link execute}, with the request of a pending lazy value. */
  executeLazy(): Lazy<FacetResultObject>;
  /** The text as it is sent. @throws {RavenEdgeError} as {@link DocumentQuery.toString}. */
  toString(): string;
}

/** A query for suggestions. */
export interface ISuggestionDocumentQuery<T> {
  andSuggestUsing(builder: (suggestion: ISuggestionBuilder<T>) => void): ISuggestionDocumentQuery<T>;
  andSuggestUsing(suggestion: SuggestionBase): ISuggestionDocumentQuery<T>;
  /** The suggestions by their names. @throws {RavenEdgeError} as {@link DocumentQuery.all}. */
  execute(): Promise<SuggestionsResponseObject>;
  /** {@link execute}, with the request of a pending lazy value. */
  executeLazy(): Lazy<SuggestionsResponseObject>;
  /** The text as it is sent. @throws {RavenEdgeError} as {@link DocumentQuery.toString}. */
  toString(): string;
}

/** Names the documents whose shards are asked, in a sharded database. */
export interface IQueryShardedContextBuilder {
  byDocumentId(id: string): IQueryShardedContextBuilder;
  byDocumentIds(ids: string[]): IQueryShardedContextBuilder;
}

/**
 * The methods of a {@link DocumentQuery} that few apps use. Their code is loaded when a query uses the first of them; in a page or
 * Worker, builders and callbacks are called when it is there, and wrong arguments are the error of the method that sends the query.
 */
export interface ExtraClauses<T, Field extends string> {
  /**
   * Counts the results by the values of a field or by ranges, in place of returning them.
   *
   * ```ts
   * const { category } = await session
   *   .query({ indexName: "Products/Facets" })
   *   .aggregateBy((facet) => facet.byField("category").sumOn("price"))
   *   .execute();
   * ```
   */
  aggregateBy(builder: (facet: IFacetBuilder<T>) => void): IAggregationDocumentQuery<T>;
  aggregateBy(...facets: FacetBase[]): IAggregationDocumentQuery<T>;
  /** Aggregates by the facets of a stored {@link FacetSetup}. */
  aggregateUsing(facetSetupDocumentId: string): IAggregationDocumentQuery<T>;
  /** Terms of the index that are similar to a term, in place of results. */
  suggestUsing(builder: (suggestion: ISuggestionBuilder<T>) => void): ISuggestionDocumentQuery<T>;
  suggestUsing(suggestion: SuggestionBase): ISuggestionDocumentQuery<T>;
  /** Documents that are similar to one. */
  moreLikeThis(
    builder: (similar: IMoreLikeThisBuilderForDocumentQuery<DocumentQuery<T, Field>>) => void,
  ): this;
  moreLikeThis(moreLikeThis: MoreLikeThisBase): this;
  /** Fragments of the found documents with marked terms; `tell` is called with an object that is filled when the response is there. */
  highlight(parameters: HighlightingParameters, tell: (found: Highlightings) => void): this;
  /** Why documents have their scores; `tell` is called as by `highlight`. */
  includeExplanations(tell: (found: Explanations) => void): this;
  includeExplanations(options: ExplanationOptions | null, tell: (found: Explanations) => void): this;
  /**
   * Conditions that the server checks for each result of the conditions before, without an index for them. `limit`: how many results it
   * looks at, 1 or more; default: all.
   */
  filter(builder: (conditions: IFilterFactory) => void, limit?: number | null): this;
  /** Documents by their place. */
  spatial(
    field: Field | DynamicSpatialField,
    clause: (criteria: SpatialCriteriaFactory) => SpatialCriteria,
  ): this;
  /** Documents inside of a circle. `units` of the radius: default those of the index, kilometers. */
  withinRadiusOf(
    field: Field,
    radius: number,
    latitude: number,
    longitude: number,
    units?: SpatialUnits | null,
    distanceErrorPct?: number,
  ): this;
  /** Documents by the relation of their place to a shape in WKT. `distanceErrorPct`: 0.025 by default. */
  relatesToShape(field: Field, shapeWkt: string, relation: SpatialRelation, distanceErrorPct?: number): this;
  relatesToShape(
    field: Field,
    shapeWkt: string,
    relation: SpatialRelation,
    units: SpatialUnits,
    distanceErrorPct?: number,
  ): this;
  /** Nearest first. `roundFactor`: distances are rounded to multiples of it. */
  orderByDistance(
    field: Field,
    latitude: number,
    longitude: number,
    roundFactor: number,
    nulls?: NullsOrdering,
  ): this;
  orderByDistance(
    field: Field | DynamicSpatialField,
    latitude: number,
    longitude: number,
    nulls?: NullsOrdering,
  ): this;
  orderByDistance(field: Field, shapeWkt: string, roundFactor: number, nulls?: NullsOrdering): this;
  orderByDistance(field: Field | DynamicSpatialField, shapeWkt: string, nulls?: NullsOrdering): this;
  /** Farthest first. */
  orderByDistanceDescending: this["orderByDistance"];
  /** Documents whose vectors, or the vectors of whose texts, are similar to a value. */
  vectorSearch(
    field: Field | ((fields: IVectorFieldFactory<Field>) => IVectorField),
    value: ArrayLike<number> | string | ((value: IVectorFieldValueFactory) => void),
    options?: IVectorOptions,
  ): this;
  /** In a sharded database: asks only the shards of these documents. */
  shardContext(action: (builder: IQueryShardedContextBuilder) => void): this;
}
