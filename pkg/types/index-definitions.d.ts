// What an index is: its definition, and how fields are indexed.

import type { DocumentConventions } from "./conventions.js";

export type IndexState = "Normal" | "Disabled" | "Idle" | "Error";
export type IndexPriority = "Low" | "Normal" | "High";
/** Whether the server takes other definitions of the name: always, never and silently, or never and with an error. */
export type IndexLockMode = "Unlock" | "LockedIgnore" | "LockedError";
export type IndexType =
  | "None"
  | "AutoMap"
  | "AutoMapReduce"
  | "Map"
  | "MapReduce"
  | "Faulty"
  | "JavaScriptMap"
  | "JavaScriptMapReduce";
export type IndexSourceType = "None" | "Documents" | "TimeSeries" | "Counters";
export type IndexDeploymentMode = "Parallel" | "Rolling";
export type SearchEngineType = "None" | "Corax" | "Lucene";
export type ArchivedDataProcessingBehavior = "ExcludeArchived" | "IncludeArchived" | "ArchivedOnly";
export type FieldStorage = "Yes" | "No";
/** `Search`: analyzed words. `Exact`: the value as it is. `Default`: the value in lower case. */
export type FieldIndexing = "No" | "Search" | "Exact" | "Highlighting" | "Default";
export type FieldTermVector = "No" | "Yes" | "WithPositions" | "WithOffsets" | "WithPositionsAndOffsets";
export type VectorEmbeddingType = "Single" | "Int8" | "Binary" | "Text";

/** Settings of the server for one index, such as `"Indexing.MapTimeoutInSec"`. */
export interface IndexConfiguration {
  [key: string]: string;
}

/** How a field with vectors is indexed; needs Corax, which is set by itself. */
export interface FieldVectorOptions {
  dimensions?: number;
  sourceEmbeddingType: VectorEmbeddingType;
  destinationEmbeddingType: VectorEmbeddingType;
  numberOfEdges?: number;
  numberOfCandidatesForIndexing?: number;
}

export type SpatialFieldType = "Geography" | "Cartesian";
export type SpatialSearchStrategy = "GeohashPrefixTree" | "QuadPrefixTree" | "BoundingBox";
export type SpatialUnits = "Kilometers" | "Miles";

/** How places are indexed. */
export class SpatialOptions {
  type: SpatialFieldType;
  strategy: SpatialSearchStrategy;
  maxTreeLevel: number;
  minX: number;
  maxX: number;
  minY: number;
  maxY: number;
  /** Of the radius of circles; only for places on Earth. */
  units: SpatialUnits;
  constructor(options?: Partial<SpatialOptions>);
}

export class SpatialBounds {
  minX: number;
  maxX: number;
  minY: number;
  maxY: number;
  constructor(minX: number, minY: number, maxX: number, maxY: number);
}

/** Options of places in degrees. `maxTreeLevel` 0: the default. Units by default: kilometers. */
export class GeographySpatialOptionsFactory {
  defaultOptions(circleRadiusUnits?: SpatialUnits): SpatialOptions;
  boundingBoxIndex(circleRadiusUnits?: SpatialUnits): SpatialOptions;
  geohashPrefixTreeIndex(maxTreeLevel: number, circleRadiusUnits?: SpatialUnits): SpatialOptions;
  quadPrefixTreeIndex(maxTreeLevel: number, circleRadiusUnits?: SpatialUnits): SpatialOptions;
}

/** Options of places in a plane. */
export class CartesianSpatialOptionsFactory {
  boundingBoxIndex(): SpatialOptions;
  /** @throws {RavenEdgeError} `InvalidArgument` for level 0. */
  quadPrefixTreeIndex(maxTreeLevel: number, bounds: SpatialBounds): SpatialOptions;
}

export class SpatialOptionsFactory {
  geography(): GeographySpatialOptionsFactory;
  cartesian(): CartesianSpatialOptionsFactory;
}

/** Levels of a geohash by default: cells of 4.78 m at the equator. */
export const DEFAULT_GEOHASH_LEVEL: number;
/** Levels of a quad tree by default. */
export const DEFAULT_QUAD_TREE_LEVEL: number;

export class IndexFieldOptions {
  storage?: FieldStorage;
  indexing?: FieldIndexing;
  termVector?: FieldTermVector;
  spatial?: SpatialOptions;
  analyzer?: string;
  suggestions?: boolean;
  vector?: FieldVectorOptions;
}

