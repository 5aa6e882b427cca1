// Base classes of indexes: an app extends one of them, and its constructor defines what is indexed.

import { AnyThis } from "../common/any-this.js";
import { fail } from "../common/error.js";
import { put } from "../documents/snapshots/put-member.js";
import type { MaintenanceOperationExecutor } from "../operations/operation-types.js";
import { warnOfIndexName } from "../runtime/minified-names.js";
import type { DocumentConventions } from "../store/conventions.js";
import {
  type AdditionalAssembly,
  type ArchivedDataProcessingBehavior,
  type FieldIndexing,
  type FieldStorage,
  type FieldTermVector,
  type FieldVectorOptions,
  type IndexConfiguration,
  IndexDefinition,
  type IndexDeploymentMode,
  type IndexFieldOptions,
  type IndexLockMode,
  type IndexPriority,
  type IndexState,
  type SearchEngineType,
} from "./definition.js";
import { configurationOf, copy, IndexDefinitionBuilder, type Shared } from "./definition-builder.js";
import { PutIndexesOperation } from "./index-operations.js";
import { type SpatialOptions, SpatialOptionsFactory } from "./spatial-options.js";

/** The base class of all indexes. */
export abstract class AbstractCommonApiForIndexes extends AnyThis {
  additionalSources!: Record<string, string>;
  additionalAssemblies!: AdditionalAssembly[];
  configuration: IndexConfiguration = {};

  get isMapReduce(): boolean {
    return "reduce" in this && !!this.reduce;
  }

  /**
   * The name of the index: the name of the class with `/` for `_`, so `Orders_ByTotal` is the index `Orders/ByTotal`. Override it if the
   * app is minified, because minifiers rename classes. A minified name of up to three characters causes a warning, once.
   */
  getIndexName(): string {
    const { name } = this.constructor;
    warnOfIndexName(this.constructor);
    return AbstractCommonApiForIndexes.getIndexNameForCtor(name);
  }

  static getIndexNameForCtor(indexCtorName: string): string {
    return indexCtorName.replaceAll("_", "/");
  }
}

/** An index that can be deployed. */
export abstract class AbstractIndexCreationTaskBase extends AbstractCommonApiForIndexes {
  conventions!: DocumentConventions;
  priority!: IndexPriority;
  lockMode!: IndexLockMode;
  deploymentMode!: IndexDeploymentMode;
  archivedDataProcessingBehavior!: ArchivedDataProcessingBehavior;
  searchEngineType!: SearchEngineType;
  state!: IndexState;
  compoundFieldsStrings!: string[][];

  /** @throws {RavenEdgeError} `InvalidArgument` without a map. */
  abstract createIndexDefinition(): IndexDefinition;

  /** Two fields by which queries filter and sort together. Needs Corax. */
  compoundField(firstField: string, secondField: string): void {
    this.compoundFieldsStrings ??= [];
    this.compoundFieldsStrings.push([firstField, secondField]);
  }

  /**
   * Sends the definition to the server (`PUT indexes`; for C# `PUT admin/indexes`, which needs an administrator).
   * @param database Default: that of the store.
   * @throws {RavenEdgeError} `Server` with the `type` of the server's exception, such as `IndexCompilationException`.
   */
  async execute(store: IndexStore, conventions?: DocumentConventions, database?: string): Promise<void> {
    await send([this], store, conventions, database, {});
  }

  /**
   * Sends the definitions of several indexes in one request. The store calls it, so that the store itself contains no code for indexes.
   * @internal
   */
  executeAll(
    tasks: AbstractIndexCreationTaskBase[],
    store: IndexStore,
    database: string | undefined,
  ): Promise<void> {
    return send(tasks, store, store.conventions, database);
  }
}

/** By this name in npm `ravendb`. */
export type IAbstractIndexCreationTask = AbstractIndexCreationTaskBase;

/** Methods for the constructor of an index that set options of single fields. */
export abstract class AbstractGenericIndexCreationTask<
  TField extends string = string,
