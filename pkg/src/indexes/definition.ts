// C# assemblies and code for the definition of an index.

import { AnyThis } from "../common/any-this.js";
import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { SpatialOptions } from "./spatial-options.js";

/** An assembly with these members; those in `needed` must not be blank. */
function assembly(
  needed: Partial<AdditionalAssembly>,
  more: { [Name in keyof AdditionalAssembly]?: AdditionalAssembly[Name] | null | undefined },
): AdditionalAssembly {
  for (const [name, value] of Object.entries(needed))
    if (!isText(value)) fail("InvalidArgument", `an additional assembly needs ${name}`);
  return Object.assign(new AdditionalAssembly(), needed, more) as AdditionalAssembly;
}

/** C# code that an index in C# uses. */
export class AdditionalAssembly {
  assemblyName!: string;
  assemblyPath!: string;
  packageName!: string;
  packageVersion!: string;
  packageSourceUrl!: string;
  usings!: string[];

  /** @throws {RavenEdgeError} `InvalidArgument` for a blank name, as the others. */
  static onlyUsings(usings: string[]): AdditionalAssembly {
    if (!usings?.length) fail("InvalidArgument", "an additional assembly needs usings");
    return assembly({}, { usings });
  }

  static fromRuntime(assemblyName: string, usings: string[] | null = null): AdditionalAssembly {
    return assembly({ assemblyName }, { usings });
  }

  static fromPath(assemblyPath: string, usings: string[] | null = null): AdditionalAssembly {
    return assembly({ assemblyPath }, { usings });
  }

  static fromNuGet(
    packageName: string,
    packageVersion: string,
    packageSourceUrl: string | null = null,
    usings: string[] | null = null,
  ): AdditionalAssembly {
    return assembly({ packageName, packageVersion }, { packageSourceUrl, usings });
  }
}

export type IndexState = "Normal" | "Disabled" | "Idle" | "Error";
export type IndexPriority = "Low" | "Normal" | "High";
/** How the server treats another definition under the same name: replaces the index, ignores the definition, or refuses it. */
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

/** How a field with vectors is indexed; needs Corax, which is then set automatically. */
export interface FieldVectorOptions {
  dimensions?: number;
  sourceEmbeddingType: VectorEmbeddingType;
  destinationEmbeddingType: VectorEmbeddingType;
  numberOfEdges?: number;
  numberOfCandidatesForIndexing?: number;
}

/** A map in one line, without comments, in lower case. Its first words show its kind. */
const firstWords = (map: string): string =>
  map
    .replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, "")
    .trim()
    .replace(/\s+/g, " ")
    .toLowerCase();

/** C# maps begin with `from` or with the indexed collection; `timeseries.map(…)` and `counters.map(…)` are JavaScript. */
const CSHARP = /^(from|docs|(timeseries|counters)(?!\.map))/;
const SOURCES: Record<string, IndexSourceType> = { timeseries: "TimeSeries", counters: "Counters" };

/** Finds the kind and language of an index in the text of its maps. */
// biome-ignore lint/complexity/noStaticOnlyClass: a class in npm `ravendb`, too
export class IndexDefinitionHelper {
  static detectStaticIndexType(map: string | undefined, reduce?: string): IndexType {
    if (!map) fail("InvalidArgument", "an index needs a map");
    const kind = isText(reduce) ? "MapReduce" : "Map";
    return CSHARP.test(firstWords(map)) ? kind : `JavaScript${kind}`;
  }

  static detectStaticIndexSourceType(map: string): IndexSourceType {
    if (!isText(map)) fail("InvalidArgument", "an index needs a map");
    const words = firstWords(map);
    const found = /^(?:from \S+ in )?(timeseries|counters)/.exec(words);
    return SOURCES[found?.[1] ?? ""] ?? "Documents";
  }

  /** The expression that a function returns: `Role.Admin` of `() => Role.Admin`. */
  static extractEnumNotation(functionBody: string): string {
    const text = functionBody.trim();
    const body = /\{(.*)\}[^}]*$/s.exec(text)?.[1] ?? text.replace(/^.*?=>/s, "");
    return body
      .replace(/^\s*return\b|;\s*$/g, "")
      .replace(/^\s*\((.*)\)\s*$/s, "$1")
      .trim();
  }
}

/** How a field is indexed and stored. */
export class IndexFieldOptions {
  storage?: FieldStorage;
  indexing?: FieldIndexing;
  termVector?: FieldTermVector;
  spatial?: SpatialOptions;
  analyzer?: string;
  suggestions?: boolean;
  vector?: FieldVectorOptions;
}

export class IndexDefinitionBase extends AnyThis {
  name!: string;
  priority!: IndexPriority;
  state!: IndexState;
}

/** The definition of an index. */
export class IndexDefinition extends IndexDefinitionBase {
  lockMode!: IndexLockMode;
  indexType!: IndexType;
  /** Source code by name. Maps may call its functions. */
  additionalSources: Record<string, string> = {};
  compoundFields: string[][] = [];
  additionalAssemblies: AdditionalAssembly[] = [];
  maps: Set<string> = new Set();
  reduce!: string;
  fields: Record<string, IndexFieldOptions> = {};
  archivedDataProcessingBehavior!: ArchivedDataProcessingBehavior;
  configuration: IndexConfiguration = {};
  outputReduceToCollection!: string;
  reduceOutputIndex!: number;
  patternForOutputReduceToCollectionReferences!: string;
  patternReferencesCollectionName!: string;
  deploymentMode!: IndexDeploymentMode;
  #sourceType: IndexSourceType | undefined;

  override toString(): string {
    return this.name;
  }

  /** Derived from the maps, unless it was set. */
  get type(): IndexType {
    if (!this.indexType || this.indexType === "None") this.indexType = this.detectStaticIndexType();
    return this.indexType;
  }

  set type(type: IndexType) {
    this.indexType = type;
  }

  /** Derived from the maps, unless it was set. */
  get sourceType(): IndexSourceType {
    if (!this.#sourceType || this.#sourceType === "None")
      this.#sourceType = this.detectStaticIndexSourceType();
    return this.#sourceType;
  }

  set sourceType(type: IndexSourceType) {
    this.#sourceType = type;
  }

  /** @throws {RavenEdgeError} `InvalidArgument` without maps. */
  detectStaticIndexType(): IndexType {
    const [map] = this.maps;
    return IndexDefinitionHelper.detectStaticIndexType(map, this.reduce);
  }

  /** @throws {RavenEdgeError} `InvalidArgument` without maps, `InvalidOperation` for maps of several kinds. */
  detectStaticIndexSourceType(): IndexSourceType {
    const types = new Set([...this.maps].map(IndexDefinitionHelper.detectStaticIndexSourceType));
    const [type] = types;
    if (type === undefined) fail("InvalidArgument", "an index needs a map");
    if (types.size > 1)
      fail(
        "InvalidOperation",
        `the maps of an index read one kind of source, not ${[...types].join(" and ")}`,
      );
    return type;
  }
}
