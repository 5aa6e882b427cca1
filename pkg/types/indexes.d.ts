// Indexes as classes of the app.

import type { DocumentConventions } from "./conventions.js";
import type { EntityType, IMetadataDictionary } from "./entities.js";
import type {
  AdditionalAssembly,
  ArchivedDataProcessingBehavior,
  FieldIndexing,
  FieldStorage,
  FieldTermVector,
  FieldVectorOptions,
  IndexConfiguration,
  IndexDefinition,
  IndexDeploymentMode,
  IndexFieldOptions,
  IndexLockMode,
  IndexPriority,
  IndexState,
  SearchEngineType,
  SpatialOptions,
  SpatialOptionsFactory,
} from "./index-definitions.js";
import type { DocumentStore } from "./store.js";

/** What every class of an index has. */
export abstract class AbstractCommonApiForIndexes {
  additionalSources: Record<string, string>;
  additionalAssemblies: AdditionalAssembly[];
  configuration: IndexConfiguration;
  get isMapReduce(): boolean;
  /**
   * The name of the class, with `/` for `_`: `Orders_ByTotal` is the index `Orders/ByTotal`. Minifiers rename classes:
   * override it in an app that is minified. A name of up to three characters warns once.
   */
  getIndexName(): string;
  static getIndexNameForCtor(indexCtorName: string): string;
}

/** An index that can be deployed. */
export abstract class AbstractIndexCreationTaskBase extends AbstractCommonApiForIndexes {
  conventions: DocumentConventions;
  priority: IndexPriority;
  lockMode: IndexLockMode;
  deploymentMode: IndexDeploymentMode;
  archivedDataProcessingBehavior: ArchivedDataProcessingBehavior;
  searchEngineType: SearchEngineType;
  state: IndexState;
  compoundFieldsStrings: string[][];
  /** @throws {RavenEdgeError} `InvalidArgument` without a map. */
  abstract createIndexDefinition(): IndexDefinition;
  /** Two fields by which queries filter and sort together; Corax alone. */
  compoundField(firstField: string, secondField: string): void;
  /**
   * Sends the definition to the server (`PUT indexes`; for one in C# `PUT admin/indexes`, which wants an administrator).
   * @param database Default: that of the store.
   * @throws {RavenEdgeError} `Server` with the `type` of what the server refuses, such as `IndexCompilationException`.
   */
  execute(store: DocumentStore, conventions?: DocumentConventions, database?: string): Promise<void>;
}

/** By this name in npm `ravendb`. */
export type IAbstractIndexCreationTask = AbstractIndexCreationTaskBase;

/** What is said of single fields, in the constructor of an index. */
export abstract class AbstractGenericIndexCreationTask<
  TField extends string = string,
> extends AbstractIndexCreationTaskBase {
  /** The collection that results of a reduce are written to as documents; default: none. */
  protected outputReduceToCollection: string;
  protected patternForOutputReduceToCollectionReferences: string;
  protected patternReferencesCollectionName: string;
  protected storesStrings: Record<string, FieldStorage>;
  protected indexesStrings: Record<string, FieldIndexing>;
  protected analyzersStrings: Record<string, string>;
  protected indexSuggestions: Set<string>;
  protected termVectorsStrings: Record<string, FieldTermVector>;
  protected spatialOptionsStrings: Record<string, SpatialOptions>;
  protected vectorOptionsStrings: Record<string, FieldVectorOptions>;
  protected index(field: TField | "__all_fields", indexing: FieldIndexing): void;
  protected spatial(
    field: TField | "__all_fields",
    indexing: (factory: SpatialOptionsFactory) => SpatialOptions,
  ): void;
  protected storeAllFields(storage: FieldStorage): void;
  /** Stored values can be projected without reading the document. */
  protected store(field: TField, storage: FieldStorage): void;
  protected analyze(field: TField | "__all_fields", analyzer: string): void;
  protected termVector(field: TField | "__all_fields", termVector: FieldTermVector): void;
  protected suggestion(field: TField | "__all_fields"): void;
  protected addAssembly(assembly: AdditionalAssembly): void;
  protected vectorField(field: TField | "__all_fields", vector: FieldVectorOptions): void;
  createIndexDefinition(): IndexDefinition;
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
  map: string;
  reduce: string;
}