> extends AbstractIndexCreationTaskBase {
  protected storesStrings: Record<string, FieldStorage> = {};
  protected indexesStrings: Record<string, FieldIndexing> = {};
  protected analyzersStrings: Record<string, string> = {};
  protected indexSuggestions: Set<string> = new Set();
  protected termVectorsStrings: Record<string, FieldTermVector> = {};
  protected spatialOptionsStrings: Record<string, SpatialOptions> = {};
  protected vectorOptionsStrings: Record<string, FieldVectorOptions> = {};
  /** The collection to which the results of a reduce are written as documents; default: none. */
  protected outputReduceToCollection!: string;
  protected patternForOutputReduceToCollectionReferences!: string;
  protected patternReferencesCollectionName!: string;

  protected index(field: TField | "__all_fields", indexing: FieldIndexing): void {
    put(this.indexesStrings, field, indexing);
  }

  protected spatial(
    field: TField | "__all_fields",
    indexing: (factory: SpatialOptionsFactory) => SpatialOptions,
  ): void {
    put(this.spatialOptionsStrings, field, indexing(new SpatialOptionsFactory()));
  }

  protected storeAllFields(storage: FieldStorage): void {
    this.store("__all_fields" as TField, storage);
  }

  /** Stored values can be projected without reading the document. */
  protected store(field: TField, storage: FieldStorage): void {
    put(this.storesStrings, field, storage);
  }

  protected analyze(field: TField | "__all_fields", analyzer: string): void {
    put(this.analyzersStrings, field, analyzer);
  }

  protected termVector(field: TField | "__all_fields", termVector: FieldTermVector): void {
    put(this.termVectorsStrings, field, termVector);
  }

  protected suggestion(field: TField | "__all_fields"): void {
    this.indexSuggestions.add(field);
  }

  protected addAssembly(assembly: AdditionalAssembly): void {
    if (!assembly) fail("InvalidArgument", "addAssembly takes an AdditionalAssembly");
    this.additionalAssemblies ??= [];
    this.additionalAssemblies.push(assembly);
  }

  protected vectorField(field: TField | "__all_fields", vector: FieldVectorOptions): void {
    put(this.vectorOptionsStrings, field, vector);
  }

  /**
   * The definition with these maps.
   * @internal
   */
  protected _definitionOf(maps: Iterable<string>, reduce: string | undefined): IndexDefinition {
    const builder = new IndexDefinitionBuilder(this.getIndexName());
    copy(this as object as Shared, builder);
    Object.assign(builder, {
      reduce,
      storesStrings: this.storesStrings,
      indexesStrings: this.indexesStrings,
      analyzersStrings: this.analyzersStrings,
      suggestionsOptions: this.indexSuggestions,
      termVectorsStrings: this.termVectorsStrings,
      spatialIndexesStrings: this.spatialOptionsStrings,
      vectorFieldStrings: this.vectorOptionsStrings,
      compoundFieldsStrings: this.compoundFieldsStrings,
      configuration: configurationOf(this, Object.keys(this.vectorOptionsStrings).length > 0),
    });
    const definition = builder.toIndexDefinition(this.conventions, false);
    definition.maps = new Set(maps);
    // Functions inside of maps, as tsx and wrangler write them (esbuild's `keepNames`): the server has no such function.
    if ([...definition.maps, reduce].some((text) => text?.includes("__name(")))
      definition.additionalSources = {
        ...definition.additionalSources,
        __name: "function __name(f) { return f; }",
      };
    return definition;
  }
}

/**
 * An index in C#.
 *
 * ```ts
 * class Orders_ByTotal extends AbstractCsharpIndexCreationTask {
 *   constructor() {
 *     super();
 *     this.map = "from order in docs.Orders select new { order.total }";
 *   }
 * }
 * ```
 */
export abstract class AbstractCsharpIndexCreationTask extends AbstractGenericIndexCreationTask {
  map!: string;
  reduce!: string;

  createIndexDefinition(): IndexDefinition {
    if (!this.map) fail("InvalidArgument", `the index ${this.getIndexName()} needs a map`);
    return this._definitionOf([this.map], this.reduce);
  }
}

