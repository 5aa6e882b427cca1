// Makes the definition of an index from lists by field: which are stored, analyzed, spatial, ….

import { AnyThis } from "../common/any-this.js";
import { fail } from "../common/error.js";
import { put } from "../documents/snapshots/put-member.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { AdditionalAssembly } from "./definition.js";
import {
  type ArchivedDataProcessingBehavior,
  type FieldIndexing,
  type FieldStorage,
  type FieldTermVector,
  type FieldVectorOptions,
  type IndexConfiguration,
  IndexDefinition,
  type IndexDeploymentMode,
  IndexFieldOptions,
  type IndexLockMode,
  type IndexPriority,
  type IndexState,
  type SearchEngineType,
} from "./definition.js";
import type { SpatialOptions } from "./spatial-options.js";

/** Characters; the server's limit. */
const LONGEST_NAME = 256;
const ENGINE = "Indexing.Static.SearchEngineType";

/** Members that have the same name in the builder, in definitions and in the classes for indexes. */
const SHARED = [
  "reduce",
  "lockMode",
  "priority",
  "state",
  "deploymentMode",
  "archivedDataProcessingBehavior",
  "outputReduceToCollection",
  "patternForOutputReduceToCollectionReferences",
  "patternReferencesCollectionName",
  "additionalSources",
  "additionalAssemblies",
  "configuration",
] as const;

/** @internal */
export type Shared = Pick<IndexDefinitionBuilder, (typeof SHARED)[number]>;

/**
 * Makes a definition without a class.
 *
 * ```ts
 * const builder = new IndexDefinitionBuilder("Orders/ByTotal");
 * builder.map = "from order in docs.Orders select new { order.total }";
 * await store.maintenance.send(new PutIndexesOperation(builder.toIndexDefinition(store.conventions)));
 * ```
 */
export class IndexDefinitionBuilder extends AnyThis {
  #name: string;
  map!: string;
  reduce!: string;
  storesStrings: Record<string, FieldStorage> = {};
  indexesStrings: Record<string, FieldIndexing> = {};
  analyzersStrings: Record<string, string> = {};
  suggestionsOptions: Set<string> = new Set();
  termVectorsStrings: Record<string, FieldTermVector> = {};
  spatialIndexesStrings: Record<string, SpatialOptions> = {};
  vectorFieldStrings: Record<string, FieldVectorOptions> = {};
  lockMode!: IndexLockMode;
  priority!: IndexPriority;
  state!: IndexState;
  compoundFieldsStrings!: string[][];
  deploymentMode!: IndexDeploymentMode;
  archivedDataProcessingBehavior!: ArchivedDataProcessingBehavior;
  outputReduceToCollection!: string;
  patternForOutputReduceToCollectionReferences!: string;
  patternReferencesCollectionName!: string;
  additionalSources!: Record<string, string>;
  additionalAssemblies!: AdditionalAssembly[];
  configuration: IndexConfiguration = {};

  /** @throws {RavenEdgeError} `InvalidArgument` for a name of more than 256 characters. */
  constructor(indexName?: string) {
    super();
    this.#name = indexName || this.constructor.name;
    if (this.#name.length > LONGEST_NAME)
      fail("InvalidArgument", `the name of an index has ${LONGEST_NAME} characters at most: ${this.#name}`);
  }

  /** @throws {RavenEdgeError} `InvalidArgument` without a map, unless `validateMap` is `false`. */
  toIndexDefinition(_conventions: DocumentConventions, validateMap = true): IndexDefinition {
    if (!this.map && validateMap) fail("InvalidArgument", `the index ${this.#name} needs a map`);
    const definition = new IndexDefinition();
    definition.name = this.#name;
    copy(this, definition);
    definition.compoundFields = this.compoundFieldsStrings;
    if (this.map) definition.maps.add(this.map);
    const suggestions = Object.fromEntries([...this.suggestionsOptions].map((field) => [field, true]));
    for (const [option, values] of [
      ["indexing", this.indexesStrings],
      ["storage", this.storesStrings],
      ["analyzer", this.analyzersStrings],
      ["termVector", this.termVectorsStrings],
      ["spatial", this.spatialIndexesStrings],
      ["suggestions", suggestions],
      ["vector", this.vectorFieldStrings],
    ] as const)
      for (const [field, value] of Object.entries(values)) {
        const known = Object.hasOwn(definition.fields, field) && definition.fields[field];
        const options = known || new IndexFieldOptions();
        options[option] = value as never;
        put(definition.fields, field, options);
      }
    return definition;
  }
}

/**
 * Copies the members that have the same name in both, `undefined` included.
 * @internal
 */
export function copy(from: Shared, to: Shared): void {
  for (const name of SHARED) to[name] = from[name] as never;
}

/**
 * The configuration of an index, with the search engine that the app has chosen. Vectors need Corax.
 * @internal
 */
export function configurationOf(
  {
    configuration,
    searchEngineType,
  }: { configuration: IndexConfiguration; searchEngineType: SearchEngineType | undefined },
  hasVectors: boolean,
): IndexConfiguration {
  const asked =
    searchEngineType && searchEngineType !== "None" ? searchEngineType : hasVectors ? "Corax" : "";
  return asked ? { ...configuration, [ENGINE]: asked } : configuration;
}
