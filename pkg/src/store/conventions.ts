// How entities map to collections, classes, tags and ids. Names and defaults are those of npm `ravendb`.

import { FINDS_ITSELF, itself } from "../common/any-this.js";
import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { classOf } from "../common/value-kinds.js";
import type {
  DocumentType,
  Entity,
  EntityType,
  Identity,
  ObjectLiteralDescriptor,
  ObjectTypeDescriptor,
} from "../documents/entity-types.js";
import { CLASS } from "../documents/snapshots/snapshot-values.js";
import { loadedPart, loadPart } from "../runtime/load-part.js";
import { ConventionSettings } from "./convention-settings.js";
import { guard } from "./id-conventions.js";
import type { DocumentStore } from "./store-types.js";

/** A name that a minifier may have made: it is short, or does not begin with a capital letter. */
const SHORT = /^(.{0,3}|[^A-Z].*)$/s;

/**
 * Collection and class name of an entity; empty: none.
 * @internal
 */
export interface EntityKind {
  collection: string;
  name: string;
}

/**
 * How entities map to collections, classes, tags and ids; names and defaults are those of npm `ravendb`, unless said
 * otherwise. {@link DocumentStore.initialize} freezes them: setting one afterwards is `InvalidOperation`, except
 * {@link maxNumberOfRequestsPerSession} and {@link findCollectionNameForObjectLiteral}. Classes can be registered at any time.
 * Setting a convention that does not exist is refused with `InvalidArgument`.
 */
export class DocumentConventions extends ConventionSettings {
  /** @internal */
  static readonly [FINDS_ITSELF]: readonly string[] = ["hasLiterals"];
  #types = new Map<unknown, ObjectTypeDescriptor>();
  #names = new Map<ObjectTypeDescriptor, string>();
  #identities = new Map<ObjectTypeDescriptor | null | undefined, string>();
  #literals = new Set<ObjectLiteralDescriptor>();
  /**
   * Classes that were stored without being registered: another page does not know them.
   * @internal
   */
  readonly learned = new Set<ObjectTypeDescriptor>();
  /** Classes whose names need no warning any more. */
  #warned = new Set<unknown>();
  #store: DocumentStore | undefined;
  /** Conventions that the app may replace. */
  #defaults = {
    findCollectionName: (type: ObjectTypeDescriptor): string | null => {
      if (type) this.#warn(type);
      const name = this.#names.get(type) ?? type?.name;
      return DocumentConventions.defaultGetCollectionName(type && { name });
    },
    findJsType: (_id: string | undefined, document: object): ObjectTypeDescriptor | null =>
      this.#types.get((document as Entity)["@metadata"]?.[CLASS]) ?? null,
    findJsTypeName: (type: ObjectTypeDescriptor): string | null =>
      !type || type === Object ? null : (this.#names.get(type) ?? type.name),
  };

  override findCollectionName: ConventionSettings["findCollectionName"] = this.#defaults.findCollectionName;
  override findJsType: ConventionSettings["findJsType"] = this.#defaults.findJsType;
  override findJsTypeName: ConventionSettings["findJsTypeName"] = this.#defaults.findJsTypeName;

  constructor() {
    super();
    guard(this);
  }

  /**
   * The plural of a class's name.
   * @throws {RavenEdgeError} as {@link getCollectionNameForType}.
   */
  static defaultGetCollectionName(type: ObjectTypeDescriptor): string;
  /** @internal */
  static defaultGetCollectionName(type: { readonly name: string } | null | undefined): string | null;
  static defaultGetCollectionName(type: { readonly name: string } | null | undefined): string | null {
    if (!type) return null;
    return (
      loadedPart("plural")?.default(type.name) ??
      fail(
        "InvalidOperation",
        `the collection of ${type.name} is not known before await store.ready(); or set conventions.findCollectionName`,
      )
    );
  }

