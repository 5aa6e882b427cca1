// How entities map to collections, classes, tags and ids. Names and defaults are those of npm `ravendb`.

import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { CLASS } from "../documents/snapshot-values.js";
import { here, later } from "../runtime/load-part.js";
import { IdConventions } from "./id-conventions.js";

/** Needed when the first collection is named after a class. */
const PLURAL = "plural";

/** A class name that a minifier may have made. */
const SUSPICIOUS = /^(.{0,3}|[^A-Z].*)$/s;

export class DocumentConventions extends IdConventions {
  #types = new Map();
  #names = new Map();
  #identities = new Map();
  #generators = new Map();
  /** Types that are no classes: `{ name, isType, construct }`. */
  #literals = new Set();
  /** Classes whose names need no warning any more. */
  #warned = new Set();
  #store;

  identityProperty = "id";
  /** Dates in UTC, with a Z; else in the time of this place, as npm `ravendb` does. */
  storeDatesInUtc = false;
  /** Dates with the distance of their place from UTC: `+01:00`. */
  storeDatesWithTimezoneInfo = false;
  /** `None`, `Writes` or `WritesAndReads`. */
  optimisticConcurrencyMode = "None";
  maxNumberOfRequestsPerSession = 30;
  waitForIndexesAfterSaveChangesTimeout = 15_000;
  waitForReplicationAfterSaveChangesTimeout = 15_000;
  waitForNonStaleResultsTimeout = 15_000;
  /** `None` or `RoundRobin`: reads of a session begin with the node whose turn it is. */
  readBalanceBehavior = "None";
  /** Bytes of answers that are kept to be asked for again; 0: none. */
  maxHttpCacheSize = 8 * 2 ** 20;
  /** Bytes: RavenDB's documentation says 2,025, its servers refuse more than 512 from version 5 on. */
  maxIdLength = 512;
  allowBackslashInIds = false;
  /** Whether a changed document may be saved although a number in it has lost digits by being loaded. */
  allowInexactNumbers = false;
  findCollectionName;
  findCollectionNameForObjectLiteral;
  /** The name of a class for the metadata of its documents: `(type) => name`. */
  findJsTypeName;
  /** The class of a document that is loaded without one: `(id, document) => type`. */
  findJsType;
  /** Milliseconds, where the store has no option `timeout`. */
  requestTimeout;
  /** Sends requests, where the store has no option `fetch`. */
  customFetch;
  /** There is none: nothing tells the server what application this is. */
  sendApplicationIdentifier = false;
  /** Makes the ids of new documents, in place of HiLo: `async (database, entity) => id`. */
  documentIdGenerator;
  shouldIgnoreEntityChanges;

  /** As RavenDB's clients do: `Orders` → `orders`, but `OrderLines` keeps its case. */
  transformClassCollectionNameToDocumentIdPrefix = (name) =>
    (name.match(/[A-Z]/g)?.length ?? 0) <= 1 ? name.toLowerCase() : name;

  /** The plural of a class's name. */
  static defaultGetCollectionName(type) {
    if (!type) return null;
    return here(PLURAL)
      ? here(PLURAL).default(type.name)
      : fail(
          "InvalidOperation",
          `the collection of ${type.name} is not known before await store.ready(); or set conventions.findCollectionName`,
        );
  }

