// The classes of every entry with queries whose declarations are those of their sources, with the types of the same files. Bundlers leave out
// what an app does not import.

export * from "../indexes/definition.js";
export { IndexDefinitionBuilder } from "../indexes/definition-builder.js";
export * from "../indexes/index-operations.js";
export * from "../indexes/index-statistics.js";
export {
  AbstractCommonApiForIndexes,
  AbstractCsharpIndexCreationTask,
  /** The names of npm `ravendb` before version 5. */
  AbstractCsharpIndexCreationTask as AbstractIndexCreationTask,
  AbstractCsharpMultiMapIndexCreationTask,
  AbstractCsharpMultiMapIndexCreationTask as AbstractMultiMapIndexCreationTask,
  AbstractRawJavaScriptIndexCreationTask,
  type IAbstractIndexCreationTask,
  IndexCreation,
} from "../indexes/index-tasks.js";
export * from "../indexes/javascript-tasks.js";
export * from "../indexes/spatial-options.js";
export * from "../indexes/value-index-tasks.js";
export {
  AwaitableMaintenanceOperation,
  GetOperationStateOperation,
  OperationCompletionAwaiter,
  type OperationState,
} from "../operations/operation-completion.js";
export * from "../operations/patch-operations.js";
export { JavaScriptArray, JavaScriptMap } from "../patching/script-arrays-and-maps.js";
export { GroupBy, GroupByField } from "../query/group-by-fields.js";
export { IndexQuery } from "../query/index-query.js";
export { QueryData } from "../query/query-data.js";
export * from "../query-extras/builders/facets.js";
export * from "../query-extras/builders/filter-factory.js";
export * from "../query-extras/builders/more-like-this.js";
export * from "../query-extras/builders/rql-functions.js";
export {
  CircleCriteria,
  DynamicSpatialField,
  PointField,
  SpatialCriteria,
  SpatialCriteriaFactory,
  type SpatialRelation,
  WktCriteria,
  WktField,
} from "../query-extras/builders/spatial.js";
export * from "../query-extras/builders/suggestions.js";
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
} from "../query-extras/builders/vectors.js";
export type {
  ExtraClauses,
  IAggregationDocumentQuery,
  IQueryShardedContextBuilder,
  ISuggestionDocumentQuery,
} from "../query-extras/extra-clauses-types.js";
export * from "../query-extras/highlightings.js";
