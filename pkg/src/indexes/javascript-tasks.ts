// Arguments and results of map and reduce functions. Types alone: the functions run on the server.

import * as plural from "../../gen/plural.js";
import { AnyThis } from "../common/any-this.js";
import { fail } from "../common/error.js";
import type { EntityType, IMetadataDictionary } from "../documents/entity-types.js";
import { provide } from "../runtime/load-part.js";
import { type DocumentConventions as Conventions, DocumentConventions } from "../store/conventions.js";
import {
  type FieldIndexing,
  type FieldTermVector,
  type FieldVectorOptions,
  type IndexDefinition,
  IndexDefinitionHelper,
} from "./definition.js";
import { AbstractGenericIndexCreationTask } from "./index-tasks.js";

/** A document, an entry or a value of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`
type Any = any;
// biome-ignore lint/complexity/noBannedTypes: any function
type AnyFunction = Function;

/** The result of a map function: one entry of the index, or several. */
export type IndexingMapDefinition<TInput, TOutput> = (document: TInput) => TOutput | TOutput[];
export type IndexingReduceDefinition<TItem> = (
  result: IndexingGroupResults<TItem>,
) => IndexingMapReduceFormatter<TItem>;

/** How `createField` stores and indexes the field. */
export interface CreateFieldOptions {
  storage?: boolean;
  indexing?: FieldIndexing;
  termVector?: FieldTermVector;
  vector?: FieldVectorOptions;
}

/** The result of `createSpatialField`, which only the server uses. */
// biome-ignore lint/suspicious/noConfusingVoidType: as npm `ravendb` has it
export type SpatialField = void;

/** The functions that a map function may call. They exist on the server; here they only have types. */
export interface IndexingMapUtils {
  load<T = Any>(documentId: string, collection: string): T;
  cmpxchg<T = Any>(key: string): T;
  getMetadata(document: unknown): IMetadataDictionary;
  id(document: unknown): string;
  createSpatialField(wkt: string): SpatialField;
  createSpatialField(lat: number, lng: number): SpatialField;
  createField(name: string, value: unknown, options?: CreateFieldOptions): void;
  createVector(values: unknown): void;
  attachmentsFor(document: unknown): Any[];
  loadAttachment(document: unknown, attachmentName: string): Any;
  loadAttachments(document: unknown): Any[];
  loadVector(
    path: string,
    embeddingsGenerationTaskIdentifier?: string,
    embeddingsSourceDocumentId?: string,
    embeddingsSourceDocumentCollectionName?: string,
  ): void;
  noTracking: {
    load<T = Any>(documentId: string, collection: string): T;
  };
}

/** The functions of `mapUtils()`. They exist only on the server. */
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

/** The text of a reduce. */
export class IndexingMapReduceFormatter<TDocument> extends AnyThis {
  #groupBy: unknown;
  #aggregate: unknown;

  constructor(
    groupBy: (document: TDocument) => Any,
    aggregate: IndexingMapDefinition<{ key: Any; values: TDocument[] }, Any>,
  ) {
    super();
    this.#groupBy = groupBy;
    this.#aggregate = aggregate;
  }

  format(): string {
    return `groupBy(${this.#groupBy}).aggregate(${this.#aggregate})`;
  }
}

/** Groups of entries; each becomes one entry. */
export class IndexingReduceResults<TDocument, TKey> extends AnyThis {
  #group: (document: TDocument) => TKey;

  constructor(selector: (document: TDocument) => TKey) {
    super();
    this.#group = selector;
  }