/** An index in C# over several collections. */
export abstract class AbstractCsharpMultiMapIndexCreationTask extends AbstractGenericIndexCreationTask {
  #maps: string[] = [];
  reduce!: string;

  protected addMap(map: string): void {
    if (!map) fail("InvalidArgument", "addMap takes the text of a map");
    this.#maps.push(map);
  }

  createIndexDefinition(): IndexDefinition {
    return this._definitionOf(this.#maps, this.reduce);
  }
}

/** An index in JavaScript whose maps are texts. */
export abstract class AbstractRawJavaScriptIndexCreationTask extends AbstractIndexCreationTaskBase {
  maps: Set<string> = new Set();
  fields: Record<string, IndexFieldOptions> = {};
  reduce!: string;
  outputReduceToCollection!: string;
  patternReferencesCollectionName!: string;
  patternForOutputReduceToCollectionReferences!: string;

  createIndexDefinition(): IndexDefinition {
    const { maps, fields } = this;
    const type = this.isMapReduce ? "JavaScriptMapReduce" : "JavaScriptMap";
    const definition = Object.assign(new IndexDefinition(), {
      name: this.getIndexName(),
      type,
      maps,
      fields,
    });
    copy(this, definition);
    definition.additionalSources ??= {};
    definition.additionalAssemblies ??= [];
    const hasVectors = Object.values(fields).some(({ vector }) => !!vector);
    definition.configuration = configurationOf(this, hasVectors);
    return definition;
  }
}

/** A store that gets definitions. */
export interface IndexStore {
  readonly conventions: DocumentConventions;
  readonly database: string;
  readonly maintenance: MaintenanceOperationExecutor;
}

/** Defaults for definitions that are sent together. */
const NORMAL: Partial<IndexDefinition> = { priority: "Normal", state: "Normal" };

/**
 * Sends the definitions of indexes in one request.
 * @internal
 */
export async function send(
  tasks: AbstractIndexCreationTaskBase[],
  store: IndexStore,
  conventions: DocumentConventions | undefined,
  database: string | undefined,
  defaults = NORMAL,
): Promise<void> {
  const given = conventions ?? store.conventions;
  const definitions = tasks.map((task) => definitionUnder(task, given, defaults));
  await store.maintenance
    .forDatabase(database ?? store.database)
    .send(new PutIndexesOperation(...definitions));
}

/** The definition of an index under the conventions of a store. */
function definitionUnder(
  task: AbstractIndexCreationTaskBase,
  conventions: DocumentConventions,
  defaults: Partial<IndexDefinition>,
): IndexDefinition {
  const before = task.conventions;
  try {
    task.conventions = conventions;
    const definition = task.createIndexDefinition();
    definition.name = task.getIndexName();
    for (const name of [
      "lockMode",
      "priority",
      "state",
      "archivedDataProcessingBehavior",
      "deploymentMode",
    ] as const) {
      const value = task[name] || defaults[name];
      if (value) definition[name] = value as never;
    }
    return definition;
  } finally {
    task.conventions = before;
  }
}

/** Deploys several indexes. */
// biome-ignore lint/complexity/noStaticOnlyClass: a class in npm `ravendb`, too
export class IndexCreation {
  /** Sends one request. If the server refuses it, deploys the indexes one by one, up to the one that is refused. */
  static async createIndexes(
    indexes: AbstractIndexCreationTaskBase[],
    store: IndexStore,
    conventions?: DocumentConventions,
  ): Promise<void> {
    try {
      await send(indexes, store, conventions, undefined);
    } catch {
      // Indexes before the refused one are deployed; the error is about the refused one.
      for (const index of indexes) await index.execute(store, conventions);
    }
  }

  static createIndexesToAdd(
    indexCreationTasks: AbstractIndexCreationTaskBase[],
    conventions: DocumentConventions,
  ): IndexDefinition[] {
    return indexCreationTasks.map((task) => definitionUnder(task, conventions, NORMAL));
  }
}
