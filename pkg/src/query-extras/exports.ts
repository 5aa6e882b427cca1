// What entries with queries export for them.

export * from "./builders/facets.js";
export { FilterFactory, type IFilterFactory } from "./builders/filter-factory.js";
export * from "./builders/more-like-this.js";
export * from "./builders/rql-functions.js";
export {
  CircleCriteria,
  DynamicSpatialField,
  PointField,
  SpatialCriteria,
  SpatialCriteriaFactory,
  type SpatialRelation,
  WktCriteria,
  WktField,
} from "./builders/spatial.js";
export * from "./builders/suggestions.js";
export {
  type IRavenVector,
  type IVectorEmbeddingField,
  type IVectorEmbeddingTextField,
  type IVectorField,
  type IVectorFieldFactory,
  type IVectorFieldValueFactory,
  type IVectorOptions,
  RavenVector,
  VectorQuantizer,
} from "./builders/vectors.js";
export type {
  ExtraClauses,
  IAggregationDocumentQuery,
  IQueryShardedContextBuilder,
  ISuggestionDocumentQuery,
} from "./extra-clauses-types.js";
export * from "./facet-results.js";
export * from "./highlightings.js";