  /**
   * Registers a class by name: its documents have the name in their metadata (`Raven-Node-Type`) and become its instances
   * again, and its collection is the plural of that name. Pass the name if code is minified: names of classes do not survive.
   *
   * ```ts
   * conventions.registerEntityType(Order, "Order");   // collection Orders, ids orders/1-A
   * ```
   * @param type A class, or `{ name, isType, construct }` for plain objects.
   * @param name Default: the class's own.
   * @throws {RavenEdgeError} `InvalidArgument` for anything else.
   */
  registerEntityType(type: ObjectTypeDescriptor, name?: string): this {
    if (typeof type !== "function") {
      if (typeof type?.isType !== "function")
        fail("InvalidArgument", "registerEntityType takes a class, or { name, isType, construct }");
      this.#literals.add(type);
    }
    if (name) this.#warned.add(type);
    this.learned.delete(type);
    for (const known of [name, type.name]) if (known) this.#types.set(known, type);
    if (name || !this.#names.has(type)) this.#names.set(type, name ?? type.name);
    return this;
  }

  /** `registerEntityType` by its other name in npm `ravendb`. */
  registerJsType(type: ObjectTypeDescriptor, name?: string): this {
    return this.registerEntityType(type, name);
  }

  /** The property that shows an entity of this class its id, instead of {@link identityProperty}. */
  registerEntityIdPropertyName(type: ObjectTypeDescriptor, property: string): this {
    this.#identities.set(type, property);
    return this;
  }

  /**
   * `store`: makes the ids of {@link generateDocumentId}.
   * @internal
   */
  override freeze(store?: DocumentStore): void {
    this.#store ??= store;
    Object.freeze(this.bulkInsert);
    super.freeze();
  }

  /** @internal */
  hasOwn(name: "findCollectionName" | "findJsType"): boolean {
    return !!this[name] && this[name] !== this.#defaults[name];
  }

  /** The property that shows an entity of this class its id. An app may replace this method; nothing: entities do not show their ids. */
  getIdentityProperty(type: DocumentType): string {
    return this.#identities.get(this.classOf(type)) ?? this.identityProperty;
  }

  /**
   * The property that shows entities their ids, or a function that names it for each; `undefined`: none.
   * @internal
   */
  get identity(): Identity {
    const { getIdentityProperty } = DocumentConventions.prototype;
    return this.#identities.size === 0 && this.getIdentityProperty === getIdentityProperty
      ? this.identityProperty
      : (entity) => this.getIdentityProperty(this.typeOf(entity));
  }

  /**
   * The class of an entity, or the registered type that it belongs to.
   * @internal
   */
  typeOf(entity: object): ObjectTypeDescriptor {
    return this.literalOf(entity) ?? classOf(entity) ?? Object;
  }

  /** @internal */
  get hasLiterals(): boolean {
    return itself(this).#literals.size > 0;
  }

  /**
   * The registered type of a plain object.
   * @internal
   */
  literalOf(entity: object): ObjectLiteralDescriptor | undefined {
    if (this.hasLiterals && !classOf(entity)) return [...this.#literals].find((type) => type.isType(entity));
    return undefined;
  }

  /** The class of an entity, or the registered type that it belongs to; `null` for other plain objects. */
  getEntityTypeDescriptor(entity: object): ObjectTypeDescriptor | null {
    const type = this.typeOf(entity);
    return type === Object ? null : type;
  }

  /** The next id of an entity, by convention, generator or HiLo. Only of a store's conventions, after `initialize()`. */
  async generateDocumentId(database: string, entity: object): Promise<string> {
    const generate = this.generatorOf(entity);
    return generate
      ? generate(database, entity)
      : (this.#store as DocumentStore).hiLoIdGenerator.generateDocumentId(database, entity);
  }

  /**
   * The class of a name in a document's metadata.
   * @internal
   */
  classNamed(name: string): ObjectTypeDescriptor | undefined {
    return this.#types.get(name);
  }

  /**
   * The type that an app names: itself, or the one that is registered by this name.
   * @internal
   */
  classOf(type: DocumentType | null | undefined): ObjectTypeDescriptor | undefined {
    return typeof type === "string" ? this.#types.get(type) : (type as ObjectTypeDescriptor | undefined);
  }

  /** A type itself, or the one that is registered by this name. */
  getJsTypeByDocumentType(type: DocumentType): ObjectTypeDescriptor | null {
    return (type !== Object && this.classOf(type)) || null;
  }

  /**
   * The name of a value's class, registered or not; `undefined` for a plain object.
   * @internal
   */
  classNameOf(value: object): string | undefined {
    const type = this.typeOf(value);
    const name = this.#names.get(type) ?? (type === Object ? "" : type.name);
    // A class of the app with the name of a note would be read as what the note means.
    return /^(date|Set|Map|)$/.test(name) ? undefined : name;
  }

  /** The type of a document that is loaded without one; see {@link findJsType}. */
  getJsType(id: string, document: object): ObjectTypeDescriptor | null {
    return (this.findJsType ?? this.#defaults.findJsType)(id, document) ?? null;
  }

  /** The name of a type in the metadata of documents; see {@link findJsTypeName}. */
  getJsTypeName(type: ObjectTypeDescriptor): string | null {
    return (this.findJsTypeName ?? this.#defaults.findJsTypeName)(type as EntityType) as string | null;
  }

  /**
   * The class and collection of a new entity; `type`: the one that the app passed. `undefined` if the rules for collections named
   * after classes have to be loaded first.
   * @internal
   */
  describe(entity: object, type?: DocumentType | null): EntityKind | undefined {
    const own = (entity as Entity)["@metadata"]?.["@collection"];
    const made = this.classOf(type) ?? this.typeOf(entity);
    if (made === Object || !(typeof made === "function" || isObject(made)))
      return { collection: own ?? this.findCollectionNameForObjectLiteral?.(entity) ?? "", name: "" };
    if (!this.#names.has(made)) {
      this.#names.set(made, made.name);
      this.#types.set(made.name, made);
      this.learned.add(made);
      this.#warn(made);
    }
    try {
      return { collection: own ?? this.getCollectionNameForType(made), name: this.getJsTypeName(made) ?? "" };
    } catch (error) {
      // The app's `findCollectionName` may use a plural, too.
      if (loadedPart("plural")) throw error;
      return undefined;
    }
  }

  /**
   * Loads early what classes need: a page may be offline when the first instance is stored.
   * @internal
   */
  prefetch(): void {
    if (this.#names.size > 0 && !this.hasOwn("findCollectionName")) this.ready();
  }

  /**
   * Loads the rules of plurals, or gives up silently.
   * @internal
   */
  async ready(): Promise<void> {
    await loadPart("plural").catch(() => {});
  }

  /**
   * As `describe`, after loading the rules of plurals.
   * @internal
   */
  async load(entity: object, type?: DocumentType | null): Promise<EntityKind> {
    await loadPart("plural", "; or name the collection of each class: conventions.findCollectionName");
    return this.describe(entity, type) as EntityKind;
  }

  /** Warns once if a minifier seems to have named a class. */
  #warn(type: ObjectTypeDescriptor): void {
    if (!this.#warned.has(type) && SHORT.test(type.name))
      loadPart("session").then(
        ({ warnOfEntityName }) => warnOfEntityName(type),
        () => {},
      );
    this.#warned.add(type);
  }

  /**
   * The collection of a class: {@link findCollectionName}, or the plural of its name.
   * @throws {RavenEdgeError} `InvalidOperation` in pages and Workers before {@link DocumentStore.ready}, if the code that makes
   * plurals is not loaded yet; Node, Deno and Bun have it at once.
   */
  getCollectionNameForType(type: ObjectTypeDescriptor): string {
    // `null` without a type, as in npm `ravendb`.
    return (this.findCollectionName?.(type as EntityType) ||
      this.#defaults.findCollectionName(type)) as string;
  }

  /** The collection that an entity would be stored in; `null`: none. */
  getCollectionNameForEntity(entity: object): string | null {
    if (!entity) return null;
    const type = this.getEntityTypeDescriptor(entity);
    if (type) return this.getCollectionNameForType(type);
    const own = (entity as Entity)["@metadata"]?.["@collection"];
    return own ?? this.findCollectionNameForObjectLiteral?.(entity) ?? null;
  }
}