/** An index in C# over several collections. */
export abstract class AbstractCsharpMultiMapIndexCreationTask extends AbstractGenericIndexCreationTask {
  reduce: string;
  protected addMap(map: string): void;
}

/** By these names in npm `ravendb` before version 5. */
export {
  AbstractCsharpIndexCreationTask as AbstractIndexCreationTask,
  AbstractCsharpMultiMapIndexCreationTask as AbstractMultiMapIndexCreationTask,
};

/** What a map function gives: one entry of the index, or several. */
export type IndexingMapDefinition<TInput, TOutput> = (document: TInput) => TOutput | TOutput[];
export type IndexingReduceDefinition<TItem> = (
  result: IndexingGroupResults<TItem>,
) => IndexingMapReduceFormatter<TItem>;

/** The entries of the maps, to be grouped. */
export class IndexingGroupResults<TDocument> {
  groupBy<TKey>(
    selector: (document: TDocument) => TKey,
  ): TKey extends void ? never : IndexingReduceResults<TDocument, TKey>;
}

/** Entries in groups, to be made one each. */
export class IndexingReduceResults<TDocument, TKey> {
  constructor(selector: (document: TDocument) => TKey);
  aggregate(
    reducer: IndexingMapDefinition<{ key: TKey; values: TDocument[] }, TDocument>,
  ): IndexingMapReduceFormatter<TDocument>;
}

/** A reduce as text. */
export class IndexingMapReduceFormatter<TDocument> {
  constructor(
    // biome-ignore lint/suspicious/noExplicitAny: keys of any kind
    groupBy: (document: TDocument) => any,
    // biome-ignore lint/suspicious/noExplicitAny: as above
    aggregate: IndexingMapDefinition<{ key: any; values: TDocument[] }, any>,
  );
  format(): string;
}

/** How `createField` stores and indexes. */
export interface CreateFieldOptions {
  storage?: boolean;
  indexing?: FieldIndexing;
  termVector?: FieldTermVector;
  vector?: FieldVectorOptions;
}

/** What `createSpatialField` gives is for the server alone. */
// biome-ignore lint/suspicious/noConfusingVoidType: as npm `ravendb` has it
export type SpatialField = void;

/** What a map function may call. The functions exist in the server; here they only have types. */
export interface IndexingMapUtils {
  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
  load<T = any>(documentId: string, collection: string): T;
  // biome-ignore lint/suspicious/noExplicitAny: a value of any shape
  cmpxchg<T = any>(key: string): T;
  getMetadata(document: unknown): IMetadataDictionary;
  id(document: unknown): string;
  createSpatialField(wkt: string): SpatialField;
  createSpatialField(lat: number, lng: number): SpatialField;
  createField(name: string, value: unknown, options?: CreateFieldOptions): void;
  createVector(values: unknown): void;
  // biome-ignore lint/suspicious/noExplicitAny: as the server gives it
  attachmentsFor(document: unknown): any[];
  // biome-ignore lint/suspicious/noExplicitAny: as the server gives it
  loadAttachment(document: unknown, attachmentName: string): any;
  // biome-ignore lint/suspicious/noExplicitAny: as the server gives it
  loadAttachments(document: unknown): any[];
  loadVector(
    path: string,
    embeddingsGenerationTaskIdentifier?: string,
    embeddingsSourceDocumentId?: string,
    embeddingsSourceDocumentCollectionName?: string,
  ): void;
  noTracking: {
    // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
    load<T = any>(documentId: string, collection: string): T;
  };
}

/** What `mapUtils()` gives: the names have no values here. */
export class StubMapUtils {
  readonly load: undefined;
  readonly cmpxchg: undefined;
  readonly getMetadata: undefined;
  readonly id: undefined;
  readonly createSpatialField: undefined;
  readonly createField: undefined;
  readonly createVector: undefined;
  readonly attachmentsFor: undefined;
  readonly loadAttachment: undefined;
  readonly loadAttachments: undefined;
  readonly loadVector: undefined;
  readonly noTracking: undefined;
}

