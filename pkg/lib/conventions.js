// How entities map to collections, classes, tags and ids. Names and defaults are those of npm `ravendb`.

import { fail } from "./error.js";
import { IdConventions } from "./id-conventions.js";

/** Loaded when the first collection is named after a class: most apps register theirs. */
let plural;

async function plurals() {
  ({ default: plural } = await import("../gen/plural.js"));
}

/** A class name that a minifier may have made. */
const SUSPICIOUS = /^(.{0,3}|[^A-Z].*)$/s;

export class DocumentConventions extends IdConventions {
  #types = new Map();
  #names = new Map();
  #identities = new Map();
  #generators = new Map();
  #warned = new Set();
  #frozen = false;

  identityProperty = "id";
  /** Dates in UTC, with a Z; else in the time of this place, as npm `ravendb` does. */
  storeDatesInUtc = false;
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
  /** Makes the ids of new documents, in place of HiLo: `async (database, entity) => id`. */
  documentIdGenerator;
  shouldIgnoreEntityChanges;

  /** As RavenDB's clients do: `Orders` → `orders`, but `OrderLines` keeps its case. */
  transformClassCollectionNameToDocumentIdPrefix = (name) =>
    (name.match(/[A-Z]/g)?.length ?? 0) <= 1 ? name.toLowerCase() : name;

  /** A class and the name that documents note it by; class names do not survive minifiers. */
  registerEntityType(type, name) {
    if (typeof type !== "function") fail("InvalidArgument", "registerEntityType takes a class");
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
    this.#mayChange();
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

  freeze() {
    this.#frozen = true;
    super.freeze();
  }

  #mayChange() {
    if (this.#frozen) fail("InvalidOperation", "conventions cannot change after initialize()");
  }

  getIdentityProperty(type) {
    return this.#identities.get(type) ?? this.identityProperty;
  }

  /** Whether some classes show their ids in properties of their own. */
  get hasOwnIdentities() {
    return this.#identities.size > 0;
  }

  identityOf(entity) {
    return this.getIdentityProperty(entity.constructor);
  }

  /** What makes the id of an entity, if the app does. */
  generatorOf(entity) {
    for (const [type, generate] of this.#generators) if (entity instanceof type) return generate;
    return this.documentIdGenerator;
  }

  /** The class of a name in a document's metadata. */
  classNamed(name) {
    return this.#types.get(name);
  }

  /** A class as an app names it: itself, or the name that it is registered by. */
  classOf(type) {
    return typeof type === "string" ? this.#types.get(type) : type;
  }

  /** The name of a value's class, if the class is registered. */
  classNameOf(value) {
    return this.#names.get(value.constructor);
  }

  /**
   * The class and collection of a new entity; `type`: as the app says. `undefined` where the rules for collections named
   * after classes have to be loaded first.
   */
  describe(entity, type) {
    const own = entity["@metadata"]?.["@collection"];
    const made = type ?? entity.constructor;
    if (made === Object || typeof made !== "function") {
      return { collection: own ?? this.findCollectionNameForObjectLiteral?.(entity) ?? "", name: "" };
    }
    if (!this.#names.has(made)) this.#learn(made);
    const name = this.#names.get(made);
    const collection = own ?? this.findCollectionName?.(made) ?? plural?.(name);
    return collection === undefined ? undefined : { collection, name };
  }

  /** What classes need comes early: a page may be offline when the first instance is stored. */
  prefetch() {
    if (this.#names.size > 0 && !this.findCollectionName) plurals().catch(() => {});
  }

  /** The same, for those who can wait. */
  async load(entity, type) {
    await plurals().catch((cause) =>
      fail(
        "Unsupported",
        "the plurals of class names cannot be fetched here, offline or in a service worker; name the collection: conventions.findCollectionName",
        { cause },
      ),
    );
    return this.describe(entity, type);
  }

  #learn(type) {
    this.#names.set(type, type.name);
    this.#types.set(type.name, type);
    if (!SUSPICIOUS.test(type.name) || this.#warned.has(type)) return;
    this.#warned.add(type);
    console.warn(
      `raven-edge: the collection of a class called "${type.name}" is taken from its name, which a minifier may have ` +
        'made; say its name: conventions.registerEntityType(Order, "Order")',
    );
  }

  getCollectionNameForType(type) {
    const name = this.#names.get(type) ?? type.name;
    return (
      this.findCollectionName?.(type) ??
      plural?.(name) ??
      fail("InvalidOperation", "collections of classes are named from the first store() on")
    );
  }
}