/** C# code that an index in C# uses. */
export class AdditionalAssembly {
  assemblyName: string;
  assemblyPath: string;
  packageName: string;
  packageVersion: string;
  packageSourceUrl: string;
  usings: string[];
  /** @throws {RavenEdgeError} `InvalidArgument`, as the others, where a name is blank. */
  static onlyUsings(usings: string[]): AdditionalAssembly;
  static fromRuntime(assemblyName: string, usings?: string[]): AdditionalAssembly;
  static fromPath(assemblyPath: string, usings?: string[]): AdditionalAssembly;
  static fromNuGet(
    packageName: string,
    packageVersion: string,
    packageSourceUrl?: string,
    usings?: string[],
  ): AdditionalAssembly;
}

export class IndexDefinitionBase {
  name: string;
  priority: IndexPriority;
  state: IndexState;
}

/** An index as the server knows it. */
export class IndexDefinition extends IndexDefinitionBase {
  lockMode: IndexLockMode;
  indexType: IndexType;
  /** Code by name, which maps may call. */
  additionalSources: Record<string, string>;
  compoundFields: string[][];
  additionalAssemblies: AdditionalAssembly[];
  maps: Set<string>;
  reduce: string;
  fields: Record<string, IndexFieldOptions>;
  archivedDataProcessingBehavior: ArchivedDataProcessingBehavior;
  configuration: IndexConfiguration;
  outputReduceToCollection: string;
  reduceOutputIndex: number;
  patternForOutputReduceToCollectionReferences: string;
  patternReferencesCollectionName: string;
  deploymentMode: IndexDeploymentMode;
  /** Told by the maps, unless it was set. */
  get sourceType(): IndexSourceType;
  set sourceType(value: IndexSourceType);
  /** Told by the maps, unless it was set. */
  get type(): IndexType;
  set type(indexType: IndexType);
  toString(): string;
  /** @throws {RavenEdgeError} `InvalidArgument` without maps, `InvalidOperation` for maps of several kinds. */
  detectStaticIndexSourceType(): IndexSourceType;
  /** @throws {RavenEdgeError} `InvalidArgument` without maps. */
  detectStaticIndexType(): IndexType;
}

/** What the text of a map tells. */
// biome-ignore lint/complexity/noStaticOnlyClass: a class in npm `ravendb`, too
export class IndexDefinitionHelper {
  static detectStaticIndexType(map: string, reduce?: string): IndexType;
  static detectStaticIndexSourceType(map: string): IndexSourceType;
  static extractEnumNotation(functionBody: string): string;
}

/**
 * Makes a definition without a class.
 *
 * ```ts
 * const builder = new IndexDefinitionBuilder("Orders/ByTotal");
 * builder.map = "from order in docs.Orders select new { order.total }";
 * await store.maintenance.send(new PutIndexesOperation(builder.toIndexDefinition(store.conventions)));
 * ```
 */
export class IndexDefinitionBuilder {
  map: string;
  reduce: string;
  storesStrings: Record<string, FieldStorage>;
  indexesStrings: Record<string, FieldIndexing>;
  analyzersStrings: Record<string, string>;
  suggestionsOptions: Set<string>;
  termVectorsStrings: Record<string, FieldTermVector>;
  spatialIndexesStrings: Record<string, SpatialOptions>;
  vectorFieldStrings: Record<string, FieldVectorOptions>;
  lockMode: IndexLockMode;
  priority: IndexPriority;
  state: IndexState;
  compoundFieldsStrings: string[][];
  deploymentMode: IndexDeploymentMode;
  archivedDataProcessingBehavior: ArchivedDataProcessingBehavior;
  outputReduceToCollection: string;
  patternForOutputReduceToCollectionReferences: string;
  patternReferencesCollectionName: string;
  additionalSources: Record<string, string>;
  additionalAssemblies: AdditionalAssembly[];
  configuration: IndexConfiguration;
  /** @throws {RavenEdgeError} `InvalidArgument` for a name of more than 256 characters. */
  constructor(indexName?: string);
  /** @throws {RavenEdgeError} `InvalidArgument` without a map, unless `validateMap` is `false`. */
  toIndexDefinition(conventions: DocumentConventions, validateMap?: boolean): IndexDefinition;
}