/** What indexes in JavaScript share. */
export abstract class BaseJavaScriptIndexCreationTask<
  TField extends string = string,
> extends AbstractGenericIndexCreationTask<TField> {
  /** May change the text of a map or reduce before it is sent. */
  protected postProcessDefinition(definition: string, origin: "map" | "reduce"): string;
  /** Has `Role.Admin`, of `() => Role.Admin`, replaced by its value in the maps that follow: the server knows no enums. */
  protected registerEnum(provider: () => string | number): void;
  /** Destructure it in the constructor, before `map`: `const { load } = this.mapUtils()`. */
  mapUtils(): IndexingMapUtils;
}

/**
 * An index in JavaScript. Map functions are sent as text: they see their document and what `mapUtils` and `addSource`
 * name, and nothing else of the app.
 *
 * ```ts
 * class Orders_ByTotal extends AbstractJavaScriptIndexCreationTask<Order, Pick<Order, "total">> {
 *   constructor() {
 *     super();
 *     this.map("Orders", (order) => ({ total: order.total }));
 *   }
 * }
 * await new Orders_ByTotal().execute(store);
 * ```
 */
export class AbstractJavaScriptIndexCreationTask<
  TDocument extends object,
  // biome-ignore lint/suspicious/noExplicitAny: entries of any shape
  TMapResult extends object = any,
> extends BaseJavaScriptIndexCreationTask<keyof TMapResult & string> {
  protected constructor();
  /** @throws {RavenEdgeError} `InvalidOperation` the second time. */
  map(
    collectionOrDocumentType: string | EntityType<TDocument>,
    definition: IndexingMapDefinition<TDocument, TMapResult>,
  ): void;
  reduce(mapReduce: IndexingReduceDefinition<TMapResult>): void;
  /**
   * Adds a function that maps call, by its name.
   * @throws {RavenEdgeError} `InvalidOperation` for an arrow function, or one without a name.
   */
  // biome-ignore lint/complexity/noBannedTypes: any function
  addSource(source: Function): void;
  // biome-ignore lint/complexity/noBannedTypes: any function
  addSource(name: string, source: Function): void;
}

/** An index in JavaScript over several collections. */
export class AbstractJavaScriptMultiMapIndexCreationTask<
  // biome-ignore lint/suspicious/noExplicitAny: entries of any shape
  TMapResult extends object = any,
> extends BaseJavaScriptIndexCreationTask<keyof TMapResult & string> {
  protected constructor();
  map<TDocument extends object>(
    collectionOrDocumentType: string | EntityType<TDocument>,
    definition: IndexingMapDefinition<TDocument, TMapResult>,
  ): void;
  reduce(mapReduce: IndexingReduceDefinition<TMapResult>): void;
  // biome-ignore lint/complexity/noBannedTypes: any function
  addSource(name: string, source: Function): void;
}

/** An index in JavaScript whose maps are texts. */
export abstract class AbstractRawJavaScriptIndexCreationTask extends AbstractIndexCreationTaskBase {
  maps: Set<string>;
  fields: Record<string, IndexFieldOptions>;
  reduce: string;
  outputReduceToCollection: string;
  patternReferencesCollectionName: string;
  patternForOutputReduceToCollectionReferences: string;
  createIndexDefinition(): IndexDefinition;
}

/** Several indexes at once. */
// biome-ignore lint/complexity/noStaticOnlyClass: a class in npm `ravendb`, too
export class IndexCreation {
  /** One request; if the server refuses it, one index after the other, up to the one that cannot be deployed. */
  static createIndexes(
    indexes: AbstractIndexCreationTaskBase[],
    store: DocumentStore,
    conventions?: DocumentConventions,
  ): Promise<void>;
  static createIndexesToAdd(
    indexCreationTasks: AbstractIndexCreationTaskBase[],
    conventions: DocumentConventions,
  ): IndexDefinition[];
}