  aggregate(
    reducer: IndexingMapDefinition<{ key: TKey; values: TDocument[] }, TDocument>,
  ): IndexingMapReduceFormatter<TDocument> {
    return new IndexingMapReduceFormatter(this.#group, reducer);
  }
}

/** The entries of the maps, before they are grouped. */
export class IndexingGroupResults<TDocument> {
  groupBy<TKey>(
    selector: (document: TDocument) => TKey,
  ): TKey extends void ? never : IndexingReduceResults<TDocument, TKey> {
    return new IndexingReduceResults(selector) as TKey extends void
      ? never
      : IndexingReduceResults<TDocument, TKey>;
  }
}

/** A text between single quotes. */
const quoted = (text: string): string => `'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'")}'`;

/** The common base of indexes in JavaScript. */
export abstract class BaseJavaScriptIndexCreationTask<
  TField extends string = string,
> extends AbstractGenericIndexCreationTask<TField> {
  /** Texts in maps, and their replacements. */
  #enums: [text: string, value: string][] = [];

  /** The conventions that give collections their names; while the definition is made for sending, those that were passed for that. */
  override conventions: Conventions = new DocumentConventions() as Conventions;

  /**
   * In later maps replaces the text of an enum's member (`Role.Admin`, of `() => Role.Admin`) by the member's value, because the server
   * does not have the app's enums.
   */
  protected registerEnum(provider: () => string | number): void {
    const value = provider();
    const sourceCode = IndexDefinitionHelper.extractEnumNotation(`${provider}`);
    this.#enums.push([sourceCode, typeof value === "number" ? `${value}` : JSON.stringify(value)]);
  }

  /** May change the text of a map or reduce before it is sent. */
  protected postProcessDefinition(definition: string, _origin: "map" | "reduce"): string {
    return this.#enums.reduce((text, [name, value]) => text.replaceAll(name, () => value), definition);
  }

  /** Destructure it in the constructor, before `map`: `const { load } = this.mapUtils()`. */
  mapUtils(): IndexingMapUtils {
    // The functions exist only on the server.
    return new StubMapUtils() as never;
  }
}

/** What indexes of one map and of several have in common. */
abstract class JavaScriptTask<TMapResult extends object> extends BaseJavaScriptIndexCreationTask<
  keyof TMapResult & string
> {
  protected readonly _maps: string[] = [];
  #reduce: string | undefined;

  override get isMapReduce(): boolean {
    return !!this.#reduce;
  }

  /** Adds a map over a collection, or over the collection of a class. */
  protected _addMap(collectionOrType: string | EntityType, definition: unknown): void {
    // The text is made at once: it cannot wait for the code that makes plurals.
    provide({ plural });
    const collection =
      typeof collectionOrType === "string"
        ? collectionOrType
        : this.conventions.getCollectionNameForType(collectionOrType);
    this._maps.push(this.postProcessDefinition(`map(${quoted(collection)}, ${definition})`, "map"));
  }

  reduce(mapReduce: IndexingReduceDefinition<TMapResult>): void {
    this.#reduce = this.postProcessDefinition(mapReduce(new IndexingGroupResults()).format(), "reduce");
  }

  addSource(name: string, source: AnyFunction): void {
    const text = `${source}`;
    if (!name || !text.includes("function"))
      fail("InvalidOperation", "additional sources are functions with a name, not arrow functions");
    this.additionalSources = { ...this.additionalSources, [name]: text };
  }

  createIndexDefinition(): IndexDefinition {
    return this._definitionOf(this._maps, this.#reduce);
  }
}

/**
 * An index in JavaScript. Map functions are sent as text: they can use their document and the functions of `mapUtils` and `addSource`,
 * but no variables of the app.
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
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, entries of any shape
  TMapResult extends object = any,
> extends JavaScriptTask<TMapResult> {
  /** @throws {RavenEdgeError} `InvalidOperation` if it is called a second time. */
  map(
    collectionOrDocumentType: string | EntityType<TDocument>,
    definition: IndexingMapDefinition<TDocument, TMapResult>,
  ): void {
    if (this._maps.length > 0)
      fail(
        "InvalidOperation",
        "this index has a map; for several maps extend AbstractJavaScriptMultiMapIndexCreationTask",
      );
    this._addMap(collectionOrDocumentType, definition);
  }

  /**
   * Adds a function that maps can call by its name.
   * @throws {RavenEdgeError} `InvalidOperation` for an arrow function, or one without a name.
   */
  override addSource(source: AnyFunction): void;
  override addSource(name: string, source: AnyFunction): void;
  override addSource(nameOrFunction: string | AnyFunction, source?: AnyFunction): void {
    if (typeof nameOrFunction === "function") super.addSource(nameOrFunction.name, nameOrFunction);
    else super.addSource(nameOrFunction, source as AnyFunction);
  }

  override createIndexDefinition(): IndexDefinition {
    if (this._maps.length === 0) fail("InvalidArgument", `the index ${this.getIndexName()} needs a map`);
    return super.createIndexDefinition();
  }
}

/** An index in JavaScript over several collections. */
export class AbstractJavaScriptMultiMapIndexCreationTask<
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, entries of any shape
  TMapResult extends object = any,
> extends JavaScriptTask<TMapResult> {
  map<TDocument extends object>(
    collectionOrDocumentType: string | EntityType<TDocument>,
    definition: IndexingMapDefinition<TDocument, TMapResult>,
  ): void {
    this._addMap(collectionOrDocumentType, definition);
  }
}