  /** A type and the name that documents note it by; class names do not survive minifiers. */
  registerEntityType(type, name) {
    if (typeof type !== "function") {
      if (typeof type?.isType !== "function")
        fail("InvalidArgument", "registerEntityType takes a class, or { name, isType, construct }");
      this.#literals.add(type);
    }
    if (name) this.#warned.add(type);
    for (const known of [name, type.name]) if (known) this.#types.set(known, type);
    if (name || !this.#names.has(type)) this.#names.set(type, name ?? type.name);
    return this;
  }

  registerJsType(type, name) {
    return this.registerEntityType(type, name);
  }

  registerEntityIdPropertyName(type, property) {
    this.#identities.set(type, property);
    return this;
  }

  registerIdConvention(type, generate) {
    this.mayChange("registerIdConvention");
    this.#generators.set(type, generate);
    return this;
  }

  get useOptimisticConcurrency() {
    return this.optimisticConcurrencyMode !== "None";
  }

  set useOptimisticConcurrency(on) {
    this.optimisticConcurrencyMode = on ? "Writes" : "None";
  }

  isUseOptimisticConcurrency() {
    return this.useOptimisticConcurrency;
  }

  setUseOptimisticConcurrency(on) {
    this.useOptimisticConcurrency = on;
  }

  /** `store`: whose ids new entities get. */
  freeze(store) {
    this.#store ??= store;
    super.freeze();
  }

  getIdentityProperty(type) {
    return this.#identities.get(this.classOf(type)) ?? this.identityProperty;
  }

  /** Whether some classes show their ids in properties of their own. */
  get hasOwnIdentities() {
    return this.#identities.size > 0;
  }

  identityOf(entity) {
    return this.getIdentityProperty(this.typeOf(entity));
  }

  /** The class of an entity, or the registered type that it is of. */
  typeOf(entity) {
    return this.literalOf(entity) ?? entity.constructor;
  }

  get hasLiterals() {
    return this.#literals.size > 0;
  }

  literalOf(entity) {
    if (this.hasLiterals && entity.constructor === Object)
      return [...this.#literals].find((type) => type.isType(entity));
  }

  getEntityTypeDescriptor(entity) {
    const type = this.typeOf(entity);
    return type === Object ? null : type;
  }

  /** What makes the id of an entity, if the app does. */
  generatorOf(entity) {
    for (const [type, generate] of this.#generators)
      if (type.isType?.(entity) ?? entity instanceof type) return generate;
    return this.documentIdGenerator;
  }

  async generateDocumentId(database, entity) {
    const generate = this.generatorOf(entity);
    return generate
      ? generate(database, entity)
      : this.#store.hiLoIdGenerator.generateDocumentId(database, entity);
  }

  /** The class of a name in a document's metadata. */
  classNamed(name) {
    return this.#types.get(name);
  }

  /** A class as an app names it: itself, or the name that it is registered by. */
  classOf(type) {
    return typeof type === "string" ? this.#types.get(type) : type;
  }

  getJsTypeByDocumentType(type) {
    return (type !== Object && this.classOf(type)) || null;
  }

  /** The name of a value's class, if the class is registered. */
  classNameOf(value) {
    return this.#names.get(this.typeOf(value));
  }

  getJsType(id, document) {
    const { findJsType } = this;
    return (findJsType ? findJsType(id, document) : this.#types.get(document["@metadata"]?.[CLASS])) ?? null;
  }

  getJsTypeName(type) {
    const { findJsTypeName } = this;
    if (findJsTypeName) return findJsTypeName(type);
    return !type || type === Object ? null : (this.#names.get(type) ?? type.name);
  }

  /**
   * The class and collection of a new entity; `type`: as the app says. `undefined` where the rules for collections named
   * after classes have to be loaded first.
   */
  describe(entity, type) {
    const own = entity["@metadata"]?.["@collection"];
    const made = this.classOf(type) ?? this.typeOf(entity);
    if (made === Object || !(typeof made === "function" || isObject(made)))
      return { collection: own ?? this.findCollectionNameForObjectLiteral?.(entity) ?? "", name: "" };
    if (!this.#names.has(made)) this.#learn(made);
    try {
      return { collection: own ?? this.getCollectionNameForType(made), name: this.getJsTypeName(made) ?? "" };
    } catch (error) {
      // What the app says of collections may begin with a plural, too.
      if (here(PLURAL)) throw error;
    }
  }

  /** What classes need comes early: a page may be offline when the first instance is stored. */
  prefetch() {
    if (this.#names.size > 0 && !this.findCollectionName) this.ready();
  }

  /** The same, for those who can wait. */
  async ready() {
    await later(PLURAL).catch(() => {});
  }

  /** The same, for those who need it. */
  async load(entity, type) {
    await later(PLURAL, "; or name the collection of each class: conventions.findCollectionName");
    return this.describe(entity, type);
  }

  #learn(type) {
    this.#names.set(type, type.name);
    this.#types.set(type.name, type);
    this.#doubt(type);
  }

  /** Warns once of a class whose name may not be that of the app's source. */
  #doubt(type) {
    if (this.#warned.has(type)) return;
    this.#warned.add(type);
    if (!SUSPICIOUS.test(type.name)) return;
    console.warn(
      `raven-edge: a minifier may have named the class "${type.name}"; say its name: conventions.registerEntityType(Order, "Order")`,
    );
  }

  getCollectionNameForType(type) {
    const own = this.findCollectionName?.(type);
    if (own) return own;
    if (type) this.#doubt(type);
    return DocumentConventions.defaultGetCollectionName(type && { name: this.#names.get(type) ?? type.name });
  }

  getCollectionNameForEntity(entity) {
    if (!entity) return null;
    const type = this.getEntityTypeDescriptor(entity);
    return type
      ? this.getCollectionNameForType(type)
      : (entity["@metadata"]?.["@collection"] ?? this.findCollectionNameForObjectLiteral?.(entity) ?? null);
  }
}
